package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestEffects(t *testing.T) {
	var e reconcile.Effects
	for _, after := range []time.Duration{3 * time.Second, time.Second, 2 * time.Second} {
		e.Add(reconcile.Effects{After: after})
	}
	if e.After != time.Second {
		t.Errorf("the least wins: got %s", e.After)
	}
	e.Add(reconcile.Effects{After: time.Nanosecond})
	if e.After != reconcile.AtOnce {
		t.Errorf("at once is not without end: got %s", e.After)
	}
	e.Add(reconcile.Effects{Events: []event.Event{event.Normal("A", "a")}})
	e.Add(reconcile.Effects{Events: []event.Event{event.Normal("B", "b")}})
	if len(e.Events) != 2 || e.Events[0].Reason != "A" || e.Events[1].Reason != "B" {
		t.Errorf("events in order, got %v", e.Events)
	}
}

func TestReserve(t *testing.T) {
	f := reconcile.Facts{}
	if err := f.Reserve("UpdateAlias"); err != nil {
		t.Errorf("without a limiter every call is granted: %v", err)
	}
	f.ReserveFn = func(...string) time.Duration { return 4 * time.Second }
	later, ok := reconcile.AsType[*reconcile.LaterError](f.Reserve("UpdateAlias"))
	if !ok || later.After != 4*time.Second || !slices.Equal(later.Operations, []string{"UpdateAlias"}) {
		t.Errorf("a call that must wait is not granted: got %+v", later)
	}
	if err := f.Reserve(); err != nil {
		t.Errorf("nothing needs no quota: %v", err)
	}
	if later, ok := reconcile.AsType[*reconcile.LaterError](
		reconcile.WaitFor(0),
	); !ok ||
		later.After != reconcile.AtOnce {
		t.Errorf("at once is not without end: got %+v", later)
	}
}

// scripted is a cloud with functions that change its outcome, or replace its calls.
type scripted struct {
	*cloud

	observe        func(*sample, *reconcile.Outcome)
	create, update func(*sample) (reconcile.Result, error)
}

func (s *scripted) Observe(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	out, err := s.cloud.Observe(ctx, f, mg)
	if s.observe != nil {
		s.observe(mg, &out)
	}
	if out.Call == nil {
		return out, err
	}
	do := map[reconcile.Verb]func(*sample) (reconcile.Result, error){
		reconcile.ToCreate: s.create, reconcile.ToUpdate: s.update,
	}[out.Call.Verb]
	if do != nil {
		out.Call.Do = func(context.Context) (reconcile.Result, error) { return do(mg) }
	}
	return out, err
}

func script(e *env, s *scripted) {
	s.cloud = e.cloud
	e.reconciler.kind = observedBy(e, s)
}

func TestRequeueAfter(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	script(e, &scripted{observe: func(_ *sample, out *reconcile.Outcome) { out.After = 42 * time.Second }})
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
	e := newEnv(t, samples.New())
	e.converge()
	script(e, &scripted{observe: func(_ *sample, out *reconcile.Outcome) {
		out.Ready = reconcile.Updating(1, "The function is being updated.")
	}})
	e.reconcile()
	since := e.stored().GetCondition(xpv2.TypeReady).LastTransitionTime.Time
	for _, elapsed := range []time.Duration{0, 20 * time.Second, time.Hour} {
		e.clock = since.Add(elapsed)
		version := e.stored().GetResourceVersion()
		if got := e.reconcile(); got != reconcile.PendingDelay(elapsed) {
			t.Errorf("in motion for %s: want %s, got %s", elapsed, reconcile.PendingDelay(elapsed), got)
		}
		if e.stored().GetResourceVersion() != version {
			t.Error("a look that finds nothing new writes nothing")
		}
	}
}

func TestWaitInACall(t *testing.T) {
	wait := func(*sample) (reconcile.Result, error) { return reconcile.Result{}, reconcile.WaitFor(time.Second) }

	t.Run("Create", func(t *testing.T) {
		mg := samples.New()
		meta.SetExternalName(mg, "set-by-user")
		e := newEnv(t, mg)
		script(e, &scripted{create: wait})
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
		e := newEnv(t, samples.New())
		e.converge()
		script(e, &scripted{update: wait})
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
	e := newEnv(t, samples.New())
	script(e, &scripted{create: func(mg *sample) (reconcile.Result, error) {
		mg.Status.Value = "creating"
		return reconcile.Result{}, nil
	}})
	e.reconcile()
	if got := e.stored().Status.Value; got != "creating" {
		t.Errorf("got %q", got)
	}
}

// TestUpdateOfAKindThatIsAlwaysAvailable checks that a resource that is Available while an update
// is due is reconciled again soon, and that its generation is not converged.
func TestUpdateOfAKindThatIsAlwaysAvailable(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	script(
		e,
		&scripted{
			observe: func(mg *sample, out *reconcile.Outcome) { out.Ready = reconcile.Available(mg.GetGeneration()) },
		},
	)
	e.change(func(mg *sample) { mg.Spec.Value = "b"; mg.Generation = 2 })
	if got := e.reconcile(); got != reconcile.MinPending {
		t.Errorf("want another look in %s, got %s", reconcile.MinPending, got)
	}
	if got := e.stored(); got.GetSummary().ReconciledGeneration != 1 ||
		got.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
		t.Errorf("what was only just asked for is neither converged nor served: %+v", got.Status)
	}
}

// TestEditedWhileCreating checks that a create is recorded even if the user edits the resource
// meanwhile.
func TestEditedWhileCreating(t *testing.T) {
	e := newEnv(t, samples.New())
	script(e, &scripted{create: func(mg *sample) (reconcile.Result, error) {
		meta.SetExternalName(mg, "cart-fn")
		e.change(func(mg *sample) {
			mg.Spec.Value = "b"
			mg.Generation = 2
			mg.SetLabels(map[string]string{"team": "shop"})
		})
		return reconcile.Result{}, nil
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
	e := newEnv(t, samples.New())
	script(e, &scripted{create: func(*sample) (reconcile.Result, error) {
		return reconcile.Result{Does: "Created function cart-fn"}, nil
	}})
	e.reconcile()
	if diff := cmp.Diff([]string{"CreatedExternalResource: Created function cart-fn"}, e.events.all); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
