package engine

import (
	"cmp"
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The runtime is crossplane-runtime's managed reconciler. Each reconcile has one of its own, which costs microseconds,
// so that all of its hooks belong to one pass, and nothing has to travel in contexts. It knows fewer states than a
// resource of this provider has. These are all the things that it is told for that reason:
//
//   - The external resource is absent, to have the remainder of a failed creation deleted and created again.
//   - It is present and up to date, to wait for AWS or for something else, and in plan mode.
//   - It is absent and up to date, if the policies forbid its creation: otherwise the runtime would update it.
//   - There is an error, to drop whatever a reconcile has found that ends with a LaterError: its status, its events and
//     its entries of the change log are dropped here. A status with Effects.Keep is stored if AWS has throttled a call.
//   - The finalizer was added, while it is in memory only: it is written together with the pending creation.
//   - A resource has no deletion timestamp, while its references are resolved: the resolvers that angryjet generates
//     skip resources that are being deleted.
//   - The management policies are Observe, in plan mode (planned.go).
//   - A creation grace period of 0 and a deterministic name: the kinds find lost creations, and know what AWS does not
//     show yet (visibility.go).
//   - A Get returns what the reconcile has read, and the status that it writes is completed (kube.View).
//
// Late initialization and the default external name are not used.

// runtime returns the runtime's reconciler of a pass.
func (p *pass) runtime(ctx context.Context) ctrlreconcile.Reconciler {
	p.view = p.kube.View(p.read, p.completeStatus)
	p.annotations = p.view
	opts := []managed.ReconcilerOption{
		managed.WithTypedExternalConnector(p.connector()),
		managed.WithLogger(traced(ctx, p.runtimeLog)),
		managed.WithRecorder(&passRecorder{Recorder: p.recorder, pass: p}),
		managed.WithTimeout(timeout),
		managed.WithPollInterval(p.poll().Interval),
		managed.WithMinPollInterval(p.poll().Effective(p.poll().Min)),
		managed.WithCreationGracePeriod(0),
		managed.WithDeterministicExternalName(true),
		managed.WithInitializers(),
		managed.WithFinalizer(resource.FinalizerFns{
			AddFinalizerFn: p.addFinalizer, RemoveFinalizerFn: p.removeFinalizer,
		}),
		managed.WithCriticalAnnotationUpdater(p.kube),
		managed.WithReferenceResolver(managed.ReferenceResolverFn(func(ctx context.Context, mg resource.Managed) error {
			return p.resolveReferences(ctx, mg.(reconcile.Managed)) //nolint:forcetypeassert // The runtime gets nothing else.
		})),
	}
	if p.policies {
		opts = append(opts, managed.WithManagementPolicies())
	}
	if p.changeLog != nil {
		opts = append(opts, managed.WithChangeLogger(&changeLogger{inner: p.changeLog, pass: p}))
	}
	return managed.NewReconciler(&decorated{Manager: p.manager, client: p.view}, resource.ManagedKind(p.kind.GVK),
		opts...)
}

// decorated is a manager with the client of a pass.
type decorated struct {
	ctrl.Manager

	client client.Client
}

// GetClient returns the client of a pass.
func (d *decorated) GetClient() client.Client { return d.client }

// connector returns the functions by which the runtime observes and changes the external resource.
func (p *pass) connector() managed.TypedExternalConnector[reconcile.Managed] {
	c := managed.TypedExternalClientFns[reconcile.Managed]{
		ObserveFn: func(ctx context.Context, mg reconcile.Managed) (managed.ExternalObservation, error) {
			if err := p.observe(ctx, mg); err != nil {
				return managed.ExternalObservation{}, err
			}
			return ObservationFor(mg, p.out), nil
		},
		CreateFn: func(ctx context.Context, mg reconcile.Managed) (managed.ExternalCreation, error) {
			err := p.act(ctx, mg)
			return managed.ExternalCreation{ConnectionDetails: p.result.Details}, err
		},
		UpdateFn: func(ctx context.Context, mg reconcile.Managed) (managed.ExternalUpdate, error) {
			err := p.act(ctx, mg)
			return managed.ExternalUpdate{ConnectionDetails: p.result.Details}, err
		},
		DeleteFn: func(ctx context.Context, mg reconcile.Managed) (managed.ExternalDelete, error) {
			return managed.ExternalDelete{}, p.remove(ctx, mg)
		},
		DisconnectFn: func(context.Context) error { return nil }, // Connections are shared and outlive a reconcile.
	}
	return managed.TypedExternalConnectorFn[reconcile.Managed](func(
		ctx context.Context, mg reconcile.Managed,
	) (managed.TypedExternalClient[reconcile.Managed], error) {
		return c, p.connect(ctx, mg)
	})
}

// ObservationFor returns what the runtime is told, so that it makes the call that is due and no other.
func ObservationFor(mg resource.Managed, out reconcile.Outcome) managed.ExternalObservation {
	o := managed.ExternalObservation{ResourceExists: out.Exists, ResourceUpToDate: true, ConnectionDetails: out.Details}
	if out.State != reconcile.Undecided && out.Exists {
		o.Diff = out.Changes.String()
	}
	switch {
	case out.Call != nil:
		o.ResourceExists, o.ResourceUpToDate = out.Call.Verb != reconcile.ToCreate, false
	case !out.Exists:
		o.ResourceUpToDate = !meta.WasDeleted(mg) && !reconcile.ObserveOnly(mg)
	}
	return o
}

// A passRecorder emits the events of one reconcile.
type passRecorder struct {
	event.Recorder

	pass *pass
}

// WithAnnotations returns a recorder that annotates its events.
func (r *passRecorder) WithAnnotations(keysAndValues ...string) event.Recorder {
	return &passRecorder{Recorder: r.Recorder.WithAnnotations(keysAndValues...), pass: r.pass}
}

// Event emits an event, unless the reconcile leaves no trace.
func (r *passRecorder) Event(obj runtime.Object, e event.Event) {
	p := r.pass
	if p.leavesNoTrace() || e.Reason == v1beta1.EventDeleted && p.did == reconcile.ToConfirm ||
		e.Reason == v1beta1.EventUpdated && p.result.Quiet {
		return
	}
	if did := e.Reason == v1beta1.EventCreated || e.Reason == v1beta1.EventUpdated ||
		e.Reason == v1beta1.EventDeleted; did && p.does != "" {
		e.Message = p.does
	}
	if mg, ok := obj.(resource.Managed); ok && e.Type == event.TypeWarning {
		e.Message = cmp.Or(p.missing(mg), e.Message)
	}
	if mg, ok := obj.(resource.Conditioned); ok && p.awaits && e.Type == event.TypeWarning && reconcile.NotCreated(mg) {
		e.Type, e.Reason = event.TypeNormal, v1beta1.EventWaitingForReference
	}
	if e.Type == event.TypeWarning && (ownership.IsForeign(p.returned) || tenancy.IsRefused(p.returned)) {
		e.Reason = v1beta1.EventAlreadyOwned
	}
	r.Recorder.Event(obj, e)
}

// addFinalizer adds the finalizer to a resource, unless it has it. It does so in memory only if the runtime is about to
// record a pending creation, which writes both.
func (p *pass) addFinalizer(ctx context.Context, obj resource.Object) error {
	if p.creates {
		meta.AddFinalizer(obj, managed.FinalizerName)
		return nil
	}
	return p.view.AddFinalizer(ctx, obj)
}

// removeFinalizer removes the finalizer of a resource after its external resource was deleted or orphaned, and after
// that the record that the resource uses its config: if the finalizer cannot be removed, the resource still needs its
// config, which a namespace that is being deleted would lose for good.
func (p *pass) removeFinalizer(ctx context.Context, obj resource.Object) error {
	if err := p.view.RemoveFinalizer(ctx, obj); err != nil {
		return err
	}
	if meta.WasDeleted(obj) {
		p.Metrics.RecordDeletion(p.kind.GVK.String(), p.Now().Sub(obj.GetDeletionTimestamp().Time))
	}
	return p.Tracker.Untrack(ctx, obj.(reconcile.Managed)) //nolint:forcetypeassert // The runtime gets nothing else.
}

// changeLogger forwards change log entries of one reconcile. It removes what must not be logged, and drops entries of
// reconciles that leave no trace and of deletions that wait.
type changeLogger struct {
	inner managed.ChangeLogger
	pass  *pass
}

// Log logs a change that was made or has failed.
func (l *changeLogger) Log(
	ctx context.Context, mg resource.Managed, op v1alpha1.OperationType, changeErr error, ad managed.AdditionalDetails,
) error {
	if l.pass.leavesNoTrace() || l.pass.did == reconcile.ToConfirm {
		return nil
	}
	shown := reconcile.CopyOf(mg.(reconcile.Managed)) //nolint:forcetypeassert // The runtime gets nothing else.
	hideCopies(shown)
	shown.SetManagedFields(nil)
	if l.pass.kind.Redact != nil {
		l.pass.kind.Redact(shown)
	}
	return l.inner.Log(ctx, shown, op, changeErr, ad)
}

// hideCopies removes annotations that contain what Redact removes from the spec: kubectl's copy of the manifest, and
// what a create asked for.
func hideCopies(mg resource.Managed) {
	a := mg.GetAnnotations()
	delete(a, corev1.LastAppliedConfigAnnotation)
	delete(a, v1beta1.AnnotationAsked)
	mg.SetAnnotations(a)
}
