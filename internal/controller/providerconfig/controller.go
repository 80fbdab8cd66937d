// Package providerconfig looks after ProviderConfigs and ClusterProviderConfigs:
// it counts the resources that use them, keeps them and their Secrets while they
// are in use, and shows which AWS account and identity they stand for.
package providerconfig

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	runtime "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
)

// An Identifier tells whom AWS takes a config for. *config.Resolver is one.
type Identifier interface {
	// Identify a config.
	Identify(ctx context.Context, config client.Object) (config.Identity, error)

	// Forget what is cached of a config that is gone.
	Forget(uid types.UID)
}

// Options of the controllers.
type Options struct {
	// Options of crossplane-runtime.
	controller.Options

	// Resolver of configs, the one that the resources' controllers use.
	Resolver Identifier

	// Accounts tells what accounts use of Lambda. Nil shows none of it.
	Accounts *account.Limits

	// Breakers tell where AWS does not answer. Nil shows none of it.
	Breakers *breaker.Breakers

	// Now is the clock.
	Now func() time.Time
}

// Setup adds the controllers of both kinds of config to a manager.
func Setup(mgr ctrl.Manager, o Options) error {
	if err := setup(mgr, o, namespacedKind); err != nil {
		return err
	}
	return setup(mgr, o, clusterKind)
}

// SetupGated adds the controllers once the cluster has their kinds.
func SetupGated(mgr ctrl.Manager, o Options) error {
	o.Gate.Register(func() {
		if err := Setup(mgr, o); err != nil {
			managed.Stop(mgr, errors.Wrap(err, "cannot set up the controllers of provider configs"))
		}
	}, v1beta1.ProviderConfigGroupVersionKind, v1beta1.ClusterProviderConfigGroupVersionKind, v1beta1.ProviderConfigUsageGroupVersionKind)
	return nil
}

// A kind of config.
type kind struct {
	gvk     schema.GroupVersionKind
	new     func() providerConfig
	newList func() client.ObjectList
	items   func(client.ObjectList) []client.Object
}

var namespacedKind = kind{
	gvk:     v1beta1.ProviderConfigGroupVersionKind,
	new:     func() providerConfig { return &v1beta1.ProviderConfig{} },
	newList: func() client.ObjectList { return &v1beta1.ProviderConfigList{} },
	items: func(l client.ObjectList) []client.Object {
		configs, ok := l.(*v1beta1.ProviderConfigList)
		if !ok {
			return nil
		}
		return pointers[v1beta1.ProviderConfig](configs.Items)
	},
}

var clusterKind = kind{
	gvk:     v1beta1.ClusterProviderConfigGroupVersionKind,
	new:     func() providerConfig { return &v1beta1.ClusterProviderConfig{} },
	newList: func() client.ObjectList { return &v1beta1.ClusterProviderConfigList{} },
	items: func(l client.ObjectList) []client.Object {
		configs, ok := l.(*v1beta1.ClusterProviderConfigList)
		if !ok {
			return nil
		}
		return pointers[v1beta1.ClusterProviderConfig](configs.Items)
	},
}

func pointers[T any, P interface {
	*T
	client.Object
}](items []T) []client.Object {
	objs := make([]client.Object, len(items))
	for i := range items {
		objs[i] = P(&items[i])
	}
	return objs
}

func setup(mgr ctrl.Manager, o Options, k kind) error {
	name := runtime.ControllerName(k.gvk.GroupKind().String())
	r := &Reconciler{
		kind:     k,
		kube:     mgr.GetClient(),
		resolver: o.Resolver,
		accounts: o.Accounts,
		breakers: o.Breakers,
		record:   event.NewAPIRecorder(mgr.GetEventRecorderFor(name), o.EventFilterFunctions...),
		log:      o.Logger.WithValues("controller", name),
		now:      o.Now,
	}
	err := ctrl.NewControllerManagedBy(mgr).
		Named(name).
		WithOptions(o.ForControllerRuntime()).
		For(k.new(), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.ProviderConfigUsage{}, usageHandler{kind: k.gvk.Kind}).
		WatchesMetadata(secretMetadata(), handler.EnqueueRequestsFromMapFunc(r.usersOfSecret)).
		WatchesRawSource(r.watchBreakers()).
		Complete(r)
	return errors.Wrapf(err, "cannot add the controller of %s", k.gvk.Kind)
}
