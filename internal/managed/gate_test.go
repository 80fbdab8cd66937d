package managed

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/cadence"
)

func TestLifeOfAThing(t *testing.T) {
	h := newHarness(t, newThing())

	if got := h.reconcile(); got != cadence.MinPending {
		t.Errorf("after a create: want another look in %s, got %s", cadence.MinPending, got)
	}
	if got := h.reconcile(); got != 10*time.Minute {
		t.Errorf("once available: want the poll interval, got %s", got)
	}
	mg := h.stored()
	if mg.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue || mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionTrue {
		t.Errorf("want Ready and Synced, got %+v", mg.Status.Conditions)
	}
	if mg.GetObservedGeneration() != 1 {
		t.Errorf("want observedGeneration 1, got %d", mg.GetObservedGeneration())
	}

	h.change(func(mg *thing) { mg.Spec.Value = "b"; mg.Generation = 2 })
	if got := h.reconcile(); got != cadence.MinPending {
		t.Errorf("after an update: want another look in %s, got %s", cadence.MinPending, got)
	}
	if got := h.stored().GetSummary(); got.SettledGeneration != 1 || h.stored().GetObservedGeneration() != 2 {
		t.Errorf("a generation that is on its way was looked at and is not settled: got %+v", got)
	}
	h.reconcile()
	if got := h.stored().GetSummary().SettledGeneration; got != 2 {
		t.Errorf("want settledGeneration 2, got %d", got)
	}

	var forgotten []types.UID
	h.gate.kind.Forget = func(uid types.UID) { forgotten = append(forgotten, uid) }
	h.delete()
	h.clock = h.stored().GetDeletionTimestamp().Time
	if got := h.reconcile(); got != cadence.MinPending {
		t.Errorf("after a delete: want another look in %s, got %s", cadence.MinPending, got)
	}
	if got := h.reconcile(); got != 0 {
		t.Errorf("once gone: want no other look, got %s", got)
	}
	if got := h.reconcile(); got != 0 || h.gate.memory.records[cart] != nil {
		t.Errorf("what is gone is forgotten: %s, %v", got, h.gate.memory.records)
	}
	if diff := cmp.Diff([]types.UID{"u1"}, forgotten); diff != "" {
		t.Errorf("nor does the kind remember it: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"u1"}, h.limiter.gone); diff != "" {
		t.Errorf("what is gone holds no place in the limiter: -want, +got:\n%s", diff)
	}

	want := []string{"Get", "Create", "Get", "Get", "Update", "Get", "Get", "Delete", "Get"}
	if diff := cmp.Diff(want, h.cloud.calls); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
	wantEvents := []string{
		"CreatedExternalResource: Successfully requested creation of external resource",
		"Available: AWS serves what the spec asks for",
		"UpdatedExternalResource: value: a -> b",
		"Available: AWS serves what the spec asks for",
		"DeletedExternalResource: Successfully requested deletion of external resource",
	}
	if diff := cmp.Diff(wantEvents, h.events.all); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
}

// The runtime says of every deletion that it was requested, and no more. What comes
// before it is told nevertheless, and told once.
func TestDeletionSaysWhatItIsAt(t *testing.T) {
	h := newHarness(t, newThing())
	h.settle()
	h.delete()
	h.clock = h.stored().GetDeletionTimestamp().Time
	h.cloud.before = []string{"emptying it", "emptying it"}
	h.reconcile()
	first := h.stored().GetCondition(xpv2.TypeReady)
	if first.Reason != xpv2.ReasonDeleting || first.Message != "emptying it" || first.ObservedGeneration == 0 {
		t.Errorf("Ready must say what the deletion is at, got %+v", first)
	}
	h.reconcile()
	if diff := cmp.Diff(first, h.stored().GetCondition(xpv2.TypeReady)); diff != "" {
		t.Errorf("the same step is the same condition: -want, +got:\n%s", diff)
	}
	h.reconcile()
	if c := h.stored().GetCondition(xpv2.TypeReady); c.Reason != xpv2.ReasonDeleting || c.Message != "" {
		t.Errorf("the deletion itself needs no words, got %+v", c)
	}
	want := []string{
		"DeletedExternalResource: emptying it",
		"DeletedExternalResource: Successfully requested deletion of external resource",
	}
	if diff := cmp.Diff(want, h.events.all); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
}

func TestWaitsForReadsWithoutATouch(t *testing.T) {
	h := newHarness(t, newThing())
	before := h.stored()
	h.limiter.wait["Get"] = 3 * time.Second
	if got := h.reconcile(); got != 3*time.Second {
		t.Errorf("want to come back when the calls are due, got %s", got)
	}
	if diff := cmp.Diff(before, h.stored()); diff != "" {
		t.Errorf("a resource that waits is not touched: -before, +after:\n%s", diff)
	}
	if len(h.cloud.calls)+len(h.events.all)+len(h.changes.ops) != 0 {
		t.Errorf("calls %v, events %v, changes %v", h.cloud.calls, h.events.all, h.changes.ops)
	}
}

// A call that is due and whose quota is not there leaves no trace: whether Observe
// has asked for it, the SDK's middleware has held it up, or AWS has refused it.
func TestHeldCallLeavesNoTrace(t *testing.T) {
	prepare := map[string]func(*harness){
		"Create": func(*harness) {},
		"Update": func(h *harness) {
			h.settle()
			h.change(func(mg *thing) { mg.Spec.Value = "b"; mg.Generation = 2 })
		},
		"Delete": func(h *harness) { h.settle(); h.delete() },
	}
	ways := map[string]struct {
		reason string
		hold   func(h *harness, call string)
		free   func(h *harness, call string)
		want   time.Duration
	}{
		"Reserve": {
			reason: "Observe asks, and is told to wait.",
			hold:   func(h *harness, call string) { h.limiter.wait[call] = 7 * time.Second },
			free:   func(h *harness, call string) { delete(h.limiter.wait, call) },
			want:   7 * time.Second,
		},
		"Middleware": {
			reason: "Observe forgot to ask.",
			hold: func(h *harness, call string) {
				h.cloud.reserve = false
				h.cloud.fail[call] = &quota.DeferredError{Operation: call, After: 4 * time.Second}
			},
			free: func(h *harness, call string) { delete(h.cloud.fail, call) },
			want: 4 * time.Second,
		},
		"Throttled": {
			reason: "AWS refused the call for its rate.",
			hold:   func(h *harness, call string) { h.cloud.fail[call] = throttle() },
			free:   func(h *harness, call string) { delete(h.cloud.fail, call) },
			want:   time.Second,
		},
	}
	for call, setUp := range prepare {
		for way, tc := range ways {
			t.Run(call+"/"+way, func(t *testing.T) {
				h := newHarness(t, newThing())
				setUp(h)
				h.cloud.calls = nil
				before := h.stored()
				tc.hold(h, call)
				for range 3 {
					if got := h.reconcile(); got < tc.want || got > 2*tc.want*2 {
						t.Errorf("%s: want to come back in %s, got %s", tc.reason, tc.want, got)
					}
				}
				after := h.stored()
				if diff := cmp.Diff(before.Status, after.Status); diff != "" {
					t.Errorf("%s: status: -before, +after:\n%s", tc.reason, diff)
				}
				if len(h.events.all)+len(h.changes.ops) != 0 {
					t.Errorf("%s: events %v, changes %v", tc.reason, h.events.all, h.changes.ops)
				}
				if n := h.gate.memory.records[cart].failures; n != 0 {
					t.Errorf("%s: it counts as %d failures", tc.reason, n)
				}
				if way == "Reserve" && (h.cloud.calls[len(h.cloud.calls)-1] != "Get" || after.ResourceVersion != before.ResourceVersion) {
					t.Errorf("%s: calls %v", tc.reason, h.cloud.calls)
				}

				tc.free(h, call)
				h.cloud.calls = nil
				h.reconcile()
				if diff := cmp.Diff([]string{"Get", call}, h.cloud.calls); diff != "" {
					t.Errorf("%s: once its time has come: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// What a held reconcile waited for is reserved together with the next look, which
// would else be in vain if it came too soon.
func TestHeldCallIsReservedBeforeTheNextLook(t *testing.T) {
	h := newHarness(t, newThing())
	h.limiter.wait["Create"] = 5 * time.Second
	h.reconcile()
	h.limiter.asked, h.cloud.calls = nil, nil
	h.reconcile()
	if diff := cmp.Diff([][]string{{"Get", "Create"}}, h.limiter.asked); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(h.cloud.calls) != 0 {
		t.Errorf("a look in vain: %v", h.cloud.calls)
	}
	delete(h.limiter.wait, "Create")
	h.settle()
	h.reconcile()
	if diff := cmp.Diff([][]string{{"Get"}}, h.limiter.asked); diff != "" {
		t.Errorf("once made it is wanted no more: -want, +got:\n%s", diff)
	}
}

func TestReservationsAreGivenBack(t *testing.T) {
	h := newHarness(t, newThing())
	h.reconcile()
	if h.limiter.released != 1 {
		t.Errorf("what was not used is given back after a reconcile: %d times", h.limiter.released)
	}
	h.limiter.wait["Get"] = time.Second
	h.reconcile()
	if h.limiter.released != 1 {
		t.Error("a resource that waits keeps what it has")
	}
}

func TestFreeOfQuota(t *testing.T) {
	cases := map[string]struct {
		reason string
		mg     func(*thing)
		gone   bool
	}{
		"PausedByAnnotation": {reason: "Nothing is called.", mg: func(mg *thing) {
			mg.SetAnnotations(map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
		}},
		"PausedByPolicy": {reason: "Nothing is called.", mg: func(mg *thing) { mg.Spec.ManagementPolicies = nil }},
		"InvalidPolicy": {reason: "Nothing is called.", mg: func(mg *thing) {
			mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Update"}
		}},
		"Orphaned": {reason: "The thing is left where it is.", gone: true, mg: func(mg *thing) {
			mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe", "Create", "Update"}
			mg.SetFinalizers([]string{"finalizer.managedresource.crossplane.io"})
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := newThing()
			tc.mg(mg)
			h := newHarness(t, mg)
			if tc.gone {
				h.delete()
			}
			if got := h.reconcile(); got != 0 {
				t.Errorf("%s: want no other look, got %s", tc.reason, got)
			}
			if len(h.limiter.asked) != 0 || len(h.cloud.calls) != 0 {
				t.Errorf("%s: asked for %v, called %v", tc.reason, h.limiter.asked, h.cloud.calls)
			}
		})
	}
}

func TestUnresolvedConfigurationIsReported(t *testing.T) {
	h := newHarness(t, newThing())
	h.resolver.err = errors.New("no such ProviderConfig")
	for _, want := range []time.Duration{minAmbiguous, time.Minute / 2 / ambiguousShare, time.Minute / ambiguousShare} {
		if got := h.reconcile(); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
		h.clock = h.clock.Add(time.Minute / 2)
	}
	c := h.stored().GetCondition(xpv2.TypeSynced)
	if c.Status != corev1.ConditionFalse || c.Message != "connect failed: no such ProviderConfig" {
		t.Errorf("want the error in Synced, got %+v", c)
	}
	if got := h.events.count("CannotConnectToProvider"); got != 1 {
		t.Errorf("want one event, got %d: %v", got, h.events.all)
	}
	if len(h.limiter.asked) != 0 {
		t.Errorf("no call is reserved: %v", h.limiter.asked)
	}
}

func TestPriority(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(*harness)
		want   quota.Priority
	}{
		"Settled": {reason: "A poll for drift.", do: func(*harness) {}, want: quota.Poll},
		"Changed": {
			reason: "The user changed the spec.",
			do:     func(h *harness) { h.change(func(mg *thing) { mg.Generation = 2 }) },
			want:   quota.User,
		},
		"Deleted": {reason: "The user deleted it.", do: func(h *harness) { h.delete() }, want: quota.User},
		"Requested": {
			reason: "The user asked for a reconcile.",
			do: func(h *harness) {
				h.change(func(mg *thing) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
				})
			},
			want: quota.User,
		},
		"RequestHandled": {
			reason: "The request has been handled.",
			do: func(h *harness) {
				h.change(func(mg *thing) {
					meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
				})
				h.reconcile()
			},
			want: quota.Poll,
		},
		"Config": {reason: "A config that many may refer to has changed.", do: func(h *harness) { h.gate.memory.renew(cart) }, want: quota.Poll},
		"Poked":  {reason: "A Secret that it refers to has changed.", do: func(h *harness) { h.gate.memory.poke(cart, "Secret db") }, want: quota.User},
		"Served": {reason: "The change has been looked at.", do: func(h *harness) { h.gate.memory.poke(cart, "Secret db"); h.reconcile() }, want: quota.Poll},
		"Hopeless": {
			reason: "After many errors nobody waits for the next try.",
			do: func(h *harness) {
				h.change(func(mg *thing) { mg.Generation = 2 })
				h.cloud.fail["Get"] = errors.New("boom")
				for range hurriedFailures {
					h.reconcile()
				}
			},
			want: quota.Poll,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, newThing())
			h.settle()
			tc.do(h)
			h.reconcile()
			if got := h.limiter.priority(); got != tc.want {
				t.Errorf("%s: want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
	t.Run("New", func(t *testing.T) {
		h := newHarness(t, newThing())
		h.reconcile()
		if got := h.limiter.priority(); got != quota.User {
			t.Errorf("a new resource is a user's change: got %d", got)
		}
	})
}

// Namespaces share the quota of an account.
func TestTenantIsTheNamespace(t *testing.T) {
	h := newHarness(t, newThing())
	h.reconcile()
	want := quota.Holder{ID: "u1", Tenant: "shop", Priority: quota.User}
	if diff := cmp.Diff(want, h.limiter.holders[0]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// A poke that comes while its resource is being reconciled is not lost.
func TestPokeDuringReconcile(t *testing.T) {
	m := newMemory()
	mg := newThing()
	seen, _ := m.look(mg)
	m.poke(cart, "Secret db")
	m.served(cart, seen.pokes)
	if r, _ := m.look(mg); !r.poked() {
		t.Error("the poke is lost")
	}
}

func TestSpreadAfterStart(t *testing.T) {
	h := newHarness(t, newThing())
	h.settle()
	settled := h.stored()

	restart := func(edit func(*thing)) *harness {
		mg := settled.DeepCopyObject().(*thing)
		mg.ResourceVersion = ""
		edit(mg)
		h := newHarness(t, mg)
		h.cloud.there, h.cloud.value = true, "a"
		return h
	}
	t.Run("Settled", func(t *testing.T) {
		h := restart(func(*thing) {})
		got := h.reconcile()
		if got <= 0 || got >= 10*time.Minute || len(h.cloud.calls) != 0 {
			t.Errorf("what was in order is looked at within the poll interval: %s, %v", got, h.cloud.calls)
		}
		if h.reconcile(); len(h.cloud.calls) != 1 {
			t.Error("the second time it is looked at")
		}
	})
	cases := map[string]struct {
		reason string
		edit   func(*thing)
	}{
		"Changed":   {reason: "Changed while the provider was away.", edit: func(mg *thing) { mg.Generation = 2 }},
		"Unready":   {reason: "Not in order.", edit: func(mg *thing) { mg.SetConditions(xpv2.Unavailable()) }},
		"Unsynced":  {reason: "Not in order.", edit: func(mg *thing) { mg.SetConditions(xpv2.ReconcileError(errors.New("x"))) }},
		"Requested": {reason: "Asked for.", edit: func(mg *thing) { mg.SetAnnotations(map[string]string{meta.AnnotationKeyReconcileRequestedAt: "x"}) }},
		"Refers":    {reason: "The Secret may have changed.", edit: func(mg *thing) { mg.Spec.SecretName = "db" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := restart(tc.edit)
			if h.reconcile(); len(h.cloud.calls) == 0 {
				t.Errorf("%s: it is looked at at once", tc.reason)
			}
		})
	}
	t.Run("NewConfig", func(t *testing.T) {
		h := restart(func(*thing) {})
		h.gate.memory.renew(cart)
		if h.reconcile(); len(h.cloud.calls) == 0 {
			t.Error("what a changed config has woken is looked at at once")
		}
	})
	t.Run("Poked", func(t *testing.T) {
		h := restart(func(*thing) {})
		h.gate.memory.poke(cart, "Secret db")
		if h.reconcile(); len(h.cloud.calls) == 0 {
			t.Error("what a change has woken is looked at at once")
		}
	})
}

func TestOthersFinalizersComeFirst(t *testing.T) {
	h := newHarness(t, newThing())
	h.settle()
	h.change(func(mg *thing) { meta.AddFinalizer(mg, "of-another") })
	h.delete()
	if got := h.reconcile(); got != cadence.MaxPending || len(h.cloud.calls) != 0 {
		t.Errorf("want to wait without a call, got %s, %v", got, h.cloud.calls)
	}
	h.change(func(mg *thing) { meta.RemoveFinalizer(mg, "of-another") })
	if h.reconcile(); h.cloud.there {
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
		"Floor":    {reason: "But not below the floor, jitter included.", annotation: "1s", random: 0, want: 30 * time.Second},
		"Nonsense": {reason: "What is no duration is ignored.", annotation: "soon", random: 0.5, want: 10 * time.Minute},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := newThing()
			if tc.annotation != "" {
				mg.SetAnnotations(map[string]string{meta.AnnotationKeyPollInterval: tc.annotation})
			}
			h := newHarness(t, mg, func(o *Options, _ *Kind[*thing]) { o.Random = func() float64 { return tc.random } })
			h.settle()
			if got := h.reconcile(); got != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestConfigurationInUse(t *testing.T) {
	h := newHarness(t, newThing())
	h.settle()
	if !h.tracker.users["u1"] {
		t.Error("a resource uses its configuration")
	}
	h.delete()
	h.reconcile()
	if !h.tracker.users["u1"] {
		t.Error("it is needed until AWS says that the thing is gone")
	}
	h.tracker.err = errors.New("boom")
	h.reconcile()
	if !meta.FinalizerExists(h.stored(), "finalizer.managedresource.crossplane.io") {
		t.Error("a resource does not go before its use of the configuration has ended")
	}
	h.tracker.err = nil
	h.reconcile()
	if h.tracker.users["u1"] {
		t.Error("what is gone uses nothing")
	}
}

func TestOrphanUsesNothing(t *testing.T) {
	mg := newThing()
	mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe", "Create", "Update"}
	h := newHarness(t, mg)
	h.settle()
	h.delete()
	h.reconcile()
	if h.tracker.users["u1"] || !h.cloud.there {
		t.Errorf("a thing that is left alone stays, and uses nothing: %v, %t", h.tracker.users, h.cloud.there)
	}
}
