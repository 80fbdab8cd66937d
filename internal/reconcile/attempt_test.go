package reconcile

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func TestAttempt(t *testing.T) {
	attempt := &Attempt{}
	ctx := WithAttempt(t.Context(), attempt)

	RequeueAfter(ctx, 3*time.Second)
	RequeueAfter(ctx, time.Second)
	RequeueAfter(ctx, 2*time.Second)
	if got := attempt.RequeueDelay(); got != time.Second {
		t.Errorf("the least wins: got %s", got)
	}
	RequeueAfter(ctx, 0)
	if got := attempt.RequeueDelay(); got != minRequeueAfter {
		t.Errorf("at once is not without end: got %s", got)
	}

	if !Reserve(ctx, "UpdateAlias") {
		t.Error("without a limiter every call is granted")
	}
	if _, aborted := attempt.Aborted(); aborted {
		t.Error("what is granted is not held")
	}
	attempt.ReserveFn = func(...string) time.Duration { return 4 * time.Second }
	if Reserve(ctx, "UpdateAlias") {
		t.Error("a call that must wait is not granted")
	}
	Abort(ctx, time.Second)
	if wait, aborted := attempt.Aborted(); !aborted || wait != 4*time.Second {
		t.Errorf("the longest wins: got %s, %t", wait, aborted)
	}

	DescribeChange(ctx, "timeout: 3 -> 10")
	if got := attempt.ChangeSummary(); got != "timeout: 3 -> 10" {
		t.Errorf("got %q", got)
	}
	Emit(ctx, event.Normal("A", "a"))
	Emit(ctx, event.Normal("B", "b"))
	if got := attempt.Events(); len(got) != 2 || got[0].Reason != "A" || got[1].Reason != "B" {
		t.Errorf("events in order, got %v", got)
	}
}

// scripted is an external client with a function for each of its calls.
type scripted struct {
	*cloud

	observe, create, update func(context.Context, *sample)
}

func (s *scripted) Observe(ctx context.Context, mg *sample) (managed.ExternalObservation, error) {
	o, err := s.cloud.Observe(ctx, mg)
	if s.observe != nil {
		s.observe(ctx, mg)
	}
	return o, err
}

func (s *scripted) Create(ctx context.Context, mg *sample) (managed.ExternalCreation, error) {
	if s.create != nil {
		s.create(ctx, mg)
		return managed.ExternalCreation{}, nil
	}
	return s.cloud.Create(ctx, mg)
}

func (s *scripted) Update(ctx context.Context, mg *sample) (managed.ExternalUpdate, error) {
	if s.update != nil {
		s.update(ctx, mg)
		return managed.ExternalUpdate{}, nil
	}
	return s.cloud.Update(ctx, mg)
}

func script(e *env, s *scripted) {
	s.cloud = e.cloud
	e.reconciler.kind = scriptedKind(e, s)
}

func TestRequeueAfter(t *testing.T) {
	e := newEnv(t, newSample())
	e.settle()
	script(e, &scripted{observe: func(ctx context.Context, _ *sample) { RequeueAfter(ctx, 42*time.Second) }})
	if got := e.reconcile(); got != 42*time.Second {
		t.Errorf("instead of the poll interval: want 42s, got %s", got)
	}
	e.change(func(mg *sample) { mg.Spec.Value = "b" })
	if got := e.reconcile(); got != 42*time.Second {
		t.Errorf("after an update: want 42s, got %s", got)
	}
	e.cloud.fail["Get"] = errors.New("boom")
	if got := e.reconcile(); got != time.Second {
		t.Errorf("an error has its own time: want 1s, got %s", got)
	}
}

func TestPendingCadence(t *testing.T) {
	e := newEnv(t, newSample())
	e.settle()
	script(e, &scripted{observe: func(_ context.Context, mg *sample) {
		mg.SetConditions(Updating(1, "The function is being updated."))
	}})
	e.reconcile()
	since := e.stored().GetCondition(xpv2.TypeReady).LastTransitionTime.Time
	for _, elapsed := range []time.Duration{0, 20 * time.Second, time.Hour} {
		e.clock = since.Add(elapsed)
		version := e.stored().GetResourceVersion()
		if got := e.reconcile(); got != PendingDelay(elapsed) {
			t.Errorf("in motion for %s: want %s, got %s", elapsed, PendingDelay(elapsed), got)
		}
		if e.stored().GetResourceVersion() != version {
			t.Error("a look that finds nothing new writes nothing")
		}
	}
}

