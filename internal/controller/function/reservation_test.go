package function

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// fakeAccount has the cached figures of the account, and the current ones in AWS.
type fakeAccount struct {
	remembered, recent *account.Figures

	reads int
}

func (a *fakeAccount) Remembered() (account.Figures, bool) {
	return ptr.Deref(a.remembered, account.Figures{}), a.remembered != nil
}

func (a *fakeAccount) Recent(context.Context, time.Duration) (account.Figures, bool) {
	a.reads++
	return ptr.Deref(a.recent, account.Figures{}), a.recent != nil
}

// provisionedLambda returns the provisioned concurrency of a function.
type provisionedLambda struct {
	provisioned []int32
	err         error
	endless     bool
}

func (p *provisionedLambda) list(
	*lambda.ListProvisionedConcurrencyConfigsInput,
) (*lambda.ListProvisionedConcurrencyConfigsOutput, error) {
	out := &lambda.ListProvisionedConcurrencyConfigsOutput{}
	for _, n := range p.provisioned {
		out.ProvisionedConcurrencyConfigs = append(
			out.ProvisionedConcurrencyConfigs,
			types.ProvisionedConcurrencyConfigListItem{RequestedProvisionedConcurrentExecutions: ptr.To(n)},
		)
	}
	if p.endless {
		out.NextMarker = ptr.To("again")
	}
	return out, p.err
}

func TestCheckReservation(t *testing.T) {
	figures := func(limit, unreserved int32) *account.Figures {
		return &account.Figures{ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved}
	}
	full := figures(1000, 1000)
	cases := map[string]struct {
		reason  string
		account fakeAccount
		api     provisionedLambda
		want    int32
		have    *int32
		message string
		reads   int
	}{
		"Unknown": {reason: "Where nothing is known, AWS decides.", want: 5000},
		"Fits": {
			reason:  "All but the minimum can be reserved, without another read.",
			account: fakeAccount{remembered: full, recent: full}, want: 900,
		},
		"TooMuch": {
			reason: "One more cannot.", account: fakeAccount{remembered: full, recent: full}, want: 901, reads: 1,
			message: "spec.forProvider.reservedConcurrentExecutions is 901: of the account's 1000 concurrent " +
				"executions in this region, 1000 are not reserved for other functions, of which 100 have to stay " +
				"unreserved: reserve at most 900",
		},
		"Others": {
			reason:  "Others have reserved some.",
			account: fakeAccount{remembered: figures(1000, 400), recent: figures(1000, 400)}, want: 301, reads: 1,
			message: "reserve at most 300",
		},
		"Own": {
			reason:  "The function's own reservation is replaced.",
			account: fakeAccount{remembered: figures(1000, 150), recent: figures(1000, 150)}, have: ptr.To[int32](850),
			want: 900,
		},
		"OwnTooMuch": {
			reason:  "The function's own reservation counts as available, but no more than that.",
			account: fakeAccount{remembered: figures(1000, 150), recent: figures(1000, 150)}, have: ptr.To[int32](850),
			want: 901, reads: 1,
			message: "reserve at most 900",
		},
		"Less": {
			reason:  "What is given back always fits, whatever the limit has become.",
			account: fakeAccount{remembered: figures(1000, 10), recent: figures(1000, 10)}, have: ptr.To[int32](850),
			want: 800,
		},
		"None": {
			reason:  "A reservation of 0 takes nothing.",
			account: fakeAccount{remembered: figures(1000, 50), recent: figures(1000, 50)}, want: 0,
		},
		"Stale": {
			reason: "The limit was raised since.", account: fakeAccount{remembered: full, recent: figures(3000, 3000)},
			want: 2000, reads: 1,
		},
		"NotReadAgain": {
			reason: "What cannot be read again is not gone by.", account: fakeAccount{remembered: full}, want: 2000,
			reads: 1,
		},
		"SmallAccount": {
			reason:  "The minimum of a new account is not known, so AWS decides.",
			account: fakeAccount{remembered: figures(10, 10), recent: figures(10, 10)}, want: 5,
		},
		"SmallTooMuch": {
			reason:  "More than there is does not fit anywhere.",
			account: fakeAccount{remembered: figures(10, 10), recent: figures(10, 10)}, want: 11, reads: 1,
			message: "reserve at most 10",
		},
		"Provisioned": {
			reason: "AWS's documentation counts what is provisioned as unreserved, emulators may not: it would be " +
				"part of the reservation.",
			account: fakeAccount{remembered: figures(1000, 850), recent: figures(1000, 850)},
			api:     provisionedLambda{provisioned: []int32{100, 50}}, want: 900, reads: 1,
		},
		"ProvisionedNo": {
			reason:  "Still not more than fits.",
			account: fakeAccount{remembered: figures(1000, 850), recent: figures(1000, 850)},
			api:     provisionedLambda{provisioned: []int32{100, 50}}, want: 901, reads: 1,
			message: "reserve at most 900",
		},
		"NotAllowed": {
			reason:  "If the provisioned concurrency cannot be read, AWS decides.",
			account: fakeAccount{remembered: full, recent: full},
			api:     provisionedLambda{err: testenv.APIError(403, "AccessDeniedException", "no")}, want: 901, reads: 1,
		},
		"Endless": {
			reason:  "If the list of provisioned concurrency does not end, AWS decides.",
			account: fakeAccount{remembered: full, recent: full}, api: provisionedLambda{endless: true}, want: 901,
			reads: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := testenv.NewScripted(t, testenv.Script{
				"ListProvisionedConcurrencyConfigs": testenv.Scripted(tc.api.list),
			})
			th := testExternal(w.Lambda, nil)
			th.account = &tc.account
			err := th.checkReservation(
				t.Context(),
				plan{
					name: "f",
					Comparison: reconcile.Comparison[settings]{
						Target:   settings{ReservedConcurrentExecutions: &tc.want},
						Observed: settings{ReservedConcurrentExecutions: tc.have},
					},
				},
			)
			if (err == nil) != (tc.message == "") || err != nil && !strings.Contains(err.Error(), tc.message) {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.message, err)
			}
			if tc.account.reads != tc.reads {
				t.Errorf("%s\nwant %d reads, got %d", tc.reason, tc.reads, tc.account.reads)
			}
		})
	}
}

