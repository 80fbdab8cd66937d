package reconcile

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace/noop"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
)

// A Done is what one reconcile has found and did.
type Done struct {
	// Outcome is that of the observation, with the effects of the call.
	Outcome

	// Called is the call that was made or tried, 0 if none was. Does describes it, and Quiet is whether it has no event.
	Called Verb
	Does   string
	Quiet  bool

	// Later is not nil if the reconcile leaves no trace.
	Later *LaterError

	// Awaits is whether Err is that something is missing that spec refers to.
	Awaits bool

	// Err is the error that the observation or the call has returned.
	Err error
}

// Observe observes a resource, and reserves the call that is due. What is to be written is set in memory only.
func Observe[T Managed](ctx context.Context, o Observer[T], f Facts, mg T) Done {
	p := inMemory(o, f, mg)
	return p.done(p.observe(ctx, mg))
}

// Once does one reconcile of a resource whose references are resolved: it observes it, and makes the call that is due,
// as crossplane-runtime does. What is to be written is set in memory only. It is for tests.
func Once[T Managed](ctx context.Context, o Observer[T], f Facts, mg T) Done {
	p := inMemory(o, f, mg)
	return p.done(p.observeAndAct(ctx, mg, f.Now()))
}

// inMemory returns a pass that writes nothing.
func inMemory[T Managed](o Observer[T], f Facts, mg T) *pass[T] {
	before, ok := mg.DeepCopyObject().(T)
	if !ok {
		before = mg
	}
	r := &reconciler[T]{tracer: noop.NewTracerProvider().Tracer(""), now: f.Now, states: newStateStore()}
	r.policies = len(mg.GetManagementPolicies()) > 0
	f.before = mg.GetCondition("Ready")
	return &pass[T]{reconciler: r, read: before, facts: f, observer: o}
}

// observeAndAct observes the external resource, and makes the call that is due and that policies allow. It sets the
// annotations and the finalizer that crossplane-runtime sets.
func (p *pass[T]) observeAndAct(ctx context.Context, mg T, now time.Time) error {
	if err := p.observe(ctx, mg); err != nil || p.out.Call == nil {
		return err
	}
	policies := p.managementPolicies(mg)
	switch verb := p.out.Call.Verb; {
	case verb == ToDelete && policies.ShouldDelete():
		err := p.act(ctx, mg, "Delete", actionDeleted)
		if p.later == nil {
			mg.SetConditions(Deleting(mg.GetGeneration(), p.result.Ready.Message))
		}
		return err
	case verb == ToUpdate && policies.ShouldUpdate():
		return p.act(ctx, mg, "Update", actionUpdated)
	case verb != ToCreate || !policies.ShouldCreate():
		return nil
	}
	meta.AddFinalizer(mg, managed.FinalizerName)
	meta.SetExternalCreatePending(mg, now)
	if err := p.act(ctx, mg, "Create", actionCreated); err != nil {
		meta.SetExternalCreateFailed(mg, now)
		return err
	}
	meta.SetExternalCreateSucceeded(mg, now)
	return nil
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
