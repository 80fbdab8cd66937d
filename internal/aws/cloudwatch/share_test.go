package cloudwatch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
)

// TestNamespacesShareRequests has a namespace that makes as many requests as are possible before another makes its own.
func TestNamespacesShareRequests(t *testing.T) {
	type ask func(ctx context.Context, b *Batcher, namespace string, i int) error
	cases := map[string]ask{
		"Samples": func(ctx context.Context, b *Batcher, namespace string, i int) error {
			s := subjectOf(i)
			s.Namespace, s.Function = namespace, namespace+s.Function
			_, _, err := b.Sample(ctx, &fake{}, clock(12, 0, 0), s, lambdaOf("Errors"))
			return err
		},
		"Alarms": func(ctx context.Context, b *Batcher, namespace string, i int) error {
			_, _, err := b.Alarms(ctx, &fake{}, clock(12, 0, 0), namespace,
				[]string{fmt.Sprint(namespace, i)}, time.Minute)
			return err
		},
		"Invocations": func(ctx context.Context, b *Batcher, namespace string, i int) error {
			_, _, err := b.Invocations(ctx, &fake{}, clock(12, 0, 0), namespace, fmt.Sprint(namespace, i), time.Hour)
			return err
		},
	}
	for name, ask := range cases {
		t.Run(name, func(t *testing.T) {
			b := &Batcher{}
			accepted := func(namespace string, n int) (accepted int) {
				for i := range n {
					if err := ask(t.Context(), b, namespace, i); err == nil {
						accepted++
					} else if !errors.Is(err, errTooMany) {
						t.Fatal(err)
					}
				}
				return accepted
			}
			for _, tc := range []struct {
				reason, namespace string
				want              int
			}{
				{"A namespace alone has all.", "greedy", maxRequests},
				{"Another one has a half nevertheless, and not more.", "other", maxRequests / 2},
				{"A third one has a third.", "third", maxRequests / 3},
				{"What was accepted stays.", "greedy", maxRequests},
			} {
				if got := accepted(tc.namespace, maxRequests+10); got != tc.want {
					t.Errorf("%s\n%d requests of %s are accepted, want %d", tc.reason, got, tc.namespace, tc.want)
				}
			}
		})
	}
}

// TestNamespacesShareCalls has a namespace with more rollouts than the calls of a slot can measure, whose functions
// come first in the alphabet, and another one with a single rollout.
func TestNamespacesShareCalls(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	const rollouts = 3000
	measured := 0
	for _, second := range []int{0, 1} {
		for i := range rollouts + 1 {
			s := subjectOf(i)
			if s.Namespace, s.Function = "greedy", fmt.Sprintf("a%04d", i); i == rollouts {
				s.Namespace, s.Function = "other", "z"
			}
			_, wait, err := b.Sample(t.Context(), f, clock(12, 0, second), s, lambdaOf("ErrorRate"))
			switch {
			case wait == 0 && err == nil:
				measured++
			case second == 1 && (i == rollouts || !errors.Is(err, errCalls)):
				t.Fatalf("rollout %d: wait %s, %v", i, wait, err)
			}
		}
	}
	if calls := len(f.calls()); calls != maxCalls || measured < maxQueries*maxCalls/5 {
		t.Errorf("%d calls measure %d rollouts", calls, measured)
	}
}

// TestOwnQueriesPauseNoOthers has queries of users that CloudWatch throttles.
func TestOwnQueriesPauseNoOthers(t *testing.T) {
	b, f := &Batcher{}, &fake{}
	throttles := func(*sdk.GetMetricDataInput) (*sdk.GetMetricDataOutput, error) { return nil, apiError("Throttling") }
	own, shared := customOf(metricQuery("m", 60, false)), lambdaOf("Errors")
	sample := func(second int, custom bool) error {
		m := shared
		if custom {
			m = own
		}
		_, _, err := b.Sample(t.Context(), f, clock(12, 0, second), subjectOf(1), m)
		return err
	}
	f.getMetricData = throttles
	if err := sample(0, true); err == nil {
		t.Fatal("the throttle is no error")
	}
	f.getMetricData = nil
	_ = sample(0, false)
	if err := sample(1, false); err != nil {
		t.Errorf("the throttled queries of a user pause the metrics of others: %v", err)
	}
	if err := sample(1, true); !errors.Is(err, errPaused) {
		t.Errorf("the throttled queries are not paused: %v", err)
	}
	b, f.getMetricData = &Batcher{}, throttles
	_ = sample(0, false)
	_ = sample(1, false)
	if f.getMetricData = nil; !errors.Is(sample(2, true), errPaused) {
		t.Error("a throttle of what many share does not pause the queries of a user")
	}
}
