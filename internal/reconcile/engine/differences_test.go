package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestObserveReportsDifferences(t *testing.T) {
	const message = `AWS differs from spec: Value is "b" (want "a"); managementPolicies do not allow changing it`
	list := []v1beta1.Difference{{Field: "Value", Desired: `"a"`, Observed: `"b"`}}
	cases := map[string]struct {
		reason   string
		mg       *flowSample
		value    string
		fail     error
		busy     bool
		want     []v1beta1.Difference
		message  string
		reported bool
		err      bool
	}{
		"Same": {
			reason:   "AWS has what spec asks for.",
			mg:       newExternalSample(policies(xpv2.ManagementActionObserve)),
			value:    "a",
			reported: true,
		},
		"ObserveOnly": {
			reason:   "Differences are reported, and nothing is changed.",
			mg:       newExternalSample(policies(xpv2.ManagementActionObserve)),
			value:    "b",
			want:     list,
			message:  message,
			reported: true,
		},
		"ObserveUnnamed": {
			reason:   "Before it is adopted, too.",
			mg:       newExternalSample(unnamed, policies(xpv2.ManagementActionObserve)),
			value:    "b",
			want:     list,
			message:  message,
			reported: true,
		},
		"NoUpdate": {
			reason:   "The policy Create does not include Update.",
			mg:       newExternalSample(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)),
			value:    "b",
			want:     list,
			message:  message,
			reported: true,
		},
		"NoUpdateBusy": {
			reason:   "Without the policy Update, nothing is updated once AWS is no longer busy.",
			mg:       newExternalSample(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)),
			value:    "b",
			busy:     true,
			want:     list,
			message:  message,
			reported: true,
		},
		"Update": {
			reason:   "The update is in progress, which Ready reports instead of the differences.",
			mg:       newExternalSample(),
			value:    "b",
			want:     list,
			reported: true,
		},
		"Foreign": {
			reason:   "What adopting would change is shown before.",
			mg:       newExternalSample(unnamed),
			value:    "b",
			want:     list,
			reported: true,
			err:      true,
		},
		"ForeignUnplanned": {
			reason: "A failed comparison does not hide the owner.",
			mg:     newExternalSample(unnamed),
			value:  "b",
			fail:   errors.New("no"),
			err:    true,
		},
		"Incomparable": {
			reason: "It is not known whether AWS matches spec.",
			mg:     newExternalSample(policies(xpv2.ManagementActionObserve)),
			value:  "b",
			fail:   errors.New("no"),
			err:    true,
		},
		"Deleted": {
			reason: "What differs does not matter any more.",
			mg:     newExternalSample(deletedSample),
			value:  "b",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &fakeExternal{there: true, value: tc.value, busy: tc.busy, fail: map[string]error{"Plan": tc.fail}}
			done := Observe(
				t.Context(),
				c.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}),
				reconcile.Facts{},
				tc.mg,
			)
			if (done.Err != nil) != tc.err {
				t.Errorf("%s\nerror %v", tc.reason, done.Err)
			}
			got, reported := reconcile.Differences{}, done.Differences != nil
			if reported {
				got = *done.Differences
			}
			if diff := cmp.Diff(tc.want, got.List); diff != "" || got.Message != tc.message || reported != tc.reported {
				t.Errorf("%s\nreported %t: %q, -want +got: %s", tc.reason, reported, got.Message, diff)
			}
			if o := ObservationFor(tc.mg, done.Outcome); tc.message != "" && !o.ResourceUpToDate {
				t.Errorf("%s\nnothing may be changed: %+v", tc.reason, o)
			}
			if done.Later != nil || len(done.Events) > 0 {
				t.Errorf("%s\nevents %v, later %v", tc.reason, done.Events, done.Later)
			}
		})
	}
}
