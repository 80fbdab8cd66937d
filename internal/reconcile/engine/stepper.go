package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
)

// A Done is the result of one reconcile.
type Done struct {
	// Outcome is the result of the observation, with the effects of the call.
	reconcile.Outcome

	// Called is the call that was made or tried, empty if none was. Does describes it, and Quiet reports whether it has
	// no event.
	Called reconcile.Verb
	Does   string
	Quiet  bool

	// Gone reports whether the resource is being deleted, and nothing of it is left in AWS that it may delete, and
	// Converged whether nothing is left to do. Only a Stepper sets them.
	Gone, Converged bool

	// Later is not nil if the reconcile leaves no trace.
	Later *reconcile.LaterError

	// Awaits reports whether Err says that a referenced resource or object is missing.
	Awaits bool

	// Err is the error that the resource reports.
	Err error
}

// Adopted reports whether the resource has adopted the external resource.
func (d Done) Adopted() bool {
	return slices.ContainsFunc(d.Events, func(e event.Event) bool { return e.Reason == v1beta1.EventAdopted })
}

// Wait returns the delay before the next reconcile, if nothing was called.
func (d Done) Wait() time.Duration {
	if d.Later != nil {
		return max(d.After, d.Later.After)
	}
	return d.After
}

// Deferred reports whether the reconcile was ended because AWS may not be called again before Wait.
func (d Done) Deferred() bool { return d.Later != nil && (d.Later.Deferred || d.Later.Throttled) }

// A Stepper reconciles one resource of a kind step by step, without a manager, a quota or a write to the cluster: what
// a reconcile writes is set in memory. Together with a session that records calls instead of making them, it shows what
// the controller of the kind would do. It has the state that a kind keeps between reconciles, so it is for one
// resource, and for one step at a time.
type Stepper struct {
	reconcile.UntypedKind

	reconciler *reconciler
	calls      reconcile.Repeats
}

// NewStepper returns a Stepper of a kind, whose types are registered in the client's scheme. The client reads what
// specs refer to.
func NewStepper(kc client.Client, o Options, k reconcile.UntypedKind) *Stepper {
	k = reconcile.WithTypes(k, kc.Scheme())
	return &Stepper{UntypedKind: k, reconciler: &reconciler{
		Options: Options{Tenants: o.Tenants, Tracer: noop.NewTracerProvider().Tracer(""), Now: o.Now},
		kind:    k, states: memory.New(), policies: true,
		references: &references{kind: k, reader: kc, tenants: o.Tenants, objects: o.Objects},
		recorder:   reporting.NewRecorder(event.NewNopRecorder(), logging.NewNopLogger(), o.Now),
	}}
}

// Step does one reconcile, as the runtime's reconciler does it.
func (s *Stepper) Step(ctx context.Context, mg reconcile.Managed, sess *session.Session, now time.Time) Done {
	before := reconcile.CopyOf(mg)
	p := s.reconciler.newPass(before, memory.Resource{Calls: &s.calls})
	p.session, p.facts.Fresh = sess, readcache.Freshness{Now: now, Since: now}
	p.annotations = inMemory{}
	defer p.end()
	gone, err := p.step(ctx, mg, now)
	restore(mg, before, "Spec") // References are resolved in memory.
	d := p.done(err)
	if p.later != nil {
		restore(mg, before, "Status")
		return d
	}
	mg.SetConditions(xpv2.ReconcileSuccess())
	if err != nil {
		p.err = err
		mg.SetConditions(xpv2.ReconcileError(err))
	}
	p.completeStatus(mg)
	d.Err, d.Gone = err, gone
	d.Converged = err == nil && p.did == "" &&
		(gone || mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue)
	return d
}

// step observes the external resource, and makes the call that is due. It reports whether nothing is left of a
// resource that is being deleted.
func (p *pass) step(ctx context.Context, mg reconcile.Managed, now time.Time) (gone bool, err error) {
	policies := p.managementPolicies(mg)
	switch {
	case meta.IsPaused(mg) || policies.IsPaused():
		return false, errPaused
	case policies.Validate() != nil:
		return false, policies.Validate()
	case meta.WasDeleted(mg) && !policies.ShouldDelete():
		return true, nil
	case !meta.WasDeleted(mg):
		if err := p.resolveReferences(ctx, mg); err != nil {
			return false, err
		}
	}
	if p.observer, err = p.connected(ctx, mg); err != nil {
		return false, err
	}
	err = p.observeAndAct(ctx, mg, now)
	if missing := p.missing(mg); missing != "" {
		return false, errors.New(missing)
	}
	return err == nil && meta.WasDeleted(mg) && !p.out.Exists, err
}

