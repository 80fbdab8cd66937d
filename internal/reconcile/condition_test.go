package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

func TestConditions(t *testing.T) {
	cases := map[string]struct {
		reason   string
		got      xpv2.Condition
		want     xpv2.Condition
		inMotion bool
	}{
		"Available": {
			reason: "Ready is True only when AWS serves the desired state.",
			got:    Available(3),
			want: xpv2.Condition{
				Type:               "Ready",
				Status:             corev1.ConditionTrue,
				Reason:             "Available",
				ObservedGeneration: 3,
			},
		},
		"Creating": {
			reason: "A creation ends by itself.",
			got:    Creating(1, "The function is being created."),
			want: xpv2.Condition{
				Type:               "Ready",
				Status:             corev1.ConditionFalse,
				Reason:             "Creating",
				Message:            "The function is being created.",
				ObservedGeneration: 1,
			},
			inMotion: true,
		},
		"Updating": {
			reason: "An update ends by itself.",
			got:    Updating(2, ""),
			want: xpv2.Condition{
				Type:               "Ready",
				Status:             corev1.ConditionFalse,
				Reason:             "Updating",
				ObservedGeneration: 2,
			},
			inMotion: true,
		},
		"Deleting": {
			reason: "A deletion ends by itself.",
			got:    Deleting(2, ""),
			want: xpv2.Condition{
				Type:               "Ready",
				Status:             corev1.ConditionFalse,
				Reason:             "Deleting",
				ObservedGeneration: 2,
			},
			inMotion: true,
		},
		"Unavailable": {
			reason: "A failure does not end by itself.",
			got:    Unavailable(2, "InvalidSubnet"),
			want: xpv2.Condition{
				Type:               "Ready",
				Status:             corev1.ConditionFalse,
				Reason:             "Unavailable",
				Message:            "InvalidSubnet",
				ObservedGeneration: 2,
			},
		},
		"Stalled": {
			reason: "Stalled is abnormal when True.",
			got:    Stalled(2, "handler is wrong"),
			want: xpv2.Condition{
				Type:               "Stalled",
				Status:             corev1.ConditionTrue,
				Reason:             "InvalidInput",
				Message:            "handler is wrong",
				ObservedGeneration: 2,
			},
		},
		"Proceeding": {
			reason: "Stalled is False once the input is right.",
			got:    Proceeding(3),
			want: xpv2.Condition{
				Type:               "Stalled",
				Status:             corev1.ConditionFalse,
				Reason:             "Proceeding",
				ObservedGeneration: 3,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(
				tc.want,
				tc.got,
				cmpopts.IgnoreFields(xpv2.Condition{}, "LastTransitionTime"),
			); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if got := InMotion(tc.got); got != tc.inMotion {
				t.Errorf("%s: InMotion: want %t, got %t", tc.reason, tc.inMotion, got)
			}
		})
	}
}
