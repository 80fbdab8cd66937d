package provisionedconcurrencyconfig

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

var testNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// item returns an item that was requested some time ago.
func item(status types.ProvisionedConcurrencyStatusEnum, requested int32, ago time.Duration) *answer {
	return &answer{
		Status:                                   status,
		RequestedProvisionedConcurrentExecutions: &requested,
		LastModified:                             ptr.To(testNow.Add(-ago).Format("2006-01-02T15:04:05+0000")),
	}
}

func TestDecide(t *testing.T) {
	const (
		inProgress = types.ProvisionedConcurrencyStatusEnumInProgress
		ready      = types.ProvisionedConcurrencyStatusEnumReady
		failed     = types.ProvisionedConcurrencyStatusEnumFailed
	)
	because := item(failed, 5, time.Minute)
	because.StatusReason = ptr.To("FUNCTION_ERROR_INIT_FAILURE")
	undated := item(failed, 5, 0)
	undated.LastModified = ptr.To("yesterday")
	cases := map[string]struct {
		reason  string
		there   *answer
		was     xpv2.Condition
		spec    int32
		ready   xpv2.ConditionReason
		message string
		call    string
		wait    time.Duration
	}{
		"New": {
			reason:  "AWS takes some minutes.",
			there:   item(inProgress, 5, 0),
			spec:    5,
			ready:   xpv2.ReasonCreating,
			message: "IN_PROGRESS",
		},
		"StillNew": {
			reason:  "A configuration that was never READY is being created.",
			there:   item(inProgress, 5, 0),
			was:     reconcile.Creating(2, ""),
			spec:    5,
			ready:   xpv2.ReasonCreating,
			message: "IN_PROGRESS",
		},
		"InMotion": {
			reason:  "A configuration that was READY before is being updated.",
			there:   item(inProgress, 5, 0),
			was:     reconcile.Available(2),
			spec:    5,
			ready:   v1beta1.ReasonUpdating,
			message: "IN_PROGRESS",
		},
		"ChangedInMotion": {
			reason:  "AWS is let finish.",
			there:   item(inProgress, 5, 0),
			was:     reconcile.Available(2),
			spec:    9,
			ready:   v1beta1.ReasonUpdating,
			message: "IN_PROGRESS",
		},
		"Ready": {
			reason: "AWS reports READY.",
			there:  item(ready, 5, 0),
			was:    reconcile.Updating(2, ""),
			spec:   5,
			ready:  xpv2.ReasonAvailable,
		},
		"Changed": {
			reason:  "Spec requests another number.",
			there:   item(ready, 5, 0),
			was:     reconcile.Available(2),
			spec:    9,
			ready:   v1beta1.ReasonUpdating,
			message: "changing provisionedConcurrentExecutions",
			call:    opPut,
		},
		"Failed": {
			reason:  "AWS's reason is shown, and it is tried again later.",
			there:   because,
			was:     reconcile.Creating(2, ""),
			spec:    5,
			ready:   xpv2.ReasonUnavailable,
			message: "FAILED: FUNCTION_ERROR_INIT_FAILURE",
			wait:    4 * time.Minute,
		},
		"FailedLongAgo": {
			reason:  "The cause of the failure may have been corrected.",
			there:   item(failed, 5, 5*time.Minute),
			spec:    5,
			ready:   xpv2.ReasonUnavailable,
			message: "FAILED",
			call:    opPut,
		},
		"FailedUndated": {
			reason:  "A time that can't be read is long ago.",
			there:   undated,
			spec:    5,
			ready:   xpv2.ReasonUnavailable,
			message: "FAILED",
			call:    opPut,
		},
		"FailedChanged": {
			reason:  "Another number is requested at once.",
			there:   because,
			spec:    3,
			ready:   xpv2.ReasonUnavailable,
			message: "FAILED: FUNCTION_ERROR_INIT_FAILURE",
			call:    opPut,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1beta1.ProvisionedConcurrencyConfig{}
			mg.Spec.ForProvider.ProvisionedConcurrentExecutions = &tc.spec
			if tc.was.Type != "" {
				mg.SetConditions(tc.was)
			}
			forProvider, initProvider, _ := desired(t.Context(), mg)
			changes := reconcile.Merge(forProvider, initProvider).Compare(fromAWS(tc.there)).Changes
			got := decide(tc.there, changes, state(tc.there, mg.GetCondition(xpv2.TypeReady), 2), testNow)
			if got.Ready.Reason != tc.ready || got.Ready.Message != tc.message || got.Ready.ObservedGeneration != 2 {
				t.Errorf(
					"%s\nReady is %s %q of generation %d",
					tc.reason,
					got.Ready.Reason,
					got.Ready.Message,
					got.Ready.ObservedGeneration,
				)
			}
			if (got.Ready.Status == corev1.ConditionTrue) != (tc.ready == xpv2.ReasonAvailable) {
				t.Errorf("%s\nReady is %s", tc.reason, got.Ready.Status)
			}
			if got.Call != tc.call || got.Wait != tc.wait || (tc.spec == 5) != (len(got.Changes) == 0) {
				t.Errorf("%s\ncalls %q for %q, waits %v", tc.reason, got.Call, got.Changes, got.Wait)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	there := item(types.ProvisionedConcurrencyStatusEnumReady, 5, 0)
	cases := map[string]struct {
		reason  string
		spec    *int32
		initial *v1beta1.ProvisionedConcurrencyConfigSettings
		changes string
		asMade  bool
	}{
		"Same": {reason: "Nothing differs.", spec: ptr.To[int32](5), asMade: true},
		"Changed": {
			reason:  "The number differs.",
			spec:    ptr.To[int32](7),
			changes: "provisionedConcurrentExecutions: 5 -> 7",
		},
		"Scaled": {
			reason:  "What Application Auto Scaling does is left alone.",
			initial: &v1beta1.ProvisionedConcurrencyConfigSettings{ProvisionedConcurrentExecutions: ptr.To[int32](2)},
		},
		"Both": {
			reason:  "What is always wanted wins.",
			spec:    ptr.To[int32](7),
			initial: &v1beta1.ProvisionedConcurrencyConfigSettings{ProvisionedConcurrentExecutions: ptr.To[int32](2)},
			changes: "provisionedConcurrentExecutions: 5 -> 7",
		},
		"Neither": {
			reason: "An unset number is left to AWS. Admission rejects it if a create is allowed.",
			asMade: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1beta1.ProvisionedConcurrencyConfig{}
			mg.Spec.ForProvider.ProvisionedConcurrentExecutions, mg.Spec.InitProvider = tc.spec, tc.initial
			forProvider, initProvider, _ := desired(t.Context(), mg)
			if changes := reconcile.Merge(forProvider, initProvider).
				Compare(fromAWS(there)).
				Changes; changes.String() != tc.changes {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, changes, tc.changes)
			}
			created := reconcile.Desired[settings]{Settings: reconcile.Merge(forProvider, initProvider).Settings}
			if got := len(created.Compare(fromAWS(there)).Changes) == 0; got != tc.asMade {
				t.Errorf("%s\nas made is %t", tc.reason, got)
			}
		})
	}
}
