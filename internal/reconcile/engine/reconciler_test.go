package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestLifecycleOfAResource(t *testing.T) {
	e := newEnv(t, samples.New())

	if got := e.reconcile(); got != reconcile.MinPending {
		t.Errorf("after a create: want another look in %s, got %s", reconcile.MinPending, got)
	}
	if got := e.reconcile(); got != 10*time.Minute {
		t.Errorf("once available: want the poll interval, got %s", got)
	}
	mg := e.stored()
	if mg.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue ||
		mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionTrue {
		t.Errorf("want Ready and Synced, got %+v", mg.Status.Conditions)
	}
	if mg.GetObservedGeneration() != 1 {
		t.Errorf("want observedGeneration 1, got %d", mg.GetObservedGeneration())
	}

	e.change(func(mg *sample) { mg.Spec.Value = "b"; mg.Generation = 2 })
	if got := e.reconcile(); got != reconcile.MinPending {
		t.Errorf("after an update: want another look in %s, got %s", reconcile.MinPending, got)
	}
	if got := e.stored().GetSummary(); got.ReconciledGeneration != 1 || e.stored().GetObservedGeneration() != 2 {
		t.Errorf("a generation that is on its way was looked at and is not converged: got %+v", got)
	}
	e.reconcile()
	if got := e.stored().GetSummary().ReconciledGeneration; got != 2 {
		t.Errorf("want reconciledGeneration 2, got %d", got)
	}

	var forgotten []types.UID
	e.reconciler.kind.Forget = func(uid types.UID) { forgotten = append(forgotten, uid) }
	e.delete()
	e.clock = e.stored().GetDeletionTimestamp().Time
	if got := e.reconcile(); got != reconcile.MinPending {
		t.Errorf("after a delete: want another look in %s, got %s", reconcile.MinPending, got)
	}
	if got := e.reconcile(); got != 0 {
		t.Errorf("once gone: want no other look, got %s", got)
	}
	if got := e.reconcile(); got != 0 || e.reconciler.states.Len() != 0 {
		t.Errorf("what is gone is forgotten: %s, %d", got, e.reconciler.states.Len())
	}
	if diff := cmp.Diff([]types.UID{"u1"}, forgotten); diff != "" {
		t.Errorf("nor does the kind remember it: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"u1"}, e.limiter.gone); diff != "" {
		t.Errorf("what is gone holds no place in the limiter: -want, +got:\n%s", diff)
	}

	want := []string{"Get", "Create", "Get", "Get", "Update", "Get", "Get", "Delete", "Get"}
	if diff := cmp.Diff(want, e.cloud.calls); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
	wantEvents := []string{
		"CreatedExternalResource: Successfully requested creation of external resource",
		"Available: AWS serves what the spec asks for",
		"UpdatedExternalResource: value: a -> b",
		"Available: AWS serves what the spec asks for",
		"DeletedExternalResource: Successfully requested deletion of external resource",
	}
	if diff := cmp.Diff(wantEvents, e.events.all); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
}

// TestDeletionReportsProgress checks that the steps of a deletion are reported, each once. The
// runtime only reports that the deletion was requested.
func TestDeletionReportsProgress(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	e.delete()
	e.clock = e.stored().GetDeletionTimestamp().Time
	e.cloud.before = []string{"emptying it", "emptying it"}
	e.reconcile()
	first := e.stored().GetCondition(xpv2.TypeReady)
	if first.Reason != xpv2.ReasonDeleting || first.Message != "emptying it" || first.ObservedGeneration == 0 {
		t.Errorf("Ready must say what the deletion is at, got %+v", first)
	}
	e.reconcile()
	if diff := cmp.Diff(first, e.stored().GetCondition(xpv2.TypeReady)); diff != "" {
		t.Errorf("the same step is the same condition: -want, +got:\n%s", diff)
	}
	e.reconcile()
	if c := e.stored().GetCondition(xpv2.TypeReady); c.Reason != xpv2.ReasonDeleting || c.Message != "" {
		t.Errorf("the deletion itself needs no words, got %+v", c)
	}
	want := []string{
		"DeletedExternalResource: emptying it",
		"DeletedExternalResource: Successfully requested deletion of external resource",
	}
	if diff := cmp.Diff(want, e.events.all); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
}

func TestWaitsForReadsWithoutATouch(t *testing.T) {
	e := newEnv(t, samples.New())
	before := e.stored()
	e.limiter.wait["Get"] = 3 * time.Second
	if got := e.reconcile(); got != 3*time.Second {
		t.Errorf("want to come back when the calls are due, got %s", got)
	}
	if diff := cmp.Diff(before, e.stored()); diff != "" {
		t.Errorf("a resource that waits is not touched: -before, +after:\n%s", diff)
	}
	if len(e.cloud.calls)+len(e.events.all)+len(e.changes.ops) != 0 {
		t.Errorf("calls %v, events %v, changes %v", e.cloud.calls, e.events.all, e.changes.ops)
	}
}

// TestAbortedCallChangesNothing checks that a due call without quota writes nothing: whether
// Observe called Reserve for it, the SDK's middleware deferred it, or AWS throttled it.
func TestAbortedCallChangesNothing(t *testing.T) {
	prepare := map[string]func(*env){
		"Create": func(*env) {},
		"Update": func(e *env) {
			e.converge()
			e.change(func(mg *sample) { mg.Spec.Value = "b"; mg.Generation = 2 })
		},
		"Delete": func(e *env) { e.converge(); e.delete() },
	}
	ways := map[string]struct {
		reason string
		block  func(e *env, call string)
		free   func(e *env, call string)
		want   time.Duration
	}{
		"Reserve": {
			reason: "Observe has to wait for quota.",
			block:  func(e *env, call string) { e.limiter.wait[call] = 7 * time.Second },
			free:   func(e *env, call string) { delete(e.limiter.wait, call) },
			want:   7 * time.Second,
		},
		"Middleware": {
			reason: "Observe forgot to ask.",
			block: func(e *env, call string) {
				e.cloud.reserve = false
				e.cloud.fail[call] = &quota.DeferredError{Operation: call, After: 4 * time.Second}
			},
			free: func(e *env, call string) { delete(e.cloud.fail, call) },
			want: 4 * time.Second,
		},
		"Throttled": {
			reason: "AWS refused the call for its rate.",
			block:  func(e *env, call string) { e.cloud.fail[call] = throttle() },
			free:   func(e *env, call string) { delete(e.cloud.fail, call) },
			want:   time.Second,
		},
	}
	for call, setUp := range prepare {
		for way, tc := range ways {
			t.Run(call+"/"+way, func(t *testing.T) {
				e := newEnv(t, samples.New())
				setUp(e)
				e.cloud.calls = nil
				before := e.stored()
				tc.block(e, call)
				for range 3 {
					if got := e.reconcile(); got < tc.want || got > 2*tc.want*2 {
						t.Errorf("%s: want to come back in %s, got %s", tc.reason, tc.want, got)
					}
				}
				after := e.stored()
				if diff := cmp.Diff(before.Status, after.Status); diff != "" {
					t.Errorf("%s: status: -before, +after:\n%s", tc.reason, diff)
				}
				if len(e.events.all)+len(e.changes.ops) != 0 {
					t.Errorf("%s: events %v, changes %v", tc.reason, e.events.all, e.changes.ops)
				}
				known, _ := e.reconciler.states.Get(cart)
				if n := known.Failures; n != 0 {
					t.Errorf("%s: it counts as %d failures", tc.reason, n)
				}
				if way == "Reserve" &&
					(e.cloud.calls[len(e.cloud.calls)-1] != "Get" || after.ResourceVersion != before.ResourceVersion) {
					t.Errorf("%s: calls %v", tc.reason, e.cloud.calls)
				}

				tc.free(e, call)
				e.cloud.calls = nil
				e.reconcile()
				if diff := cmp.Diff([]string{"Get", call}, e.cloud.calls); diff != "" {
					t.Errorf("%s: once its time has come: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestAbortedCallIsReservedBeforeTheNextObservation checks that what an aborted reconcile waited for is
// reserved together with the next observation, which would otherwise be useless if it came too
// early.
func TestAbortedCallIsReservedBeforeTheNextObservation(t *testing.T) {
	e := newEnv(t, samples.New())
	e.limiter.wait["Create"] = 5 * time.Second
	e.reconcile()
	e.limiter.requested, e.cloud.calls = nil, nil
	e.reconcile()
	if diff := cmp.Diff([][]string{{"Get", "Create"}}, e.limiter.requested); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(e.cloud.calls) != 0 {
		t.Errorf("a look in vain: %v", e.cloud.calls)
	}
	delete(e.limiter.wait, "Create")
	e.converge()
	e.reconcile()
	if diff := cmp.Diff([][]string{{"Get"}}, e.limiter.requested); diff != "" {
		t.Errorf("once made it is wanted no more: -want, +got:\n%s", diff)
	}
}

// TestDeferredCallIsReservedBeforeTheNextObservation has calls without a reservation, for which there is no token after
// the ones before them.
func TestDeferredCallIsReservedBeforeTheNextObservation(t *testing.T) {
	e := newEnv(t, samples.New())
	for _, call := range []string{"ListTags", "GetPolicy"} {
		e.cloud.fail["Get"] = &quota.DeferredError{Operation: call, After: 4 * time.Second}
		e.reconcile()
	}
	e.limiter.requested = nil
	e.reconcile()
	if diff := cmp.Diff([][]string{{"Get", "ListTags", "GetPolicy"}}, e.limiter.requested); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestReservationsAreGivenBack(t *testing.T) {
	e := newEnv(t, samples.New())
	e.reconcile()
	if e.limiter.released != 1 {
		t.Errorf("what was not used is given back after a reconcile: %d times", e.limiter.released)
	}
	e.limiter.wait["Get"] = time.Second
	e.reconcile()
	if e.limiter.released != 1 {
		t.Error("a resource that waits keeps what it has")
	}
}

func TestFreeOfQuota(t *testing.T) {
	cases := map[string]struct {
		reason string
		mg     func(*sample)
		gone   bool
	}{
		"PausedByAnnotation": {reason: "Nothing is called.", mg: func(mg *sample) {
			mg.SetAnnotations(map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
		}},
		"PausedByPolicy": {reason: "Nothing is called.", mg: func(mg *sample) { mg.Spec.ManagementPolicies = nil }},
		"InvalidPolicy": {reason: "Nothing is called.", mg: func(mg *sample) {
			mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Update"}
		}},
		"Orphaned": {reason: "The external resource is not deleted.", gone: true, mg: func(mg *sample) {
			mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe", "Create", "Update"}
			mg.SetFinalizers([]string{"finalizer.managedresource.crossplane.io"})
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			tc.mg(mg)
			e := newEnv(t, mg)
			if tc.gone {
				e.delete()
			}
			if got := e.reconcile(); got != 0 {
				t.Errorf("%s: want no other look, got %s", tc.reason, got)
			}
			if len(e.limiter.requested) != 0 || len(e.cloud.calls) != 0 {
				t.Errorf("%s: asked for %v, called %v", tc.reason, e.limiter.requested, e.cloud.calls)
			}
		})
	}
}

func TestUnresolvedConfigurationIsReported(t *testing.T) {
	e := newEnv(t, samples.New())
	e.resolver.err = errors.New("no such ProviderConfig")
	for _, want := range []time.Duration{
		backoff.MinAmbiguous, time.Minute / 2 / backoff.AmbiguousShare, time.Minute / backoff.AmbiguousShare,
	} {
		if got := e.reconcile(); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
		e.clock = e.clock.Add(time.Minute / 2)
	}
	c := e.stored().GetCondition(xpv2.TypeSynced)
	if c.Status != corev1.ConditionFalse || c.Message != "connect failed: no such ProviderConfig" {
		t.Errorf("want the error in Synced, got %+v", c)
	}
	if got := e.events.count("CannotConnectToProvider"); got != 1 {
		t.Errorf("want one event, got %d: %v", got, e.events.all)
	}
	if len(e.limiter.requested) != 0 {
		t.Errorf("no call is reserved: %v", e.limiter.requested)
	}
}

func TestPriority(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(*env)
		want   quota.Priority
	}{
		"Converged": {reason: "A poll for drift.", do: func(*env) {}, want: quota.Poll},
		"Changed": {
			reason: "The user changed the spec.",
			do:     func(e *env) { e.change(func(mg *sample) { mg.Generation = 2 }) },
			want:   quota.User,
		},
		"Deleted": {reason: "The user deleted it.", do: func(e *env) { e.delete() }, want: quota.User},
		"Requested": {
			reason: "The user asked for a reconcile.",
			do: func(e *env) {
				e.change(func(mg *sample) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
				})
			},
			want: quota.User,
		},
		"RequestHandled": {
			reason: "The request has been handled.",
			do: func(e *env) {
				e.change(func(mg *sample) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
				})
				e.reconcile()
			},
			want: quota.Poll,
		},
		"Config": {
			reason: "A config that many may refer to has changed.",
			do:     func(e *env) { e.reconciler.states.ResetBackoff(cart) },
			want:   quota.Poll,
		},
		"Secret": {
			reason: "A Secret that the resource refers to has changed.",
			do:     func(e *env) { e.reconciler.states.MarkChanged(cart, "Secret db") },
			want:   quota.User,
		},
		"Served": {
			reason: "The change was reconciled already.",
			do:     func(e *env) { e.reconciler.states.MarkChanged(cart, "Secret db"); e.reconcile() },
			want:   quota.Poll,
		},
		"Hopeless": {
			reason: "After many errors, nobody waits for the retry, so it has the priority of a poll.",
			do: func(e *env) {
				e.change(func(mg *sample) { mg.Generation = 2 })
				e.cloud.fail["Get"] = errors.New("boom")
				for range backoff.PriorityFailures {
					e.reconcile()
				}
			},
			want: quota.Poll,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.converge()
			tc.do(e)
			e.reconcile()
			if got := e.limiter.priority(); got != tc.want {
				t.Errorf("%s: want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
	t.Run("New", func(t *testing.T) {
		e := newEnv(t, samples.New())
		e.reconcile()
		if got := e.limiter.priority(); got != quota.User {
			t.Errorf("a new resource is a user's change: got %d", got)
		}
	})
}

// TestTenantIsTheNamespace checks that namespaces share the quota of an account.
func TestTenantIsTheNamespace(t *testing.T) {
	e := newEnv(t, samples.New())
	e.reconcile()
	want := quota.Caller{ID: "u1", Tenant: "shop", Priority: quota.User}
	if diff := cmp.Diff(want, e.limiter.holders[0]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestMarkChangedDuringReconcile checks that a change mark set during a reconcile is not lost.
func TestMarkChangedDuringReconcile(t *testing.T) {
	s := memory.New()
	mg := samples.New()
	seen := s.Begin(mg)
	s.MarkChanged(cart, "Secret db")
	s.MarkHandled(cart, seen, time.Time{})
	if r := s.Begin(mg); !r.IsChanged() {
		t.Error("the poke is lost")
	}
}

func TestSpreadAfterStart(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	converged := e.stored()

	restart := func(edit func(*sample)) *env {
		mg := converged.DeepCopyObject().(*sample)
		mg.ResourceVersion = ""
		edit(mg)
		e := newEnv(t, mg)
		e.cloud.there, e.cloud.value = true, "a"
		return e
	}
	t.Run("Converged", func(t *testing.T) {
		e := restart(func(*sample) {})
		got := e.reconcile()
		if got <= 0 || got >= 10*time.Minute || len(e.cloud.calls) != 0 {
			t.Errorf("what was in order is looked at within the poll interval: %s, %v", got, e.cloud.calls)
		}
		if e.reconcile(); len(e.cloud.calls) != 1 {
			t.Error("the second time it is looked at")
		}
	})
	cases := map[string]struct {
		reason string
		edit   func(*sample)
	}{
		"Changed": {reason: "Changed while the provider was away.", edit: func(mg *sample) { mg.Generation = 2 }},
		"Unready": {reason: "Not in order.", edit: func(mg *sample) { mg.SetConditions(xpv2.Unavailable()) }},
		"Unsynced": {
			reason: "Not in order.",
			edit:   func(mg *sample) { mg.SetConditions(xpv2.ReconcileError(errors.New("x"))) },
		},
		"Requested": {
			reason: "Asked for.",
			edit:   func(mg *sample) { mg.SetAnnotations(map[string]string{meta.AnnotationKeyReconcileRequestedAt: "x"}) },
		},
		"Refers": {reason: "The Secret may have changed.", edit: func(mg *sample) { mg.Spec.SecretName = "db" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := restart(tc.edit)
			if e.reconcile(); len(e.cloud.calls) == 0 {
				t.Errorf("%s: it is looked at at once", tc.reason)
			}
		})
	}
	t.Run("NewConfig", func(t *testing.T) {
		e := restart(func(*sample) {})
		e.reconciler.states.ResetBackoff(cart)
		if e.reconcile(); len(e.cloud.calls) == 0 {
			t.Error("what a changed config has woken is looked at at once")
		}
	})
	t.Run("STSIsAway", func(t *testing.T) {
		for _, tc := range []struct {
			reason string
			edit   func(*sample)
			err    error
			waits  bool
		}{
			{reason: "STS may answer the next attempt.", err: context.DeadlineExceeded, waits: true},
			{reason: "STS does not answer.", err: &session.PausedError{Region: "STS"}},
			{reason: "Waiting does not help.", err: errors.New("Secret shop/aws does not exist")},
			{reason: "A user waits for it.", edit: func(mg *sample) { mg.Generation = 2 }, err: context.DeadlineExceeded},
		} {
			if tc.edit == nil {
				tc.edit = func(*sample) {}
			}
			e := restart(tc.edit)
			e.reconciler.Breakers, e.resolver.err = breaker.New(e.reconciler.Now, e.reconciler.Random), tc.err
			before := e.stored().ResourceVersion
			if got := e.reconcile(); (e.stored().ResourceVersion == before) != tc.waits ||
				tc.waits && (got < 10*time.Second || got > 30*time.Second) {
				t.Errorf("%s It is reconciled after %s, waits: %t", tc.reason, got, tc.waits)
			}
		}
	})
	t.Run("Poked", func(t *testing.T) {
		e := restart(func(*sample) {})
		e.reconciler.states.MarkChanged(cart, "Secret db")
		if e.reconcile(); len(e.cloud.calls) == 0 {
			t.Error("what a change has woken is looked at at once")
		}
	})
}

func TestOthersFinalizersComeFirst(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	e.change(func(mg *sample) { meta.AddFinalizer(mg, "of-another") })
	e.delete()
	if got := e.reconcile(); got != reconcile.MaxPending || len(e.cloud.calls) != 0 {
		t.Errorf("want to wait without a call, got %s, %v", got, e.cloud.calls)
	}
	e.change(func(mg *sample) { meta.RemoveFinalizer(mg, "of-another") })
	if e.reconcile(); e.cloud.there {
		t.Error("once the others are done it is deleted")
	}
}

func TestPollInterval(t *testing.T) {
	cases := map[string]struct {
		reason     string
		annotation string
		random     float64
		want       time.Duration
	}{
		"Default":  {reason: "The flag's interval.", random: 0.5, want: 10 * time.Minute},
		"Earliest": {reason: "Jitter is a share of the interval.", random: 0, want: 9 * time.Minute},
		"Asked":    {reason: "The annotation wins.", annotation: "1h", random: 0.5, want: time.Hour},
		"Floor": {
			reason:     "The interval does not go below the minimum, jitter included.",
			annotation: "1s",
			random:     0,
			want:       30 * time.Second,
		},
		"Nonsense": {
			reason:     "What is no duration is ignored.",
			annotation: "soon",
			random:     0.5,
			want:       10 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			if tc.annotation != "" {
				mg.SetAnnotations(map[string]string{meta.AnnotationKeyPollInterval: tc.annotation})
			}
			e := newEnv(
				t,
				mg,
				func(o *Options, _ *reconcile.Kind[*sample]) { o.Random = func() float64 { return tc.random } },
			)
			e.converge()
			if got := e.reconcile(); got != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestConfigurationInUse(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	if !e.tracker.users["u1"] {
		t.Error("a resource uses its configuration")
	}
	e.delete()
	e.reconcile()
	if !e.tracker.users["u1"] {
		t.Error("it is needed until AWS says that the thing is gone")
	}
	e.tracker.err = errors.New("boom")
	e.reconcile()
	if !meta.FinalizerExists(e.stored(), "finalizer.managedresource.crossplane.io") {
		t.Error("a resource does not go before its use of the configuration has ended")
	}
	e.tracker.err = nil
	e.reconcile()
	if e.tracker.users["u1"] {
		t.Error("what is gone uses nothing")
	}
}

func TestOrphanUsesNothing(t *testing.T) {
	mg := samples.New()
	mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe", "Create", "Update"}
	e := newEnv(t, mg)
	e.converge()
	e.delete()
	e.reconcile()
	if e.tracker.users["u1"] || !e.cloud.there {
		t.Errorf("a thing that is left alone stays, and uses nothing: %v, %t", e.tracker.users, e.cloud.there)
	}
}