// errPaused is the error of a resource that is paused.
var errPaused = errors.New("reconciliation is paused")

// restore sets a field of a resource to its value in another one of the same type.
func restore(mg reconcile.Managed, from any, field string) {
	reflect.ValueOf(mg).Elem().FieldByName(field).Set(reflect.ValueOf(from).Elem().FieldByName(field))
}

// An inMemory is an AnnotationWriter that writes nothing.
type inMemory struct{}

// Annotate sets annotations of an object.
func (inMemory) Annotate(_ context.Context, obj client.Object, annotations map[string]string) error {
	meta.AddAnnotations(obj, annotations)
	return nil
}

// AnnotateIfUnchanged sets annotations of an object.
func (m inMemory) AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error {
	return m.Annotate(ctx, obj, annotations)
}

// Observe observes a resource, and reserves the call that is due. What is to be written is set in memory only.
func Observe[T reconcile.Managed](ctx context.Context, o reconcile.Observer[T], f reconcile.Facts, mg T) Done {
	p := passOf(reconcile.Untyped(o), f, mg, inMemory{})
	return p.done(p.observe(ctx, mg))
}

// Once does one reconcile of a resource whose references are resolved: it observes it, and makes the call that is due,
// as crossplane-runtime does. It writes annotations with a writer, or sets them in memory if there is none. It is for
// tests.
func Once[T reconcile.Managed](
	ctx context.Context, o reconcile.Observer[T], f reconcile.Facts, mg T, w AnnotationWriter,
) Done {
	if w == nil {
		w = inMemory{}
	}
	p := passOf(reconcile.Untyped(o), f, mg, w)
	return p.done(p.observeAndAct(ctx, mg, f.Now()))
}

// passOf returns a pass with an observer, which writes nothing but annotations.
func passOf(o reconcile.UntypedObserver, f reconcile.Facts, mg reconcile.Managed, w AnnotationWriter) *pass {
	r := &reconciler{
		Options: Options{Tracer: noop.NewTracerProvider().Tracer(""), Now: f.Now},
		states:  memory.New(), policies: len(mg.GetManagementPolicies()) > 0,
	}
	f.ReadyBefore = mg.GetCondition("Ready")
	return &pass{reconciler: r, read: reconcile.CopyOf(mg), facts: f, observer: o, annotations: w}
}

// observeAndAct observes the external resource, and makes the call that is due and that policies allow. It sets the
// annotations and the finalizer that crossplane-runtime sets.
func (p *pass) observeAndAct(ctx context.Context, mg reconcile.Managed, now time.Time) error {
	if err := p.observe(ctx, mg); err != nil || p.out.Call == nil {
		return err
	}
	policies := p.managementPolicies(mg)
	switch verb := p.out.Call.Verb; {
	case verb == reconcile.ToDelete && policies.ShouldDelete():
		err := p.act(ctx, mg)
		if p.later == nil {
			mg.SetConditions(reconcile.Deleting(mg.GetGeneration(), p.result.Ready.Message))
		}
		return err
	case verb == reconcile.ToUpdate && policies.ShouldUpdate():
		return p.act(ctx, mg)
	case verb != reconcile.ToCreate || !policies.ShouldCreate():
		return nil
	}
	meta.AddFinalizer(mg, managed.FinalizerName)
	meta.SetExternalCreatePending(mg, now)
	if err := p.annotations.AnnotateIfUnchanged(ctx, mg, mg.GetAnnotations()); err != nil {
		return p.fail(err)
	}
	err := p.act(ctx, mg)
	if err != nil {
		meta.SetExternalCreateFailed(mg, now)
	} else {
		meta.SetExternalCreateSucceeded(mg, now)
	}
	if werr := p.annotations.Annotate(context.WithoutCancel(ctx), mg, mg.GetAnnotations()); err == nil && werr != nil {
		return p.fail(werr)
	}
	return err
}

// done returns what the pass has found and did, given the error that it ended with.
func (p *pass) done(err error) Done {
	d := Done{Outcome: p.out, Does: p.does, Quiet: p.result.Quiet, Later: p.later, Awaits: p.awaits}
	if p.changing {
		d.Called = p.out.Call.Verb
	}
	if p.later == nil && err != nil {
		d.Err = p.returned
	}
	return d
}
