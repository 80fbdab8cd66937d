// Package providerconfig reconciles ProviderConfigs and ClusterProviderConfigs: it counts the
// resources that use them, protects them and their Secrets from deletion while they are in use, and
// shows their AWS account and identity in status.
package providerconfig

import (
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpproviderconfig "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

// Options configures the controllers.
type Options struct {
	// Options are crossplane-runtime's options.
	controller.Options

	// Resolver is the one that the resources' controllers use.
	Resolver Identifier

	// Shard selects the configs that this process reconciles, by their own labels.
	Shard sharding.Shard

	// Resources reads the managed resources of all shards.
	Resources client.Reader

	// Accounts has the usage of accounts that status shows.
	Accounts *account.Limits

	// Breakers has the regions in which AWS does not answer.
	Breakers *breaker.Breakers

	// Events receives drift events.
	Events DriftEvents

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
			watch.Stop(mgr, errors.Wrap(err, "cannot set up the controllers of provider configs"))
		}
	}, v1beta1.ProviderConfigGroupVersionKind, v1beta1.ClusterProviderConfigGroupVersionKind,
		v1beta1.ProviderConfigUsageGroupVersionKind)
	return nil
}

// setup adds the controller of a kind to a manager.
func setup(mgr ctrl.Manager, o Options, k kind) error {
	name := xpproviderconfig.ControllerName(k.gvk.GroupKind().String())
	r := &Reconciler{
		kind:     k,
		kube:     mgr.GetClient(),
		shard:    o.Shard,
		managed:  o.Resources,
		resolver: o.Resolver,
		accounts: o.Accounts,
		breakers: o.Breakers,
		inFlight: engine.NewInFlight(o.MaxConcurrentReconciles),
		events:   o.Events,
		record:   event.NewAPIRecorder(mgr.GetEventRecorderFor(name), o.EventFilterFunctions...),
		log:      o.Logger.WithValues("controller", name),
		now:      o.Now,
	}
	err := ctrl.NewControllerManagedBy(mgr).
		Named(name).
		WithOptions(watch.ParkWorkers(o.ForControllerRuntime(), mgr.GetLogger())).
		For(k.new(), builder.WithPredicates(configChanged(o.Shard))).
		Watches(&v1beta1.ProviderConfigUsage{}, usageHandler(k.gvk.Kind), builder.WithPredicates(usageChanged())).
		WatchesMetadata(secretMetadata(), handler.EnqueueRequestsFromMapFunc(r.usersOfSecret)).
		WatchesRawSource(source.Channel(r.stateChanges(), handler.EnqueueRequestsFromMapFunc(r.withUID))).
		Complete(r)
	return errors.Wrapf(err, "cannot add the controller of %s", k.gvk.Kind)
}
