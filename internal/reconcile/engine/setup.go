package engine

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

// timeout is the time limit of the AWS calls of one reconcile.
const timeout = time.Minute

// Control adds the controller of a kind, whose types are registered in the manager's scheme, to the manager.
func Control(mgr ctrl.Manager, o Options, k reconcile.UntypedKind) error {
	k = reconcile.WithTypes(k, mgr.GetClient().Scheme())
	name := managed.ControllerName(k.GVK.GroupKind().String())
	r := newReconciler(mgr, o, k,
		event.NewAPIRecorder(
			mgr.GetEventRecorderFor(name))) //nolint:staticcheck // Crossplane grants no rights on events.k8s.io.

	if err := reporting.AddStateMetrics(mgr, o.Options, o.Metrics, o.Now, k); err != nil {
		return errors.Wrapf(err, "cannot add state metrics of %s", k.GVK.Kind)
	}

	if err := r.handover.Watch(context.Background(), mgr.GetCache(), k.New()); err != nil {
		return errors.Wrapf(err, "cannot watch which %s other shards hand over", k.GVK.Kind)
	}
	co := watch.ParkWorkers(o.ForControllerRuntime(), mgr.GetLogger())
	b := ctrl.NewControllerManagedBy(watch.OnDemand{Manager: mgr, Resource: k.New()}).
		Named(name).
		WithOptions(co).
		For(k.New(), builder.WithPredicates(r.handover.Arrivals(), watch.DesiredStateChanged())).
		WatchesRawSource(&r.queue)
	if err := watch.Configs(mgr, k, b, r.states.ResetBackoff); err != nil {
		return errors.Wrapf(err, "cannot watch the provider configs of %s", k.GVK.Kind)
	}
	if err := watch.Events(mgr, o.Events, o.poll(), o.Now, k, &r.queue, r.states); err != nil {
		return errors.Wrapf(err, "cannot index %s for drift events", k.GVK.Kind)
	}
	if k.Refs != nil || k.Fields != nil {
		if err := watch.Objects(mgr, o.Objects, k, b, r.states.MarkChanged); err != nil {
			return errors.Wrapf(err, "cannot watch the Secrets and ConfigMaps of %s", k.GVK.Kind)
		}
	}
	if k.Fields != nil {
		watch.Fields(k, o.Fields, b, r.states.MarkChanged)
	}
	if k.References != nil {
		if err := watch.IndexReferences(mgr, k); err != nil {
			return errors.Wrapf(err, "cannot index the references of %s", k.GVK.Kind)
		}
	}
	if k.Owns != nil {
		if err := o.All(mgr).GetFieldIndexer().IndexField(context.Background(), k.New(), tenancy.Index,
			tenancy.IndexedBy); err != nil {
			return errors.Wrapf(err, "cannot index what a %s owns", k.GVK.Kind)
		}
	}
	c, err := b.Build(r)
	if err != nil {
		return errors.Wrapf(err, "cannot add the controller of %s", k.GVK.Kind)
	}
	return watch.References(mgr, o.All(mgr).GetCache(), o.Gate, k, c, r.states.MarkChanged)
}

// NewReconciler returns the reconciler that Control gives to a kind's controller, for callers
// that schedule reconciles themselves. It uses the manager's clients and scheme.
func NewReconciler(
	mgr ctrl.Manager, o Options, k reconcile.UntypedKind, events event.Recorder,
) ctrlreconcile.Reconciler {
	return newReconciler(mgr, o, reconcile.WithTypes(k, mgr.GetClient().Scheme()), events)
}

func newReconciler(
	mgr ctrl.Manager, o Options, k reconcile.UntypedKind, events event.Recorder,
) *reconciler {
	s := memory.New()
	kc := kube.New(mgr.GetClient(), mgr.GetAPIReader(), k.New())
	kc.Select(o.Shard.Selector())
	if o.Tracer == nil {
		o.Tracer = noop.NewTracerProvider().Tracer("")
	}
	log := o.Logger.WithValues("kind", k.GVK.Kind)
	r := &reconciler{
		Options:    o,
		kind:       k,
		manager:    mgr,
		kube:       kc,
		recorder:   reporting.NewRecorder(events, log, o.Now, o.EventFilterFunctions...),
		states:     s,
		inFlight:   NewInFlight(o.MaxConcurrentReconciles),
		references: &references{kind: k, reader: resourcesOf(o, mgr, kc), tenants: o.Tenants, objects: o.Objects},
		handover:   watch.NewHandover(o.Shard, timeout, o.Now),
		policies:   o.Features.Enabled(feature.EnableBetaManagementPolicies),
		log:        log,
		runtimeLog: o.Logger.WithValues("controller", strings.ToLower(k.GVK.Kind)),
	}
	if o.ChangeLogOptions != nil {
		r.changeLog = o.ChangeLogOptions.ChangeLogger
	}
	o.Metrics.AddKind(k.GVK.Kind, s.CountDrifting)
	return r
}

// resourcesOf returns a reader of the resources that others may refer to: the client of the kind, or
// that of all shards.
func resourcesOf(o Options, mgr ctrl.Manager, kc client.Client) client.Client {
	if o.AllShards == nil {
		return kc
	}
	return o.All(mgr).GetClient()
}
