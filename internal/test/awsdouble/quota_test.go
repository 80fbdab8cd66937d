package awsdouble

import (
	"testing"
	"time"
)

// TestWithinQuota checks which calls share the quota of the control plane.
func TestWithinQuota(t *testing.T) {
	cases := map[string]struct {
		reason    string
		operation string
		want      bool
	}{
		"ControlPlane": {reason: "One call a second is allowed.", operation: "GetFunctionConfiguration"},
		"GetFunction":  {reason: "It has a quota of its own.", operation: "GetFunction", want: true},
		"Invoke": {
			reason:    "Invocations are limited by concurrency, not by this quota.",
			operation: "Invoke",
			want:      true,
		},
		"Stream": {
			reason: "It is an invocation, too.", operation: "InvokeWithResponseStream", want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)
			s := New(Options{Quotas: Quotas{ControlPlane: 1, GetFunction: 2}, Now: func() time.Time { return now }})
			r := &request{service: serviceLambda, operation: tc.operation}
			s.withinQuota(r)
			if got := s.withinQuota(r); got != tc.want {
				t.Errorf("%s\nthe second call within a second is allowed: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
