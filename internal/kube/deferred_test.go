package kube

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestDeferredStatus checks that a deferred status is what this process reads, that it is written by the next
// status even if that one says the same, or by WriteDeferred, and that it does not outlive its object.
func TestDeferredStatus(t *testing.T) {
	creating := func(th *samples.Sample) { th.SetConditions(xpv2.Creating().WithObservedGeneration(1)) }
	cases := map[string]struct {
		reason string
		then   func(t *testing.T, e *env, action *StatusAction)
		writes int
		read   string
		stored string
	}{
		"Held": {
			reason: "The status is in memory only.",
			then:   func(*testing.T, *env, *StatusAction) {},
			read:   "first",
		},
		"WrittenUnchanged": {
			reason: "The next status is written, although it is what was read.",
			then: func(t *testing.T, e *env, action *StatusAction) {
				t.Helper()
				*action = WriteStatus
				ctx, th := e.read(t)
				if err := e.Status().Update(ctx, th); err != nil {
					t.Fatal(err)
				}
			},
			writes: 1, read: "first", stored: "first",
		},
		"WriteDeferred": {
			reason: "It is written on request, even if the object has changed since.",
			then: func(t *testing.T, e *env, _ *StatusAction) {
				t.Helper()
				e.change(t, func(th *samples.Sample) { th.Labels = map[string]string{"a": "b"} })
				if err := e.WriteDeferred(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			},
			writes: 2, read: "first", stored: "first",
		},
		"AnotherObject": {
			reason: "An object of the same name that was created later has no status.",
			then: func(_ *testing.T, e *env, _ *StatusAction) {
				e.cached = sample()
				e.cached.UID, e.cached.ResourceVersion = "u2", "100000"
			},
		},
		"Gone": {
			reason: "What is known of an object that is gone is forgotten.",
			then:   func(_ *testing.T, e *env, _ *StatusAction) { e.Forget(key) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			action := DeferStatus
			e := newEnv(t, func(client.Object) StatusAction { return action })
			ctx, th := e.read(t)
			creating(th)
			th.Status.Value = "first"
			if err := e.Status().Update(ctx, th); err != nil {
				t.Fatal(err)
			}
			tc.then(t, e, &action)
			_, read := e.read(t)
			if got := read.Status.Value; got != tc.read {
				t.Errorf("%s\nread: want %q, got %q", tc.reason, tc.read, got)
			}
			if got := e.stored(t).Status.Value; got != tc.stored || e.calls.statusUpdates != tc.writes {
				t.Errorf("%s\nwant %q with %d writes, got %q with %d", tc.reason, tc.stored, tc.writes, got,
					e.calls.statusUpdates)
			}
		})
	}
}
