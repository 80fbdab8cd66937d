package function

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// modifiedLayout is the format of AWS's LastModified.
const modifiedLayout = "2006-01-02T15:04:05.000-0700"

func TestDecide(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ago := func(d time.Duration) *string { return ptr.To(now.Add(-d).Format(modifiedLayout)) }
	some := diff.Changes{{Path: "memorySize", Old: "128", New: "256"}}

	type want struct {
		status  corev1.ConditionStatus
		reason  xpv2.ConditionReason
		message string
		due     call
		anew    bool
		wait    time.Duration
	}
	cases := map[string]struct {
		reason  string
		config  types.FunctionConfiguration
		changes diff.Changes
		input   decisionInput
		want    want
	}{
		"Creating": {
			reason: "While AWS creates, nothing is sent, whatever differs.",
			config: types.FunctionConfiguration{
				State: types.StatePending, StateReason: ptr.To("The function is being created."),
				StateReasonCode: types.StateReasonCodeCreating,
			},
			changes: some,
			want: want{
				status: "False", reason: xpv2.ReasonCreating, message: "The function is being created. (Creating)",
			},
		},
		"CreatingUnexplained": {
			reason: "It is told what AWS does, even if AWS does not tell why.",
			config: types.FunctionConfiguration{State: types.StatePending},
			want:   want{status: "False", reason: xpv2.ReasonCreating, message: "AWS is creating the function"},
		},
		"UpdatingUnexplained": {
			reason: "It is told what AWS does, even if AWS does not tell why.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusInProgress,
			},
			want: want{status: "False", reason: v1beta1.ReasonUpdating, message: "AWS is applying the change"},
		},
		"CreatedAgain": {
			reason: "What was active before, and is created again, is not being updated.",
			config: types.FunctionConfiguration{
				State: types.StatePending, StateReason: ptr.To("The function is being created."),
				StateReasonCode: types.StateReasonCodeCreating,
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonCreating, message: "The function is being created. (Creating)",
			},
		},
		"Restoring": {
			reason: "A function that was active before is being updated, not created.",
			config: types.FunctionConfiguration{
				State: types.StatePending, StateReasonCode: types.StateReasonCodeRestoring,
			},
			input: decisionInput{activated: true},
			want:  want{status: "False", reason: v1beta1.ReasonUpdating, message: "(Restoring)"},
		},
		"Updating": {
			reason: "While AWS updates, nothing is sent.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusInProgress,
				LastUpdateStatusReason:     ptr.To("The function is being created."),
				LastUpdateStatusReasonCode: "Creating",
			},
			changes: some,
			input:   decisionInput{activated: true},
			want:    want{status: "False", reason: v1beta1.ReasonUpdating, message: "AWS is applying the change"},
		},
		"Available": {
			reason: "Active and the same: ready.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusSuccessful,
			},
			want: want{status: "True", reason: xpv2.ReasonAvailable},
		},
		"Differs": {
			reason: "What differs makes it not ready, and is named.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusSuccessful,
			},
			changes: some,
			want: want{
				status: "False", reason: v1beta1.ReasonUpdating, message: "changing memorySize",
				due: opUpdateConfiguration,
			},
		},
		"Inactive": {
			reason: "An inactive function does not serve the next invocation.",
			config: types.FunctionConfiguration{
				State: types.StateInactive, StateReason: ptr.To("The function is idle."),
				StateReasonCode: types.StateReasonCodeIdle,
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "Inactive: The function is idle. (Idle)",
			},
		},
		"CreationFailedJustNow": {
			reason: "A failed creation stands for a while, so that a hopeless one is not hammered.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReason: ptr.To("No."),
				StateReasonCode: types.StateReasonCodeInvalidSubnet, LastModified: ago(20 * time.Second),
			},
			input: decisionInput{ours: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable,
				message: "creation failed: No. (InvalidSubnet)", wait: 40 * time.Second,
			},
		},
		"CreationFailed": {
			reason: "A failed creation is deleted, to be created anew.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReason: ptr.To("No."), LastModified: ago(time.Minute),
			},
			input: decisionInput{ours: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "creation failed: No.", anew: true,
			},
		},
		"CreationFailedAndSpecChanged": {
			reason: "A changed spec is tried at once.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReason: ptr.To("No."), LastModified: ago(time.Second),
			},
			input: decisionInput{ours: true, fresh: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "creation failed: No.", anew: true,
			},
		},
		"CreationFailedAgainAndAgain": {
			reason: "A repeated failure is retried at growing intervals.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReason: ptr.To("No."), LastModified: ago(time.Minute),
			},
			input: decisionInput{ours: true, repairs: 3, repaired: now.Add(-time.Minute)},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "creation failed: No.",
				wait: 7 * time.Minute,
			},
		},
		"FailedAndMaybeAnothers": {
			reason: "What this resource may not have created is never deleted, but updated.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReason: ptr.To("No."), LastModified: ago(time.Hour),
			},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "creation failed: No." + notDeleted,
				due: opUpdateConfiguration,
			},
		},
		"FailedAndMaybeAnothersImage": {
			reason: "The call is the one that may help.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReasonCode: types.StateReasonCodeImageDeleted,
				LastModified: ago(time.Hour),
			},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable,
				message: "creation failed: (ImageDeleted)" + notDeleted, due: opUpdateCode,
			},
		},
		"FailedUnreadableTime": {
			reason: "A time that can't be read is long ago, and what was sent since still counts.",
			config: types.FunctionConfiguration{State: types.StateFailed, LastModified: ptr.To("yesterday")},
			input:  decisionInput{repairs: 1, repaired: now.Add(-time.Minute)},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "creation failed: Failed" + notDeleted,
				wait: 9 * time.Minute,
			},
		},
		"NonInvocable": {
			reason: "$LATEST of a function on Lambda Managed Instances is in order though it can't be invoked.",
			config: types.FunctionConfiguration{
				State: types.StateActiveNonInvocable, LastUpdateStatus: types.LastUpdateStatusSuccessful,
				CapacityProviderConfig: &types.CapacityProviderConfig{},
			},
			input: decisionInput{activated: true},
			want:  want{status: "True", reason: xpv2.ReasonAvailable},
		},
		"NonInvocableWithoutInstances": {
			reason: "Any other function that can't be invoked is not in order.",
			config: types.FunctionConfiguration{
				State: types.StateActiveNonInvocable, LastUpdateStatus: types.LastUpdateStatusSuccessful,
			},
			input: decisionInput{activated: true},
			want:  want{status: "False", reason: xpv2.ReasonUnavailable, message: "ActiveNonInvocable"},
		},
		"NonInvocableUpdateFailed": {
			reason: "Ready reports the reason of the failed update, not that of the state.",
			config: types.FunctionConfiguration{
				State: types.StateActiveNonInvocable, StateReason: ptr.To("Not invocable."),
				CapacityProviderConfig: &types.CapacityProviderConfig{},
				LastUpdateStatus:       types.LastUpdateStatusFailed, LastUpdateStatusReason: ptr.To("No capacity."),
				LastModified: ago(time.Minute),
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "update failed: No capacity.",
				wait: 4 * time.Minute,
			},
		},
		"EnvironmentUnreadable": {
			reason: "Ready reports that AWS cannot read the variables.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusSuccessful,
				Environment: &types.EnvironmentResponse{Error: &types.EnvironmentError{
					ErrorCode: ptr.To(
						"KMSDisabledException",
					),
					Message: ptr.To("The key is disabled. (Service: AWSKMS; Request ID: 1)"),
				}},
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable,
				message: "AWS cannot read the environment of the function: The key is disabled. " +
					"(KMSDisabledException); make its KMS key usable and grant the provider kms:Decrypt on it, " +
					"or set another kmsKeyArn",
			},
		},
		"FailedAfterItWasActive": {
			reason: "A function that once was active, with versions and aliases perhaps, is never deleted.",
			config: types.FunctionConfiguration{
				State: types.StateFailed, StateReason: ptr.To("No."), LastModified: ago(time.Hour),
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "update failed: No.",
				due: opUpdateConfiguration,
			},
		},
		"UpdateFailedJustNow": {
			reason: "A failed update is not ready, and not repeated at once.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusFailed,
				LastUpdateStatusReason:     ptr.To("Bad subnet."),
				LastUpdateStatusReasonCode: types.LastUpdateStatusReasonCodeInvalidSubnet,
				LastModified:               ago(time.Minute),
			},
			changes: some,
			input:   decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "update failed: Bad subnet. (InvalidSubnet)",
				wait: 4 * time.Minute,
			},
		},
		"UpdateFailedByAWS": {
			reason: "What is AWS's own to put right is tried again soon.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusFailed,
				LastUpdateStatusReasonCode: "DependencyError", LastModified: ago(time.Minute),
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "update failed: (DependencyError)",
				due: opUpdateConfiguration,
			},
		},
		"UpdateFailedAndSpecChanged": {
			reason: "A changed spec is tried at once.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusFailed,
				LastUpdateStatusReason: ptr.To("Bad subnet."), LastModified: ago(time.Second),
			},
			changes: some,
			input:   decisionInput{activated: true, fresh: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "update failed: Bad subnet.",
				due: opUpdateConfiguration,
			},
		},
		"UpdateFailedLongAgo": {
			reason: "What failed is sent again, by the call that failed.",
			config: types.FunctionConfiguration{
				State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusFailed,
				LastUpdateStatusReasonCode: types.LastUpdateStatusReasonCodeImageDeleted, LastModified: ago(time.Hour),
			},
			input: decisionInput{activated: true},
			want: want{
				status: "False", reason: xpv2.ReasonUnavailable, message: "update failed: (ImageDeleted)",
				due: opUpdateCode,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := sparse()
			o.function.Configuration = &tc.config
			f := tc.input
			f.now, f.updatable, f.recreatable, f.generation = now, true, true, 7
			var calls []call
			if len(tc.changes) > 0 {
				calls = []call{opUpdateConfiguration}
			}
			d := decide(o, calls, tc.changes, f)
			got := want{
				status: d.ready.Status, reason: d.ready.Reason, message: d.ready.Message, due: first(d.due),
				anew: d.recreate, wait: d.wait,
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if d.ready.ObservedGeneration != 7 {
				t.Errorf("%s: the condition must tell its generation, got %d", tc.reason, d.ready.ObservedGeneration)
			}
		})
	}
}

