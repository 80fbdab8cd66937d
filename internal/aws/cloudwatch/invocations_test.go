package cloudwatch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// countInvocations returns what Invocations returns at last.
func (e *env) countInvocations(function string, within time.Duration) (float64, error) {
	e.Helper()
	for {
		n, wait, err := e.Invocations(e.Context(), e.client, e.clock(), "ns", function, within)
		if wait == 0 {
			return n, err
		}
		e.move(wait)
	}
}

func TestInvocations(t *testing.T) {
	cases := map[string]struct {
		reason string
		ago    time.Duration
		within time.Duration
		want   float64
	}{
		"Now":    {reason: "The present hour counts, although it is not over.", within: time.Hour, want: 1},
		"Within": {reason: "Hours of a day ago count.", ago: 23 * time.Hour, within: 24 * time.Hour, want: 1},
		"SameHour": {
			reason: "The first hour counts as a whole.", ago: 3*time.Hour + 29*time.Minute,
			within: 3 * time.Hour, want: 1,
		},
		"Before": {reason: "What was before does not count.", ago: 5 * time.Hour, within: 3 * time.Hour},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, awsdouble.Options{}, 0)
			e.move(30 * time.Minute)
			m := awsdouble.Metric{
				Region: region, Namespace: "AWS/Lambda", Name: "Invocations",
				Dimensions: map[string]string{"FunctionName": "cart"},
			}
			e.double.PutMetric(m, e.clock().Add(-tc.ago), 1)
			if got, err := e.countInvocations("cart", tc.within); got != tc.want || err != nil {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
			if got, err := e.countInvocations("other", tc.within); got != 0 || err != nil {
				t.Errorf("a function without metrics: got %v, %v", got, err)
			}
		})
	}
}

// TestInvocationsShareCalls counts the invocations of as many functions as a namespace may have.
func TestInvocationsShareCalls(t *testing.T) {
	const functions, within = 300, 168 * time.Hour
	e := newEnv(t, awsdouble.Options{}, 0)
	left, answered := map[string]bool{}, 0
	for i := range functions {
		left[fmt.Sprint("f", i)] = true
	}
	for range 10 {
		for f := range left {
			_, wait, err := e.Invocations(e.Context(), e.client, e.clock(), "ns", f, within)
			if err != nil {
				t.Fatal(err)
			}
			if wait == 0 {
				delete(left, f)
				answered++
			}
		}
		e.move(2 * time.Second)
	}
	if n := len(e.double.Calls()); answered != functions || n > 2 {
		t.Errorf("%d answers by %d calls", answered, n)
	}
}

func TestInvocationsWithoutRights(t *testing.T) {
	e := newEnv(t, awsdouble.Options{}, 0)
	e.double.Fail(awsdouble.Fault{
		Operation: "GetMetricData",
		Error:     awsdouble.AccessDenied("cloudwatch:GetMetricData"),
	})
	if _, err := e.countInvocations("cart", time.Hour); err == nil ||
		!strings.Contains(err.Error(), "cloudwatch:GetMetricData") {
		t.Errorf("want the missing action, got %v", err)
	}
}
