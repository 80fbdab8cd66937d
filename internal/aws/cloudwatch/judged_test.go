package cloudwatch

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// TestEarlierInvocations checks whether a sample has invocations with the present weight: those of the window may all
// be of the weight before, if there is no traffic any more.
func TestEarlierInvocations(t *testing.T) {
	at := func(s rollout.Subject, traffic, present int) rollout.Subject {
		s.TrafficSince, s.Since = clock(12, traffic, 30), clock(12, present, 30)
		return s
	}
	cases := map[string]struct {
		reason  string
		metric  string
		subject rollout.Subject
		of      map[string]series
		want    bool
	}{
		"NoTraffic": {
			"The traffic has ended before the weight.",
			errorRate,
			at(weighted, 0, 2),
			map[string]series{"invocations": complete(10, 10)},
			true,
		},
		"SameMinute": {
			"Those of the minute in which the weight changed may be of the one before.",
			errorRate,
			at(weighted, 0, 2),
			map[string]series{"invocations": complete(10, 10, 10)},
			true,
		},
		"Traffic": {
			"One invocation is enough.",
			errorRate,
			at(weighted, 0, 2),
			map[string]series{"invocations": complete(10, 10, 10, 1)},
			false,
		},
		"FirstWeight": {
			"Before the first weight, the target receives none.",
			errorRate,
			at(weighted, 0, 0),
			map[string]series{"invocations": complete(1)},
			false,
		},
		"None": {
			"Without invocations there are no earlier ones.",
			errorRate,
			at(weighted, 0, 2),
			map[string]series{"invocations": complete()},
			false,
		},
		"StableTraffic": {
			"Those of the stable version say nothing about the target.", errorRate, at(weighted, 0, 2),
			map[string]series{
				"invocations": complete(10, 10), "baselineInvocations": complete(90, 90, 90, 90, 90),
			},
			true,
		},
		"Promoted": {
			"At all invocations, it is the same.",
			errorRate,
			at(whole, 0, 2),
			map[string]series{"earlierInvocations": complete(10, 10)},
			true,
		},
		"PromotedTraffic": {
			"The alias has the invocations of the target.",
			errorRate,
			at(whole, 0, 2),
			map[string]series{"earlierInvocations": complete(10, 10), "invocations": complete(0, 0, 0, 10)},
			false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, id := range []string{
				invocationsID, valueID, baselineID, baselineInvocationsID, earlierID, earlierInvocationsID,
			} {
				if _, ok := tc.of[id]; !ok {
					tc.of[id] = complete()
				}
			}
			metric := lambdaOf(tc.metric)
			w := window{start: clock(12, 0, 0), end: clock(12, 5, 0), period: minute}
			got, err := lambdaMetric{*metric.Provider.Lambda, tc.subject}.evaluate(w, tc.of)
			if err != nil || got.Earlier != tc.want {
				t.Errorf("%s\nEarlier is %t, error %v", tc.reason, got.Earlier, err)
			}
		})
	}
	before, err := newRequest(at(weighted, 0, 0), lambdaOf(errorRate))
	if err != nil {
		t.Fatal(err)
	}
	after, err := newRequest(at(weighted, 0, 2), lambdaOf(errorRate))
	if err != nil {
		t.Fatal(err)
	}
	if before.key == after.key {
		t.Error("the answer for a weight is that for the weight before")
	}
}

// TestWindowOfInterval checks that by default there is nothing between the windows of two measurements.
func TestWindowOfInterval(t *testing.T) {
	cases := map[string]struct {
		reason           string
		interval, window time.Duration
		want             time.Duration
	}{
		"Short":  {"Windows overlap.", time.Minute, 0, 5 * time.Minute},
		"Long":   {"A window has what began since the measurement before.", 10 * time.Minute, 0, 10 * time.Minute},
		"Window": {"A window that the user has set is kept.", 10 * time.Minute, 3 * time.Minute, 3 * time.Minute},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := lambdaOf(errorRate)
			m.Interval = &metav1.Duration{Duration: tc.interval}
			if tc.window > 0 {
				m.Provider.Lambda.Window = &metav1.Duration{Duration: tc.window}
			}
			r, err := newRequest(weighted, m)
			if err != nil || r.length != tc.want {
				t.Errorf("%s\nthe window is %s, error %v, want %s", tc.reason, r.length, err, tc.want)
			}
		})
	}
}