func TestAbortInACall(t *testing.T) {
	abort := func(ctx context.Context, _ *sample) { Abort(ctx, time.Second) }

	t.Run("Create", func(t *testing.T) {
		mg := newSample()
		meta.SetExternalName(mg, "set-by-user")
		e := newEnv(t, mg)
		script(e, &scripted{create: abort})
		if got := e.reconcile(); got != time.Second {
			t.Errorf("want 1s, got %s", got)
		}
		got := e.stored()
		if !meta.GetExternalCreateSucceeded(got).IsZero() || !ownership.UserSetName(got) {
			t.Errorf("a create that was not made has not succeeded: %v", got.GetAnnotations())
		}
		if len(e.events.all) != 0 || len(got.Status.Conditions) != 0 {
			t.Errorf("events %v, conditions %v", e.events.all, got.Status.Conditions)
		}
	})
	t.Run("Update", func(t *testing.T) {
		e := newEnv(t, newSample())
		e.settle()
		script(e, &scripted{update: abort})
		e.change(func(mg *sample) { mg.Spec.Value = "b" })
		before := e.stored()
		if got := e.reconcile(); got != time.Second {
			t.Errorf("want 1s, got %s", got)
		}
		if diff := cmp.Diff(before, e.stored()); diff != "" || len(e.events.all)+len(e.changes.ops) != 0 {
			t.Errorf("events %v, -before, +after:\n%s", e.events.all, diff)
		}
	})
}

// TestStatusOfCreateIsKept checks that the status set by Create is kept without another
// observation.
func TestStatusOfCreateIsKept(t *testing.T) {
	e := newEnv(t, newSample())
	script(e, &scripted{create: func(_ context.Context, mg *sample) { mg.Status.Value = "creating" }})
	e.reconcile()
	if got := e.stored().Status.Value; got != "creating" {
		t.Errorf("got %q", got)
	}
}

// TestUpdateOfAKindThatIsAlwaysAvailable checks that a resource that is Available while an update
// is due is reconciled again soon, and that its generation is not settled.
func TestUpdateOfAKindThatIsAlwaysAvailable(t *testing.T) {
	e := newEnv(t, newSample())
	e.settle()
	script(e, &scripted{observe: func(_ context.Context, mg *sample) { mg.SetConditions(Available(mg.GetGeneration())) }})
	e.change(func(mg *sample) { mg.Spec.Value = "b"; mg.Generation = 2 })
	if got := e.reconcile(); got != MinPending {
		t.Errorf("want another look in %s, got %s", MinPending, got)
	}
	if got := e.stored(); got.GetSummary().SettledGeneration != 1 || got.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
		t.Errorf("what was only just asked for is neither settled nor served: %+v", got.Status)
	}
}

// TestEditedWhileCreating checks that a create is recorded even if the user edits the resource
// meanwhile.
func TestEditedWhileCreating(t *testing.T) {
	e := newEnv(t, newSample())
	script(e, &scripted{create: func(_ context.Context, mg *sample) {
		meta.SetExternalName(mg, "cart-fn")
		e.change(func(mg *sample) { //nolint:contextcheck // The user has a separate context.
			mg.Spec.Value = "b"
			mg.Generation = 2
			mg.SetLabels(map[string]string{"team": "shop"})
		})
	}})
	e.reconcile()
	got := e.stored()
	if meta.GetExternalName(got) != "cart-fn" || meta.GetExternalCreateSucceeded(got).IsZero() {
		t.Errorf("the creation is not recorded: %v", got.GetAnnotations())
	}
	if got.Spec.Value != "b" || got.GetLabels()["team"] != "shop" || got.GetGeneration() != 2 {
		t.Errorf("the user's edit is lost: %+v", got)
	}
	if c := got.GetCondition(xpv2.TypeReady); c.ObservedGeneration != 1 || c.Reason != xpv2.ReasonCreating {
		t.Errorf("want the status of the generation that was created: %+v", c)
	}
}

func TestDescribedCreate(t *testing.T) {
	e := newEnv(t, newSample())
	script(e, &scripted{create: func(ctx context.Context, _ *sample) { DescribeChange(ctx, "Created function cart-fn") }})
	e.reconcile()
	if diff := cmp.Diff([]string{"CreatedExternalResource: Created function cart-fn"}, e.events.all); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
