package reconcile

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
)

const defaultTimeout = time.Minute

// Setup adds the controller of a kind to a manager.
func Setup[T Managed](mgr ctrl.Manager, o Options, k Kind[T]) error {
	if o.Steppers != nil {
		o.Steppers(k.GVK, newStepper(mgr.GetClient(), o, k))
		return nil
	}
	name := managed.ControllerName(k.GVK.GroupKind().String())
	r := newReconciler(mgr, o, k, event.NewAPIRecorder(mgr.GetEventRecorderFor(name))) //nolint:staticcheck // Crossplane grants no rights on events.k8s.io.

	if err := addStateMetrics(mgr, o, k); err != nil {
		return errors.Wrapf(err, "cannot add state metrics of %s", k.GVK.Kind)
	}

	if err := r.handover.watch(context.Background(), mgr.GetCache(), k.New()); err != nil {
		return errors.Wrapf(err, "cannot watch which %s other shards hand over", k.GVK.Kind)
	}
	co := ParkWorkers(o.ForControllerRuntime(), mgr.GetLogger())
	b := ctrl.NewControllerManagedBy(onDemand{Manager: mgr, resource: k.New()}).
		Named(name).
		WithOptions(co).
		For(k.New(), builder.WithPredicates(r.handover.arrivals(), desiredStateChanged()))
	if err := watchConfigs(mgr, k, b, r.states.resetBackoff); err != nil {
		return errors.Wrapf(err, "cannot watch the provider configs of %s", k.GVK.Kind)
	}
	if err := watchEvents(mgr, o, k, b, r.states); err != nil {
		return errors.Wrapf(err, "cannot index %s for drift events", k.GVK.Kind)
	}
	if k.Refs != nil || k.Fields != nil {
		if err := watchRefs(mgr, o, k, b, r.states.markChanged); err != nil {
			return errors.Wrapf(err, "cannot watch the Secrets and ConfigMaps of %s", k.GVK.Kind)
		}
	}
	if k.Fields != nil {
		watchFields(k, o.Fields, b, r.states.markChanged)
	}
	if k.References != nil {
		if err := indexReferences(mgr, k); err != nil {
			return errors.Wrapf(err, "cannot index the references of %s", k.GVK.Kind)
		}
	}
	if k.Listed != nil {
		r.queue.watch(b)
	}
	if tenancy.Owns(k.New()) {
		if err := o.All(mgr).GetFieldIndexer().IndexField(context.Background(), k.New(), tenancy.Index, tenancy.IndexedBy); err != nil {
			return errors.Wrapf(err, "cannot index what a %s owns", k.GVK.Kind)
		}
	}
	c, err := b.Build(r.withTracing(o.Tracer))
	if err != nil {
		return errors.Wrapf(err, "cannot add the controller of %s", k.GVK.Kind)
	}
	return watchReferents(mgr, o, k, c, r.states.markChanged)
}

// NewReconciler returns the reconciler that Setup gives to a kind's controller, for callers
// that schedule reconciles themselves. It uses the manager's clients and scheme.
func NewReconciler[T Managed](mgr ctrl.Manager, o Options, k Kind[T], events event.Recorder) reconcile.Reconciler {
	return newReconciler(mgr, o, k, events)
}

// newReconciler wraps the runtime's managed reconciler in a reconciler.
func newReconciler[T Managed](mgr ctrl.Manager, o Options, k Kind[T], events event.Recorder) *reconciler[T] {
	s := newStateStore()
	kc := kube.New(mgr.GetClient(), mgr.GetAPIReader(), k.New(), completeStatus(s, o.Now, o.StatusDelay))
	kc.Select(o.Shard.Selector())
	if k.RecordsIntent {
		kc.JoinIntents()
	}
	r := newRecorder(events, o.Now, o.EventFilterFunctions...)
	ids := &traces{}
	if o.Tracer != nil {
		o.Logger = &tracedLogger{Logger: o.Logger, traces: ids}
	}
	g := &reconciler[T]{
		kind:     k,
		kube:     kc,
		limiter:  o.Limiter,
		resolver: o.Resolver,
		recorder: r,
		states:   s,
		traces:   ids,
		fields:   o.Fields,
		tenants:  o.Tenants,
		poll:     o.poll(),
		metrics:  o.Metrics,
		inFlight: newInFlight(o.MaxConcurrentReconciles),
		breakers: o.Breakers,
		events:   o.Events,
		lists:    o.Lists,
		shard:    o.Shard,
		handover: newHandover(o),
		timeout:  o.timeout(),
		policies: o.Features.Enabled(feature.EnableBetaManagementPolicies),
		delay:    o.StatusDelay,
		now:      o.Now,
		random:   o.Random,
		log:      o.Logger.WithValues("kind", k.GVK.Kind),
	}
	g.referral = &referral[T]{kind: k, references: &references[T]{kind: k, reader: resourcesOf(o, mgr, kc), tenants: o.Tenants}, objects: o.Objects}
	g.inner = newManagedReconciler(mgr, o, k, kc, r, g.referral)
	o.Metrics.addKind(k.GVK.Kind, s.countDrifting)
	return g
}

// resourcesOf returns a reader of the resources that others may refer to: the client of the kind, or
// that of all shards.
func resourcesOf(o Options, mgr ctrl.Manager, kc client.Client) client.Client {
	if o.AllShards == nil {
		return kc
	}
	return o.All(mgr).GetClient()
}

