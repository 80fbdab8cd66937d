package managed

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/managedtest"
)

// owned is a cloud that says in Ready and in its error whose a thing is.
type owned struct {
	*cloud

	foreign error
}

func (o *owned) Observe(ctx context.Context, mg *thing) (xpmanaged.ExternalObservation, error) {
	if o.foreign != nil {
		mg.SetConditions(condition.Unavailable(mg.GetGeneration(), o.foreign.Error()))
		return xpmanaged.ExternalObservation{}, o.foreign
	}
	return o.cloud.Observe(ctx, mg)
}

// Whatever goes wrong one after the other, Ready never tells of what went wrong before.
func TestReadySpeaksOfThePresent(t *testing.T) {
	const (
		refused = "no credentials"
		denied  = "AccessDeniedException"
	)
	type step struct {
		do func(h *harness)
		// ready are its reason and what its message has to say, or nothing.
		reason xpv2.ConditionReason
		says   string
	}
	missing := step{do: func(*harness) {}, reason: xpv2.ReasonCreating, says: "shop/basket does not exist"}
	unmade := step{do: func(h *harness) {
		if err := h.server.Create(h.t.Context(), basket("basket", "")); err != nil {
			h.t.Fatal(err)
		}
	}, reason: xpv2.ReasonCreating, says: "does not exist in AWS yet"}
	broken := step{do: func(h *harness) {
		h.change(func(mg *thing) { mg.Spec.OtherRef = nil })
		h.resolver.err = errors.New(refused)
	}, reason: xpv2.ReasonUnavailable, says: refused}
	unread := step{do: func(h *harness) {
		h.change(func(mg *thing) { mg.Spec.OtherRef = nil })
		h.resolver.err, h.cloud.fail["Get"] = nil, errors.New(denied)
	}, reason: xpv2.ReasonUnavailable, says: denied}
	outage := func(reason xpv2.ConditionReason, says string) step {
		return step{do: func(h *harness) {
			h.change(func(mg *thing) { mg.Spec.OtherRef = nil })
			h.resolver.err, h.cloud.fail["Get"] = nil, errBusy
		}, reason: reason, says: says}
	}
	notCreated := step{do: func(h *harness) {
		delete(h.cloud.fail, "Get")
		h.cloud.fail["Create"] = errors.New("quota")
	}, reason: xpv2.ReasonUnavailable, says: "quota"}
	paused := step{do: func(h *harness) {
		h.change(func(mg *thing) { mg.Annotations = map[string]string{"crossplane.io/paused": "true"} })
	}, reason: xpv2.ReasonCreating, says: "reconciliation is paused"}
	fine := step{do: func(h *harness) {
		h.resolver.err, h.cloud.fail = nil, map[string]error{}
		h.cloud.there, h.cloud.value = true, "a"
	}, reason: xpv2.ReasonAvailable}
	whose := step{do: func(h *harness) { whoseIsIt(h, errors.New("thing cart exists and belongs to another")) }, reason: xpv2.ReasonUnavailable, says: "belongs to another"}
	other := step{do: func(h *harness) { whoseIsIt(h, errors.New("thing cart exists and belongs to a third")) }, reason: xpv2.ReasonUnavailable, says: "belongs to a third"}
	ours := func(s step) step {
		return step{do: func(h *harness) { whoseIsIt(h, nil); s.do(h) }, reason: s.reason, says: s.says}
	}

	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Credentials": {reason: "What was missing is there, and the credentials are refused.", steps: []step{missing, unmade, broken, unread, notCreated, fine}},
		"Read":        {reason: "Or it may not be read.", steps: []step{missing, unread, fine, broken}},
		"MissingAgain": {reason: "What is missing again is told again.", steps: []step{missing, unread, {do: func(h *harness) {
			h.change(func(mg *thing) { mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket"} })
		}, reason: xpv2.ReasonCreating, says: "shop/basket does not exist"}}},
		"Paused":         {reason: "Nothing is waited for.", steps: []step{missing, paused}},
		"Foreign":        {reason: "Whose it is may have changed, but nobody can see.", steps: []step{whose, other, ours(broken), unread, outage(xpv2.ReasonUnavailable, "concurrent"), fine}},
		"Available":      {reason: "What was served is served as far as is known, while AWS alone cannot be asked.", steps: []step{ours(step{do: func(h *harness) { h.change(func(mg *thing) { mg.Spec.OtherRef = nil }) }, reason: xpv2.ReasonAvailable}), fine, outage(xpv2.ReasonAvailable, ""), unread, outage(xpv2.ReasonUnavailable, "concurrent"), fine}},
		"NothingIsKnown": {reason: "Nothing is known at first.", steps: []step{broken, unread, outage(xpv2.ReasonUnavailable, "concurrent"), fine}},
		"Outage":         {reason: "An outage keeps it from being created.", steps: []step{outage(xpv2.ReasonCreating, "concurrent"), fine}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := newThing()
			mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket"}
			h := newHarness(t, mg, refer)
			for i, s := range tc.steps {
				s.do(h)
				for range 3 {
					h.reconcile()
				}
				r := h.stored().GetCondition(xpv2.TypeReady)
				if r.Reason != s.reason || !strings.Contains(r.Message, s.says) || s.says == "" && r.Message != "" {
					t.Errorf("%s\nstep %d: want %s %q, got %+v", tc.reason, i, s.reason, s.says, r)
				}
				if err := managedtest.Contradiction(h.stored()); err != nil {
					t.Errorf("%s\nstep %d: %v", tc.reason, i, err)
				}
				h.reconcile()
				if again := h.stored().GetCondition(xpv2.TypeReady); again != r {
					t.Errorf("%s\nstep %d: it flaps: %+v, then %+v", tc.reason, i, r, again)
				}
			}
			if c := h.stored().GetCondition(xpv2.TypeReady); c.Status == corev1.ConditionUnknown {
				t.Errorf("%s\nReady is unknown", tc.reason)
			}
		})
	}
}

// whoseIsIt has the harness's kind find something foreign, or its own.
func whoseIsIt(h *harness, foreign error) {
	h.change(func(mg *thing) { mg.Spec.OtherRef = nil })
	k := h.kind
	k.Connect = func(context.Context, *thing, *config.Session) (xpmanaged.TypedExternalClient[*thing], error) {
		return &owned{cloud: h.cloud, foreign: foreign}, nil
	}
	h.gate = newGate(&manager{c: h.server}, h.options, k, h.events)
	h.gate.memory.poke(cart, "Secret db")
}