func TestDecideHonoursPolicies(t *testing.T) {
	o := sparse()
	some := diff.Changes{{Path: "memorySize"}}
	if d := decide(o, []call{opUpdateConfiguration}, some, decisionInput{}); first(d.due) != opNone ||
		d.ready.Status != corev1.ConditionTrue {
		t.Errorf("without the Update policy nothing is due, and drift is the user's wish: %+v", d)
	}
	o.function.Configuration.State = types.StateFailed
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if d := decide(o, nil, nil, decisionInput{updatable: true, ours: true, now: now}); d.recreate ||
		first(d.due) != opUpdateConfiguration {
		t.Errorf("without the Delete policy a failed creation is not deleted, but updated: %+v", d)
	}
	if d := decide(o, nil, nil, decisionInput{recreatable: true, ours: true, now: now}); !d.recreate {
		t.Errorf("without the Update policy a failed creation is created anew all the same: %+v", d)
	}
	if d := decide(o, nil, nil, decisionInput{now: now}); d.recreate || first(d.due) != opNone ||
		d.ready.Message != "creation failed: Failed" {
		t.Errorf("without policies what failed is just told: %+v", d)
	}
}

// TestFailedConfigurationLetsCodePass checks that a configuration that AWS fails to apply
// does not block the code.
func TestFailedConfigurationLetsCodePass(t *testing.T) {
	o := sparse(func(c *types.FunctionConfiguration) {
		c.LastUpdateStatus = types.LastUpdateStatusFailed
		c.LastUpdateStatusReasonCode = types.LastUpdateStatusReasonCodeInvalidSubnet
		c.LastModified = ptr.To(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Format(modifiedLayout))
	})
	f := decisionInput{activated: true, updatable: true, now: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)}
	changes := diff.Changes{{Path: "code.sha256"}, {Path: "vpcConfig"}}
	for _, calls := range [][]call{
		{opUpdateConfiguration, opUpdateCode, opPublish},
		{opUpdateCode, opPublish}, // AWS returns the configuration that it has failed to apply.
	} {
		if d := decide(o, calls, changes, f); first(d.due) != opUpdateCode {
			t.Errorf("the code is due, got %+v", d)
		}
	}
	if d := decide(o, []call{opUpdateConfiguration, opPublish}, changes, f); first(d.due) != opNone ||
		d.wait != retryAfter-time.Second {
		t.Errorf("the configuration alone waits, got %+v", d)
	}
	if d := decide(
		o, []call{opTag, opUpdateConfiguration, opPutConcurrency}, changes, f,
	); !slices.Equal(d.due, []call{opTag, opPutConcurrency}) || d.wait == 0 {
		t.Errorf("what is no update does not wait, got %+v", d)
	}
}

// first returns the first call, or opNone if there is none.
func first(calls []call) call {
	if len(calls) == 0 {
		return opNone
	}
	return calls[0]
}
