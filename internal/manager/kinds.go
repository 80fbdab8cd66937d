package manager

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpcontroller "github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

// kinds are the kinds whose controllers are set up, and control sets one up.
var (
	kinds   = controller.Kinds
	control = engine.Control
)

// setupKinds adds the controller of each kind: if there is a gate, as soon as the cluster has the kind and the
// ProviderConfig kinds that it refers to.
func setupKinds(mgr ctrl.Manager, o engine.Options) error {
	for gvk, define := range kinds {
		add := func() error {
			return errors.Wrapf(control(mgr, o, define(mgr, o)), "cannot set up the controller of %s", gvk.Kind)
		}
		if o.Gate == nil {
			if err := add(); err != nil {
				return err
			}
			continue
		}
		o.Gate.Register(func() {
			if err := add(); err != nil {
				watch.Stop(mgr, err)
			}
		}, gvk, v1beta1.ProviderConfigGroupVersionKind, v1beta1.ClusterProviderConfigGroupVersionKind,
			v1beta1.ProviderConfigUsageGroupVersionKind)
	}
	return nil
}

const (
	// servedTimeout is the maximum time between the establishment of a kind and its appearance in discovery.
	servedTimeout = 2 * time.Minute

	// servedInterval is the time between two checks of whether a kind is served.
	servedInterval = 250 * time.Millisecond
)

// A servedGate calls what waits for kinds once the API server serves them. The API server marks a kind established a
// moment before it lists it in discovery, and several API servers do not list it at the same time: a controller that
// is set up in between does not find its kind.
type servedGate struct {
	xpcontroller.Gate

	mapper kmeta.RESTMapper
	log    logr.Logger
}

// Register calls a function in a goroutine of its own once all of the kinds are served.
func (g *servedGate) Register(f func(), gvks ...schema.GroupVersionKind) {
	g.Gate.Register(func() {
		for _, gvk := range gvks {
			if err := g.await(gvk); err != nil {
				g.log.Error(err, "Setting up what needs a kind that the API server does not list", "kind", gvk.String())
			}
		}
		f()
	}, gvks...)
}

func (g *servedGate) await(gvk schema.GroupVersionKind) error {
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), servedInterval, servedTimeout, true,
		func(context.Context) (bool, error) {
			_, last = g.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
			return last == nil, nil
		})
	if err != nil {
		return errors.Wrapf(last, "not served after %s", servedTimeout)
	}
	return nil
}

const (
	// rightsPatience is the time for which a provider waits for its rights. Crossplane's RBAC manager grants them at
	// about the time when the provider starts.
	rightsPatience = time.Minute

	// rightsInterval is the time between two checks of whether the rights are granted.
	rightsInterval = 500 * time.Millisecond
)

// awaitRights waits until the provider may list its own kinds, in one of its namespaces or, if it has none, in all.
// The same role grants the other rights. It does not wait forever, since not all kinds have to be granted.
func awaitRights(ctx context.Context, c client.Writer, namespaces []string, log logr.Logger) error {
	namespace := ""
	if len(namespaces) > 0 {
		namespace = namespaces[0]
	}
	logged := false
	err := wait.PollUntilContextTimeout(ctx, rightsInterval, rightsPatience, true,
		func(ctx context.Context) (bool, error) {
			ok, err := kube.May(ctx, c, schema.GroupResource{Group: v1beta1.Group, Resource: "functions"}, namespace,
				"list")
			if !ok && err == nil && !logged {
				logged = true
				log.Info("Waiting until the provider may list its own kinds, which Crossplane's RBAC manager grants")
			}
			return ok, err
		})
	if wait.Interrupted(err) && ctx.Err() == nil {
		log.Info("The provider may still not list Functions; it goes on with what it may do")
		return nil
	}
	return errors.Wrap(err, "cannot wait for the provider's rights")
}

// mayWatchDefinitions reports whether the provider may watch CustomResourceDefinitions, which it needs to wait for
// them. Crossplane grants it with the capability safe-start.
func mayWatchDefinitions(ctx context.Context, c client.Client) (bool, error) {
	return kube.May(ctx, c, schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
		"", "get", "list", "watch")
}