// TestReservationIsCheckedBeforeTheCall checks that the provider and the double accept the
// same reservations, also with provisioned concurrency.
func TestReservationIsCheckedBeforeTheCall(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	e.Converge(f)
	figures := func() *account.Figures {
		out, err := e.Lambda.GetAccountSettings(e.Context(), &lambda.GetAccountSettingsInput{})
		if err != nil {
			t.Fatal(err)
		}
		return &account.Figures{
			ConcurrentExecutions:           out.AccountLimit.ConcurrentExecutions,
			UnreservedConcurrentExecutions: *out.AccountLimit.UnreservedConcurrentExecutions,
		}
	}
	e.account = &fakeAccount{remembered: figures(), recent: figures()}
	apply(f, withCode(func(p *v1beta1.FunctionSettings) {
		p.ReservedConcurrentExecutions, p.RecursiveLoop = ptr.To[int32](901), ptr.To("Allow")
	}))
	e.Advance(time.Second)
	e.Double.ResetCalls()
	if _, err := e.Step(f); err == nil || !strings.Contains(err.Error(), "reserve at most 900") {
		t.Errorf("the user is told what is left, got %v", err)
	}
	if got := testenv.Writes(e.Operations()); len(got) > 0 {
		t.Errorf("AWS is not asked, got %v", got)
	}
	if _, err := e.Step(f); err != nil || e.Double.Count("PutFunctionRecursionConfig") != 1 {
		t.Errorf("the rest is changed: %v, %v", e.Operations(), err)
	}
	apply(f, withCode(func(p *v1beta1.FunctionSettings) { p.ReservedConcurrentExecutions = ptr.To[int32](900) }))
	if diff := cmp.Diff([]string{"PutFunctionConcurrency"}, e.Converge(f)); diff != "" {
		t.Errorf("what fits is reserved: -want, +got:\n%s", diff)
	}
}
