package engine

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
)

// A Done is the result of one reconcile.
type Done struct {
	// Outcome is the result of the observation, with the effects of the call.
	reconcile.Outcome

	// Called is the call that was made or tried, 0 if none was. Does describes it, and Quiet reports whether it has no
	// event.
	Called reconcile.Verb
	Does   string
	Quiet  bool

	// Later is not nil if the reconcile leaves no trace.
	Later *reconcile.LaterError

	// Awaits reports whether Err says that a referenced resource or object is missing.
	Awaits bool

	// Err is the error that the observation or the call has returned.
	Err error
}

// An AnnotationWriter writes annotations of a resource, as a kube.Client does.
type AnnotationWriter interface {
	// Annotate sets annotations of an object, and writes them.
	Annotate(ctx context.Context, obj client.Object, annotations map[string]string) error

	// AnnotateIfUnchanged does so on condition that the object has not changed since it was read, and otherwise
	// returns a conflict.
	AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error
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
	p := passOf(o, f, mg, inMemory{})
	return p.done(p.observe(ctx, mg))
}

// Once does one reconcile of a resource whose references are resolved: it observes it, and makes the call that is due,
// as crossplane-runtime does. What is to be written is set in memory only. It is for tests.
func Once[T reconcile.Managed](ctx context.Context, o reconcile.Observer[T], f reconcile.Facts, mg T) Done {
	return OnceWriting(ctx, o, f, mg, inMemory{})
}

// OnceWriting does one reconcile as Once does, and writes annotations with a writer. It is for tests.
func OnceWriting[T reconcile.Managed](
	ctx context.Context, o reconcile.Observer[T], f reconcile.Facts, mg T, w AnnotationWriter,
) Done {
	p := passOf(o, f, mg, w)
	return p.done(p.observeAndAct(ctx, mg, f.Now()))
}

// passOf returns a pass with an observer, which writes nothing but annotations.
func passOf[T reconcile.Managed](o reconcile.Observer[T], f reconcile.Facts, mg T, w AnnotationWriter) *pass[T] {
	before, ok := mg.DeepCopyObject().(T)
	if !ok {
		before = mg
	}
	r := &reconciler[T]{tracer: noop.NewTracerProvider().Tracer(""), now: f.Now, states: memory.New()}
	r.policies = len(mg.GetManagementPolicies()) > 0
	f.ReadyBefore = mg.GetCondition("Ready")
	return &pass[T]{reconciler: r, read: before, facts: f, observer: o, annotations: w}
}

// observeAndAct observes the external resource, and makes the call that is due and that policies allow. It sets the
// annotations and the finalizer that crossplane-runtime sets.
func (p *pass[T]) observeAndAct(ctx context.Context, mg T, now time.Time) error {
	if err := p.observe(ctx, mg); err != nil || p.out.Call == nil {
		return err
	}
	policies := p.managementPolicies(mg)
	switch verb := p.out.Call.Verb; {
	case verb == reconcile.ToDelete && policies.ShouldDelete():
		err := p.act(ctx, mg, "Delete", memory.ActionDeleted)
		if p.later == nil {
			mg.SetConditions(reconcile.Deleting(mg.GetGeneration(), p.result.Ready.Message))
		}
		return err
	case verb == reconcile.ToUpdate && policies.ShouldUpdate():
		return p.act(ctx, mg, "Update", memory.ActionUpdated)
	case verb != reconcile.ToCreate || !policies.ShouldCreate():
		return nil
	}
	meta.AddFinalizer(mg, managed.FinalizerName)
	meta.SetExternalCreatePending(mg, now)
	if err := p.annotations.AnnotateIfUnchanged(ctx, mg, mg.GetAnnotations()); err != nil {
		return p.fail(err)
	}
	err := p.act(ctx, mg, "Create", memory.ActionCreated)
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
func (p *pass[T]) done(err error) Done {
	d := Done{Outcome: p.out, Does: p.does, Quiet: p.result.Quiet, Later: p.later, Awaits: p.awaits}
	if p.changing {
		d.Called = p.out.Call.Verb
	}
	if p.later == nil && err != nil {
		d.Err = p.returned
	}
	return d
}