// withTracing returns the reconciler, wrapped in a tracer of each reconcile if there is a
// tracer.
func (r *reconciler[T]) withTracing(t trace.Tracer) reconcile.Reconciler {
	if t == nil {
		return r
	}
	return &tracedReconciler{inner: r, tracer: t, kind: r.kind.GVK.Kind, traces: r.traces}
}

// newManagedReconciler returns the runtime's reconciler with these changes: it uses the
// decorated client, writes finalizers and annotations as patches of metadata alone, has a
// minimum poll interval, and never sets a default external name.
func newManagedReconciler[T Managed](mgr ctrl.Manager, o Options, k Kind[T], kc *kube.Client, r *recorder, referral *referral[T]) reconcile.Reconciler {
	policies := o.Features.Enabled(feature.EnableBetaManagementPolicies)
	c := &connector[T]{kind: k, tracker: o.Tracker, references: referral.references, referral: referral, tenants: o.Tenants, policies: policies, tracer: o.Tracer, planner: o.Planner, brake: newBrake(o, k), events: r}
	if c.tracer == nil {
		c.tracer = noop.NewTracerProvider().Tracer("")
	}
	opts := []managed.ReconcilerOption{
		managed.WithTypedExternalConnector[T](c),
		managed.WithLogger(o.Logger.WithValues("controller", strings.ToLower(k.GVK.Kind))),
		managed.WithRecorder(r),
		managed.WithTimeout(o.timeout()),
		managed.WithPollInterval(o.PollInterval),
		managed.WithMinPollInterval(o.poll().Effective(o.MinPollInterval)),
		managed.WithCreationGracePeriod(0), // The kinds handle delayed visibility themselves.
		// Every kind finds what it created when the answer was lost, whether or not spec
		// determines the external name.
		managed.WithDeterministicExternalName(true),
		managed.WithInitializers(),
		managed.WithFinalizer(&finalizer{Finalizer: kube.NewFinalizer(kc, managed.FinalizerName), tracker: o.Tracker, deleted: func(mg resource.Object) {
			o.Metrics.recordDeletion(k.GVK.String(), o.Now().Sub(mg.GetDeletionTimestamp().Time))
		}}),
		managed.WithCriticalAnnotationUpdater(kc),
		managed.WithReferenceResolver(referral.references),
	}
	if policies {
		opts = append(opts, managed.WithManagementPolicies())
	}
	if o.ChangeLogOptions != nil && o.ChangeLogOptions.ChangeLogger != nil {
		opts = append(opts, managed.WithChangeLogger(&changeLogger[T]{inner: o.ChangeLogOptions.ChangeLogger, redact: k.Redact}))
	}
	return managed.NewReconciler(&decorated{Manager: mgr, client: kc}, resource.ManagedKind(k.GVK), opts...)
}

// decorated is a manager with the decorated client.
type decorated struct {
	ctrl.Manager

	client client.Client
}

// GetClient returns the decorated client.
func (d *decorated) GetClient() client.Client { return d.client }

// A finalizer adds the finalizer of a resource in memory only if the runtime is about to record
// a pending creation, which writes both. It removes the record that the resource uses its config
// before it removes the finalizer.
type finalizer struct {
	resource.Finalizer

	tracker Tracker
	deleted func(resource.Object)
}

// AddFinalizer adds the finalizer to a resource, unless it has it.
func (f *finalizer) AddFinalizer(ctx context.Context, obj resource.Object) error {
	if attemptFrom(ctx).creates {
		meta.AddFinalizer(obj, managed.FinalizerName)
		return nil
	}
	return f.Finalizer.AddFinalizer(ctx, obj)
}

// RemoveFinalizer removes the finalizer of a resource after its external resource was deleted
// or orphaned.
func (f *finalizer) RemoveFinalizer(ctx context.Context, obj resource.Object) error {
	if mg, ok := obj.(resource.ModernManaged); ok {
		if err := f.tracker.Untrack(ctx, mg); err != nil {
			return err
		}
	}
	err := f.Finalizer.RemoveFinalizer(ctx, obj)
	if err == nil && meta.WasDeleted(obj) {
		f.deleted(obj)
	}
	return err
}

// watchRefs enqueues a resource when a Secret or ConfigMap that it refers to changes. It only
// watches the metadata of Secrets and ConfigMaps.
func watchRefs[T Managed](mgr ctrl.Manager, o Options, k Kind[T], b *builder.TypedBuilder[reconcile.Request], markChanged func(name client.ObjectKey, by string)) error {
	err := mgr.GetFieldIndexer().IndexField(context.Background(), k.New(), refs.ObjectIndex, func(obj client.Object) []string {
		mg, ok := obj.(T)
		if !ok {
			return nil
		}
		return refs.ObjectKeys(objectsOf(k, mg))
	})
	if err != nil {
		return err
	}
	users := refs.Referrers{Resources: mgr.GetCache(), NewList: func() client.ObjectList { return k.NewList() }, Index: refs.ObjectIndex, Changed: markChanged}
	for _, kind := range kindsOf(k) {
		b.WatchesMetadata(refs.Metadata(kind), handler.EnqueueRequestsFromMapFunc(users.RequestsFor(kind, o.Objects.Forget)), builder.WithPredicates(refs.Changed()))
	}
	return nil
}
