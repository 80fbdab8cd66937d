package providerconfig

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

const (
	// Finalizer keeps a config while it is in use. It is crossplane-runtime's.
	Finalizer = "in-use.crossplane.io"

	timeout = time.Minute
	// checkEvery is the interval between checks of the credentials of a config. A check calls AWS only when they are
	// due for renewal.
	checkEvery = 5 * time.Minute
	// retryEvery is the same for a config that does not work.
	retryEvery = 30 * time.Second
	// crowdedWait is the wait of a config whose namespace has its share of the workers already.
	crowdedWait = 2 * time.Second
	// recheckUsages is the interval between checks of usages that are being deleted.
	recheckUsages = 5 * time.Second
)

// A providerConfig is a config of either kind.
type providerConfig interface {
	resource.ProviderConfig
	GetConfigStatus() *v1beta1.ProviderConfigStatus
}

// A Reconciler reconciles the configs of one kind. It replaces crossplane-runtime's, and writes only what has changed.
type Reconciler struct {
	kind     kind
	kube     client.Client
	shard    sharding.Shard
	managed  client.Reader
	resolver Identifier
	accounts *account.Limits
	breakers *breaker.Breakers
	inFlight *engine.InFlight
	events   DriftEvents
	record   event.Recorder
	log      logging.Logger
	now      func() time.Time

	// notifiedSecrets has the UIDs of Secrets for which an event says that they are kept.
	notifiedSecrets sync.Map
}

// An Identifier authenticates configs. *config.Resolver is one.
type Identifier interface {
	// Identify returns the AWS identity of a config.
	Identify(ctx context.Context, config client.Object) (session.Identity, error)

	// Denies reports whether a resource must not use the config that it names, or a function.
	Denies(ctx context.Context, mg resource.ModernManaged, function string) bool

	// Forget drops what is cached of a config that is deleted.
	Forget(uid types.UID)
}

// DriftEvents receives events for configs. *driftevents.Hub does.
type DriftEvents interface {
	// Set begins to receive for a config, or stops if it names no queue.
	Set(config client.Object)

	// Forget stops to receive for a config that is deleted.
	Forget(uid types.UID)

	// State returns the state of a config's queue, and false if it names none.
	State(uid types.UID) (driftevents.State, bool)

	// Watch adds a function that is called with the UID of each config whose State changes.
	Watch(changed func(uid types.UID))
}

// A kind is ProviderConfig or ClusterProviderConfig.
type kind struct {
	gvk    schema.GroupVersionKind
	config providerConfig
	list   client.ObjectList
}

var (
	namespacedKind = kind{
		v1beta1.ProviderConfigGroupVersionKind, &v1beta1.ProviderConfig{},
		&v1beta1.ProviderConfigList{},
	}
	clusterKind = kind{
		v1beta1.ClusterProviderConfigGroupVersionKind, &v1beta1.ClusterProviderConfig{},
		&v1beta1.ClusterProviderConfigList{},
	}
)

// new returns an empty config of the kind.
func (k kind) new() providerConfig { return deepCopy(k.config) }

// write updates the status if it has changed, and reports whether it did.
func (r *Reconciler) write(ctx context.Context, before, c providerConfig) (bool, error) {
	if equality.Semantic.DeepEqual(before.GetConfigStatus(), c.GetConfigStatus()) {
		return false, nil
	}
	err := r.kube.Status().Update(ctx, c)
	return err == nil, errors.Wrap(client.IgnoreNotFound(err), "cannot write the status")
}

// earlier returns the earlier of two times, of which 0 means never.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// deepCopy returns a copy of an object or a list.
func deepCopy[T runtime.Object](o T) T {
	c, _ := o.DeepCopyObject().(T) // A copy has the type of its original.
	return c
}

// patchFrom returns a patch from an earlier state, which fails if something else has changed the object since.
func patchFrom(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}
