package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestOtherAccount checks that nothing is called in another account than the one that has the external resource: it
// would be created again there, or seem to be deleted.
func TestOtherAccount(t *testing.T) {
	const mine, other = "123456789012", "210987654321"
	cases := map[string]struct {
		reason string
		// account is that of the credentials after they were replaced.
		account  string
		policies xpv2.ManagementPolicies
		delete   bool
		refused  bool
	}{
		"Same":  {reason: "New credentials of the account change nothing.", account: mine},
		"Other": {reason: "The external resource would be left behind.", account: other, refused: true},
		"Deleted": {
			reason:  "The external resource would be left behind.",
			account: other,
			delete:  true,
			refused: true,
		},
		"Unknown": {reason: "It may be the same account.", account: "unknown-1"},
		"ObserveOnly": {
			reason:   "What is only observed cannot be left behind.",
			account:  other,
			policies: xpv2.ManagementPolicies{xpv2.ManagementActionObserve},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.resolver.account = mine
			e.converge()
			if got := e.stored().GetSummary().AccountID; got != mine {
				t.Fatalf("the account in status is %q, want %q", got, mine)
			}
			e.resolver.account = tc.account
			if tc.policies != nil {
				e.change(func(mg *sample) { mg.Spec.ManagementPolicies = tc.policies })
			}
			if tc.delete {
				e.delete()
			}
			e.reconcile()
			if got := len(e.cloud.calls) == 0; got != tc.refused {
				t.Errorf("%s: calls of AWS: %v", tc.reason, e.cloud.calls)
			}
			c := e.stored().GetCondition(xpv2.TypeSynced)
			if got := c.Status == corev1.ConditionFalse &&
				strings.Contains(c.Message, "it is in AWS account "+mine); got != tc.refused {
				t.Errorf("%s: %+v", tc.reason, c)
			}

			e.resolver.account = mine
			e.reconcile()
			if len(e.cloud.calls) == 0 {
				t.Error("With credentials of the account, it goes on.")
			}
		})
	}
}

// TestAccountOfNothing checks that a resource that has nothing in AWS may change to credentials of another account.
func TestAccountOfNothing(t *testing.T) {
	const mistaken, right = "210987654321", "123456789012"
	cases := map[string]struct {
		reason string
		before func(*env)
	}{
		"Refused": {"AWS has created nothing.", func(e *env) {
			e.cloud.fail["Create"] = &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "not authorized"}
			e.runFor(time.Minute)
			delete(e.cloud.fail, "Create")
		}},
		"Planned": {"A plan creates nothing.", func(e *env) {
			e.reconciler = newReconciler(
				&manager{c: e.server},
				e.options,
				observedBy(e, reconcile.ObserverFunc[*sample](
					func(_ context.Context, _ reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
						// So does the observer of a plan, and one that waits.
						return reconcile.Outcome{Exists: true, Ready: reconcile.Creating(mg.GetGeneration(), "")}, nil
					})),
				e.events,
			)
			e.runFor(time.Minute)
			e.reconciler = newReconciler(&manager{c: e.server}, e.options, e.kind.Untyped(), e.events)
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.resolver.account = mistaken
			tc.before(e)
			e.resolver.account = right
			e.runFor(time.Hour)
			if got := e.stored().GetSummary().AccountID; !e.cloud.there || got != right {
				t.Errorf("%s: the account is %q, created: %t", tc.reason, got, e.cloud.there)
			}
		})
	}
}
