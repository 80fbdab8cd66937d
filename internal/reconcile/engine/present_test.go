package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// owned is a cloud that sets Ready and returns an error depending on the owner.
type owned struct {
	*cloud

	foreign error
}

func (o *owned) Observe(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	if o.foreign != nil {
		return reconcile.Outcome{Ready: reconcile.Unavailable(mg.GetGeneration(), o.foreign.Error())}, o.foreign
	}
	return o.cloud.Observe(ctx, f, mg)
}

// TestReadyIsUpToDate checks that after a series of different errors, Ready never
// contains an earlier one.
func TestReadyIsUpToDate(t *testing.T) {
	const (
		refused = "no credentials"
		denied  = "AccessDeniedException"
	)
	type step struct {
		do func(e *env)
		// reason is the reason of Ready, and says a part of its message, if not empty.
		reason  xpv2.ConditionReason
		message string
	}
	missing := step{do: func(*env) {}, reason: xpv2.ReasonCreating, message: "shop/basket does not exist"}
	unmade := step{do: func(e *env) {
		if err := e.server.Create(e.t.Context(), basket("basket", "")); err != nil {
			e.t.Fatal(err)
		}
	}, reason: xpv2.ReasonCreating, message: "does not exist in AWS yet"}
	broken := step{do: func(e *env) {
		e.change(func(mg *sample) { mg.Spec.OtherRef = nil })
		e.resolver.err = errors.New(refused)
	}, reason: xpv2.ReasonUnavailable, message: refused}
	unread := step{do: func(e *env) {
		e.change(func(mg *sample) { mg.Spec.OtherRef = nil })
		e.resolver.err, e.cloud.fail["Get"] = nil, errors.New(denied)
	}, reason: xpv2.ReasonUnavailable, message: denied}
	outage := func(reason xpv2.ConditionReason, message string) step {
		return step{do: func(e *env) {
			e.change(func(mg *sample) { mg.Spec.OtherRef = nil })
			e.resolver.err, e.cloud.fail["Get"] = nil, errBusy
		}, reason: reason, message: message}
	}
	notCreated := step{do: func(e *env) {
		delete(e.cloud.fail, "Get")
		e.cloud.fail["Create"] = errors.New("quota")
	}, reason: xpv2.ReasonUnavailable, message: "quota"}
	paused := step{do: func(e *env) {
		e.change(func(mg *sample) { mg.Annotations = map[string]string{"crossplane.io/paused": "true"} })
	}, reason: xpv2.ReasonCreating, message: "reconciliation is paused"}
	fine := step{do: func(e *env) {
		e.resolver.err, e.cloud.fail = nil, map[string]error{}
		e.cloud.there, e.cloud.value = true, "a"
	}, reason: xpv2.ReasonAvailable}
	foreign := step{
		do:      func(e *env) { ownerOf(e, errors.New("thing cart exists and belongs to another")) },
		reason:  xpv2.ReasonUnavailable,
		message: "belongs to another",
	}
	other := step{
		do:      func(e *env) { ownerOf(e, errors.New("thing cart exists and belongs to a third")) },
		reason:  xpv2.ReasonUnavailable,
		message: "belongs to a third",
	}
	ours := func(s step) step {
		return step{do: func(e *env) { ownerOf(e, nil); s.do(e) }, reason: s.reason, message: s.message}
	}

	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Credentials": {
			reason: "What was missing is there, and the credentials are refused.",
			steps:  []step{missing, unmade, broken, unread, notCreated, fine},
		},
		"Read": {
			reason: "After the reference is resolved, the read is denied.",
			steps:  []step{missing, unread, fine, broken},
		},
		"MissingAgain": {
			reason: "An object that is missing again is reported again.",
			steps: []step{missing, unread, {do: func(e *env) {
				e.change(func(mg *sample) { mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket"} })
			}, reason: xpv2.ReasonCreating, message: "shop/basket does not exist"}},
		},
		"Paused": {reason: "Nothing is waited for.", steps: []step{missing, paused}},
		"Foreign": {
			reason: "The ownership may have changed, but cannot be read.",
			steps:  []step{foreign, other, ours(broken), unread, outage(xpv2.ReasonUnavailable, "concurrent"), fine},
		},
		"Available": {
			reason: "An available resource stays available during an outage of AWS.",
			steps: []step{
				ours(
					step{
						do:     func(e *env) { e.change(func(mg *sample) { mg.Spec.OtherRef = nil }) },
						reason: xpv2.ReasonAvailable,
					},
				),
				fine,
				outage(xpv2.ReasonAvailable, ""),
				unread,
				outage(xpv2.ReasonUnavailable, "concurrent"),
				fine,
			},
		},
		"NothingIsKnown": {
			reason: "Nothing is known at first.",
			steps:  []step{broken, unread, outage(xpv2.ReasonUnavailable, "concurrent"), fine},
		},
		"Outage": {
			reason: "An outage keeps it from being created.",
			steps:  []step{outage(xpv2.ReasonCreating, "concurrent"), fine},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket"}
			e := newEnv(t, mg, refer)
			for i, s := range tc.steps {
				s.do(e)
				for range 3 {
					e.reconcile()
				}
				r := e.stored().GetCondition(xpv2.TypeReady)
				if r.Reason != s.reason || !strings.Contains(r.Message, s.message) ||
					s.message == "" && r.Message != "" {
					t.Errorf("%s\nstep %d: want %s %q, got %+v", tc.reason, i, s.reason, s.message, r)
				}
				if err := samples.Contradiction(e.stored()); err != nil {
					t.Errorf("%s\nstep %d: %v", tc.reason, i, err)
				}
				e.reconcile()
				if again := e.stored().GetCondition(xpv2.TypeReady); again != r {
					t.Errorf("%s\nstep %d: it flaps: %+v, then %+v", tc.reason, i, r, again)
				}
			}
			if c := e.stored().GetCondition(xpv2.TypeReady); c.Status == corev1.ConditionUnknown {
				t.Errorf("%s\nReady is unknown", tc.reason)
			}
		})
	}
}

// ownerOf makes the env's kind find something foreign, or its own.
func ownerOf(e *env, foreign error) {
	e.change(func(mg *sample) { mg.Spec.OtherRef = nil })
	k := observedBy(e, &owned{cloud: e.cloud, foreign: foreign})
	e.reconciler = newReconciler(&manager{c: e.server}, e.options, k, e.events)
	e.reconciler.states.MarkChanged(cart, "Secret db")
}
