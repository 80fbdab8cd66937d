package protection

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

var (
	deletedAt = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	now       = deletedAt.Add(time.Minute)
)

func TestDecide(t *testing.T) {
	limit := Policy{Limit: Limit{Max: 50, Window: time.Hour}}
	invoked := Policy{InvokedWithin: 168 * time.Hour}
	both := Policy{Limit: limit.Limit, InvokedWithin: invoked.InvokedWithin}
	const measured, admitted = " measured", " admitted"
	cases := map[string]struct {
		reason  string
		policy  Policy
		state   State
		invoked *Invocations
		full    bool
		asks    string
		want    Decision
	}{
		"Disabled": {
			reason: "Without a policy, nothing waits, and nothing is measured or recorded.",
			state:  State{Held: v1beta1.ReasonTooManyDeletions}, invoked: &Invocations{Count: 1},
		},
		"Begun": {
			reason: "A deletion that AWS has accepted cannot be stopped.",
			policy: both, state: State{Begun: true}, invoked: &Invocations{Count: 1},
		},
		"Confirmed": {
			reason:  "A person has confirmed the deletion.",
			policy:  both,
			state:   State{Confirmation: "2026-05-04T10:00:00Z", Held: v1beta1.ReasonRecentlyInvoked},
			invoked: &Invocations{Count: 1},
			want:    Decision{Confirmed: true},
		},
		"ConfirmedInAnotherZone": {
			reason: "The time may be in any zone.",
			policy: both, state: State{Confirmation: "2026-05-04T12:00:30+02:00"},
			want: Decision{Confirmed: true},
		},
		"MeasureFirst": {
			reason: "A deletion that waits for another reason must not use up the limit.",
			policy: both, invoked: &Invocations{Count: 1}, asks: measured,
			want: Decision{Reason: v1beta1.ReasonRecentlyInvoked},
		},
		"ThenAdmit": {
			reason: "A function that is not invoked counts.",
			policy: both, invoked: &Invocations{}, asks: measured + admitted,
		},
		"NotMeasurable": {
			reason: "Only functions are invoked.",
			policy: both, asks: admitted,
		},
		"LimitOnly": {
			reason: "Without a time after the last invocation, nothing is measured.",
			policy: limit, invoked: &Invocations{Count: 1}, asks: admitted,
		},
		"InvokedOnly": {
			reason: "Without a limit, nothing is recorded.",
			policy: invoked, invoked: &Invocations{}, asks: measured,
		},
		"Invoked": {
			reason:  "The function is in use.",
			policy:  both,
			invoked: &Invocations{Count: 1},
			asks:    measured,
			want: Decision{
				Reason: v1beta1.ReasonRecentlyInvoked,
				Message: "the deletion waits for a confirmation, because the function was invoked in the last 168h: " +
					"to delete it, set the annotation lambda.aws.m.crossplane.io/confirm-deletion to 2026-05-04T10:00:00Z or later; to keep what is in AWS, remove Delete from managementPolicies",
			},
		},
		"NoLongerInvoked": {
			reason: "The function was not invoked for long enough since.",
			policy: invoked, state: State{Held: v1beta1.ReasonRecentlyInvoked}, invoked: &Invocations{}, asks: measured,
		},
		"Unknown": {
			reason:  "Nothing is deleted while CloudWatch does not answer.",
			policy:  both,
			invoked: &Invocations{Err: errors.New("access denied")},
			asks:    measured,
			want: Decision{
				Reason: v1beta1.ReasonInvocationsUnknown,
				Message: "the deletion waits for a confirmation, because it is not known whether the function was invoked in the last 168h: access denied: " +
					"to delete it, set the annotation lambda.aws.m.crossplane.io/confirm-deletion to 2026-05-04T10:00:00Z or later; to keep what is in AWS, remove Delete from managementPolicies",
			},
		},
		"TooMany": {
			reason: "The limit is reached.",
			policy: limit,
			full:   true,
			asks:   admitted,
			want: Decision{
				Reason: v1beta1.ReasonTooManyDeletions,
				Message: "the deletion waits for a confirmation, because the limit of 50 deletions within 1h for resources of ProviderConfig shop/default is reached: " +
					"to delete it, set the annotation lambda.aws.m.crossplane.io/confirm-deletion to 2026-05-04T10:00:00Z or later; to keep what is in AWS, remove Delete from managementPolicies",
			},
		},
		"StillTooMany": {
			reason: "What waits because of the limit does not go when the window has passed.",
			policy: limit, state: State{Held: v1beta1.ReasonTooManyDeletions, Now: now.Add(24 * time.Hour)},
			want: Decision{Reason: v1beta1.ReasonTooManyDeletions},
		},
		"LimitRemoved": {
			reason: "Without a limit, nothing waits because of it.",
			policy: invoked, state: State{Held: v1beta1.ReasonTooManyDeletions},
		},
		"True": {
			reason: "A template could carry it.",
			policy: limit,
			state:  State{Confirmation: "true"},
			full:   true,
			asks:   admitted,
			want: Decision{
				Reason:  v1beta1.ReasonTooManyDeletions,
				Message: `... (the annotation has "true", which is not a time)`,
			},
		},
		"Before": {
			reason: "It was set for an earlier resource of the name.",
			policy: limit,
			state:  State{Confirmation: "2026-05-04T09:59:59Z"},
			full:   true,
			asks:   admitted,
			want: Decision{
				Reason:  v1beta1.ReasonTooManyDeletions,
				Message: "... (the annotation has 2026-05-04T09:59:59Z, which is before the deletion)",
			},
		},
		"Future": {
			reason: "A template could carry it.",
			policy: limit,
			state:  State{Confirmation: "2999-01-01T00:00:00Z"},
			full:   true,
			asks:   admitted,
			want: Decision{
				Reason:  v1beta1.ReasonTooManyDeletions,
				Message: "... (the annotation has 2999-01-01T00:00:00Z, which is in the future)",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.state.DeletedAt, tc.state.Config = deletedAt, "ProviderConfig shop/default"
			if tc.state.Now.IsZero() {
				tc.state.Now = now
			}
			asks := ""
			if tc.invoked != nil {
				tc.state.Measure = func() (Invocations, error) {
					asks += measured
					return *tc.invoked, nil
				}
			}
			tc.state.Admit = func() (bool, error) {
				asks += admitted
				return !tc.full, nil
			}
			got, err := tc.policy.Decide(tc.state)
			if err != nil || asks != tc.asks {
				t.Errorf("%s: asks%s, want%s, error %v", tc.reason, asks, tc.asks, err)
			}
			if end, cut := strings.CutPrefix(
				tc.want.Message,
				"...",
			); cut && strings.HasSuffix(got.Message, end) ||
				tc.want.Message == "" && tc.want.Reason != "" {
				got.Message = tc.want.Message
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUndecided(t *testing.T) {
	later := errors.New("later")
	p := Policy{InvokedWithin: time.Hour, Limit: Limit{Max: 1, Window: time.Hour}}
	s := State{DeletedAt: deletedAt, Now: now, Admit: func() (bool, error) { return false, later }}
	if got, err := p.Decide(s); !errors.Is(err, later) || got != (Decision{}) {
		t.Errorf("not admitted yet: %+v, %v", got, err)
	}
	s.Measure = func() (Invocations, error) { return Invocations{}, later }
	s.Admit = func() (bool, error) { t.Error("admitted before it is measured"); return true, nil }
	if got, err := p.Decide(s); !errors.Is(err, later) || got != (Decision{}) {
		t.Errorf("not measured yet: %+v, %v", got, err)
	}
}

func TestParseLimit(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   Limit
		err    bool
	}{
		"None":     {reason: "There is no limit by default."},
		"Limit":    {reason: "A number and a window.", text: "50/1h", want: Limit{Max: 50, Window: time.Hour}},
		"Minutes":  {reason: "A window of minutes.", text: "5/90m", want: Limit{Max: 5, Window: 90 * time.Minute}},
		"NoWindow": {reason: "The window is missing.", text: "50", err: true},
		"NoNumber": {reason: "The number is missing.", text: "/1h", err: true},
		"Zero":     {reason: "No deletion would be possible.", text: "0/1h", err: true},
		"Many":     {reason: "The record would be too large.", text: "1001/1h", err: true},
		"Short":    {reason: "A short window limits nothing.", text: "5/1s", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseLimit(tc.text)
			if got != tc.want || (err != nil) != tc.err {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
			if again, err := ParseLimit(got.String()); again != got || err != nil {
				t.Errorf("%q is read as %v, %v", got, again, err)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	l := Limit{Max: 2, Window: time.Hour}
	admit := func(r Record, uid string, at time.Duration, want bool) Record {
		t.Helper()
		namespace, uid, _ := strings.Cut(uid, "/")
		next, ok, _ := ParseRecord(r.String()).Admit(namespace, uid, deletedAt.Add(at), l)
		if ok != want {
			t.Errorf("%s after %s: admitted is %t", uid, at, ok)
		}
		return next
	}
	r := admit(nil, "shop/a", 0, true)
	r = admit(r, "shop/b", 30*time.Minute, true)
	r = admit(r, "shop/c", 31*time.Minute, false)
	r = admit(r, "shop/a", 32*time.Minute, true) // It is sent again.
	r = admit(r, "shop/c", 61*time.Minute, true)
	r = admit(r, "blog/d", 62*time.Minute, true)  // Another namespace has its own limit.
	r = admit(r, "shop/a", 62*time.Minute, false) // Its window has passed: it counts again.
	want := Record{
		"shop": {{idOf("b"), deletedAt.Add(30 * time.Minute)}, {idOf("c"), deletedAt.Add(61 * time.Minute)}},
		"blog": {{idOf("d"), deletedAt.Add(62 * time.Minute)}},
	}
	if diff := cmp.Diff(
		want,
		ParseRecord(r.String()),
		cmp.AllowUnexported(entry{}),
		cmpopts.EquateApproxTime(0),
	); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := ParseRecord("x,b@6;shop;:b@6;shop:x,@1,b@y, ,b@7"); len(got) != 1 || len(got["shop"]) != 1 {
		t.Errorf("want what can be read, got %v", got)
	}
}

// TestSizeOfTheRecord checks that the record fits in the annotations of an object, which may have 256 KiB, however many
// namespaces share the config.
func TestSizeOfTheRecord(t *testing.T) {
	l, full := Limit{Max: maxLimit, Window: time.Hour}, Record{}
	for n := range 7 {
		for i := range maxLimit {
			namespace := fmt.Sprintf("%063d", n)
			full[namespace] = append(full[namespace], entry{idOf(fmt.Sprint(n, "-", i)), deletedAt})
		}
	}
	next, ok, _ := full.Admit("shop", "a", deletedAt, l)
	if !ok || len(next.String()) > next.size() {
		t.Errorf(
			"7 namespaces at the largest limit: an eighth may delete: %t; size is %d of %d",
			ok,
			next.size(),
			len(next.String()),
		)
	}
	for i := range 3 * maxLimit {
		namespace := fmt.Sprintf("%060d", i)
		next[namespace] = append(next[namespace], entry{idOf(namespace), deletedAt})
	}
	if _, ok, _ := next.Admit("shop", "b", deletedAt, l); ok {
		t.Errorf("a record of %d bytes becomes longer", next.size())
	}
	if _, ok, _ := next.Admit("shop", "b", deletedAt.Add(l.Window), l); !ok {
		t.Error("after the window, the record has room again")
	}
}

func TestDelay(t *testing.T) {
	for since, want := range map[time.Duration]time.Duration{
		0: time.Minute, 30 * time.Minute: 10 * time.Minute, 24 * time.Hour: time.Hour, -time.Hour: time.Minute,
	} {
		if got := Delay(since); got != want {
			t.Errorf("%s after the deletion: %s", since, got)
		}
	}
}
