package watch

import (
	"cmp"
	"context"
	"sync"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// syncTimeout is the default, as in controller-runtime, of the time within which the resources of a kind have to be
// listed.
const syncTimeout = 2 * time.Minute

// OnDemand is a manager that starts the controller of a kind once there is a resource of the kind. Until then, the
// controller has no workers, and watches nothing that its resources may refer to: a kind that nobody uses costs no more
// than an empty list.
type OnDemand struct {
	ctrl.Manager

	// Resource is an empty resource of the kind.
	Resource client.Object
}

// Add adds a controller.
func (m OnDemand) Add(r ctrlmanager.Runnable) error {
	return m.Manager.Add(&onDemand{
		Runnable: r, cache: m.GetCache(), resource: m.Resource,
		timeout: cmp.Or(m.GetControllerOptions().CacheSyncTimeout, syncTimeout),
	})
}

// An onDemand controller starts once there is a resource.
type onDemand struct {
	ctrlmanager.Runnable

	cache    cache.Informers
	resource client.Object
	timeout  time.Duration
}

// NeedLeaderElection returns what the controller needs, true by default.
func (d *onDemand) NeedLeaderElection() bool {
	e, ok := d.Runnable.(ctrlmanager.LeaderElectionRunnable)
	return !ok || e.NeedLeaderElection()
}

// Start waits for a resource, and runs the controller until the context is done. It returns an error if resources of
// the kind cannot be listed in time, or if the controller does.
func (d *onDemand) Start(ctx context.Context) error {
	found, err := d.await(ctx)
	if err != nil || !found {
		return err
	}
	return d.Runnable.Start(ctx)
}

// await waits until the cache has a resource of the kind. It returns false if the context is done before.
func (d *onDemand) await(ctx context.Context) (bool, error) {
	listing, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	informer, err := d.cache.GetInformer(listing, d.resource)
	if ctx.Err() != nil {
		return false, nil
	}
	if err != nil {
		return false, errors.Wrapf(err, "cannot list resources of type %T", d.resource)
	}
	added := make(chan struct{})
	once := sync.OnceFunc(func() { close(added) })
	registered, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { once() }})
	if err != nil {
		return false, errors.Wrapf(err, "cannot watch resources of type %T", d.resource)
	}
	select {
	case <-ctx.Done():
		return false, nil
	case <-added:
		return true, errors.Wrapf(informer.RemoveEventHandler(registered), "cannot stop watching resources of type %T",
			d.resource)
	}
}

// Stop stops a manager with an error, by adding a runnable that fails. If the manager does not
// accept one, it is stopping already. It is for controllers that are set up while the manager
// runs and have no caller to return an error to.
func Stop(mgr ctrl.Manager, err error) {
	_ = mgr.Add(ctrlmanager.RunnableFunc(func(context.Context) error { return err }))
}
