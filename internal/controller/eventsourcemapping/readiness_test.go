package eventsourcemapping

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestReady(t *testing.T) {
	type want struct {
		reason  xpv2.ConditionReason
		message string
	}
	cases := map[string]struct {
		description           string
		state, reason, result string
		enabled               *bool
		want                  want
	}{
		"Creating": {
			description: "It is on its way.",
			state:       stateCreating,
			reason:      "USER_INITIATED",
			want:        want{reason: xpv2.ReasonCreating},
		},
		"CreatingProblem": {
			description: "What AWS says of a problem is shown.",
			state:       stateCreating,
			reason:      "USER_INITIATED",
			result:      "PROBLEM: Connection error",
			want:        want{xpv2.ReasonCreating, "PROBLEM: Connection error"},
		},
		"Updating": {
			description: "It is on its way.",
			state:       stateUpdating,
			reason:      "User action",
			want:        want{v1beta1.ReasonUpdating, "AWS reports the state updating"},
		},
		"Enabling": {
			description: "It is on its way.",
			state:       stateEnabling,
			reason:      "USER_INITIATED",
			want:        want{v1beta1.ReasonUpdating, "AWS reports the state enabling"},
		},
		"Deleting": {
			description: "Someone deleted it.",
			state:       stateDeleting,
			reason:      "USER_INITIATED",
			want:        want{xpv2.ReasonUnavailable, "AWS is deleting the mapping"},
		},
		"Enabled": {
			description: "It serves.",
			state:       stateEnabled,
			reason:      "USER_INITIATED",
			result:      "OK",
			want:        want{reason: xpv2.ReasonAvailable},
		},
		"EnabledNoRecords": {
			description: "That there is nothing to do is no problem.",
			state:       stateEnabled,
			reason:      "User action",
			result:      "No records processed",
			want:        want{reason: xpv2.ReasonAvailable},
		},
		"EnabledProblem": {
			description: "It reads, but the function fails: that is shown.",
			state:       stateEnabled,
			reason:      "User action",
			result:      "PROBLEM: Function call failed",
			want:        want{xpv2.ReasonAvailable, "PROBLEM: Function call failed"},
		},
		"EnabledByLambda": {
			description: "AWS enabled it again.",
			state:       stateEnabled,
			reason:      "LAMBDA_INITIATED",
			want:        want{reason: xpv2.ReasonAvailable},
		},
		"Stopped": {
			description: "AWS calls it enabled, and has stopped.",
			state:       stateEnabled,
			reason:      "EVENT_SOURCE_AUTHN_ERROR",
			want:        want{xpv2.ReasonUnavailable, "AWS has stopped reading the source: EVENT_SOURCE_AUTHN_ERROR"},
		},
		"StoppedInvalid": {
			description: "AWS calls it enabled, and has stopped.",
			state:       stateEnabled,
			reason:      "ESM_CONFIG_NOT_VALID",
			result:      "PROBLEM: x",
			want: want{
				xpv2.ReasonUnavailable,
				"AWS has stopped reading the source: ESM_CONFIG_NOT_VALID: PROBLEM: x",
			},
		},
		"Disabled": {
			description: "Spec wants it so.",
			state:       stateDisabled,
			reason:      "USER_INITIATED",
			enabled:     ptr.To(false),
			want:        want{reason: xpv2.ReasonAvailable},
		},
		"DisabledByUser": {
			description: "Spec does not say so.",
			state:       stateDisabled,
			reason:      "USER_INITIATED",
			want: want{
				xpv2.ReasonUnavailable,
				"a user disabled the mapping; set spec.forProvider.enabled to true to enable it again, or to false to keep it disabled",
			},
		},
		"DisabledByAWS": {
			description: "Spec wants it enabled.",
			state:       stateDisabled,
			reason:      "FUNCTION_CONFIG_NOT_VALID",
			enabled:     ptr.To(true),
			want:        want{xpv2.ReasonUnavailable, "AWS disabled the mapping: FUNCTION_CONFIG_NOT_VALID"},
		},
		"DisabledByProblem": {
			description: "AWS says what is wrong.",
			state:       stateDisabled,
			reason:      "Lambda initiated",
			result:      "PROBLEM: x",
			enabled:     ptr.To(true),
			want:        want{xpv2.ReasonUnavailable, "AWS disabled the mapping: Lambda initiated: PROBLEM: x"},
		},
		"Unheardof": {
			description: "AWS may have new states.",
			state:       "Paused",
			want:        want{xpv2.ReasonUnavailable, "AWS reports the state Paused"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := observed{
				mapping: &lambda.GetEventSourceMappingOutput{
					State:                 ptr.To(tc.state),
					StateTransitionReason: ptr.To(tc.reason),
					LastProcessingResult:  ptr.To(tc.result),
				},
			}
			c := ready(7, o, tc.enabled)
			if diff := cmp.Diff(tc.want, want{c.Reason, c.Message}, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nready(): -want, +got:\n%s", tc.description, diff)
			}
			if c.ObservedGeneration != 7 {
				t.Errorf("it tells generation %d", c.ObservedGeneration)
			}
		})
	}
}

func TestSinceModified(t *testing.T) {
	cases := map[string]struct {
		at   *time.Time
		want time.Duration
	}{
		"Past":    {at: ptr.To(testenv.Start.Add(-time.Minute)), want: time.Minute},
		"Future":  {at: ptr.To(testenv.Start.Add(time.Minute)), want: 0},
		"Unknown": {want: retryAfter},
	}
	for name, tc := range cases {
		if got := sinceModified(
			observed{mapping: &lambda.GetEventSourceMappingOutput{LastModified: tc.at}},
			testenv.Start,
		); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
