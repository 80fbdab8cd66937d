package rollout

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestValidate checks what a rollout waits for before any invocation moves.
func TestValidate(t *testing.T) {
	canary := v1beta1.RolloutStrategy{
		Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}}},
	}
	same := Version{Fingerprint: "a", Role: "role", DeadLetter: "queue"}
	alarms := func(preExisting string) *v1beta1.RolloutAnalysis {
		return &v1beta1.RolloutAnalysis{Alarms: &v1beta1.RolloutAlarms{
			Names:       []string{"alarm"},
			PreExisting: preExisting,
		}}
	}
	const begins = "" // Its first step has begun, or it was promoted.
	cases := map[string]struct {
		reason   string
		strategy v1beta1.RolloutStrategy
		analysis *v1beta1.RolloutAnalysis
		stable   string
		target   Version
		want     string
	}{
		"Same": {
			reason: "AWS divides the invocations of two such versions.", strategy: canary,
			target: Version{Fingerprint: "b", Role: "role", DeadLetter: "queue"}, want: begins,
		},
		"Role": {
			reason: "AWS does not, if their roles differ.", strategy: canary,
			target: Version{Fingerprint: "b", Role: "other", DeadLetter: "queue"},
			want:   "another execution role or dead letter queue",
		},
		"DeadLetter": {
			reason: "Nor if their dead letter queues do.", strategy: canary,
			target: Version{Fingerprint: "b", Role: "role"}, want: "another execution role or dead letter queue",
		},
		"Latest": {
			reason: "Nor of $LATEST and a version.", strategy: canary, stable: "$LATEST",
			target: Version{Fingerprint: "b", Role: "role", DeadLetter: "queue"}, want: "the alias invokes $LATEST",
		},
		"LatestAllAtOnce": {
			reason:   "The alias gets no weight.",
			strategy: v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}}, stable: "$LATEST",
			target: Version{Fingerprint: "b", Role: "role", DeadLetter: "queue"}, want: begins,
		},
		"LatestOfSameCode": {
			reason: "Nor does it get one if the version has the code of $LATEST.", strategy: canary, stable: "$LATEST",
			target: same, want: begins,
		},
		"AllAtOnce": {
			reason:   "The alias gets no weight.",
			strategy: v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}},
			target:   Version{Fingerprint: "b", Role: "other"}, want: begins,
		},
		"Pending": {
			reason: "AWS prepares it, as with SnapStart.", strategy: canary,
			target: Version{Fingerprint: "b", Role: "role", DeadLetter: "queue", Pending: "version 2 is Pending"},
			want:   "version 2 is Pending",
		},
		"AlarmBefore": {
			reason: "An alarm that fired before does not block the fix.", strategy: canary,
			analysis: alarms("Ignore"), target: Version{Fingerprint: "b", Role: "role", DeadLetter: "queue"},
			want: begins,
		},
		"AlarmBlocks": {
			reason: "Unless spec says so.", strategy: canary, analysis: alarms("Block"),
			target: Version{Fingerprint: "b", Role: "role", DeadLetter: "queue"}, want: "Alarm alarm: Failure",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := &v1beta1.AliasRollout{Strategy: tc.strategy, Analysis: tc.analysis}
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			stable := cmp.Or(tc.stable, "1")
			o := Observation{Route: Route{Version: stable}, Target: "2", Versions: map[string]Version{
				stable: same,
				"2":    tc.target,
			}}
			var s *v1beta1.AliasRolloutStatus
			decide := func() {
				o.Measurements = nil
				due, _ := Due(spec, s, now)
				for _, id := range due {
					o.Measurements = append(o.Measurements, Measurement{CheckID: id, Result: Failure})
				}
				s = Next(spec, s, o, now).State
				now = now.Add(30 * time.Second)
			}
			for range 4 {
				decide()
			}
			waits := s.Step == v1beta1.RolloutValidating
			if waits != (tc.want != begins) || !strings.Contains(s.Message, tc.want) {
				t.Errorf("\n%s\nstep %s, message %q, want %q", tc.reason, s.Step, s.Message, tc.want)
			}
			if tc.want == begins {
				return
			}
			for range 60 {
				decide()
			}
			if s.Phase != v1beta1.RolloutFailed || s.Reason != v1beta1.RolloutReasonProgressDeadlineExceeded ||
				!strings.Contains(s.Message, tc.want) {
				t.Errorf("\n%s\nafter the deadline: phase %s, reason %s, message %q", tc.reason, s.Phase, s.Reason,
					s.Message)
			}
		})
	}
}

// TestWait checks when a rollout is observed next whose metric has no value yet.
func TestWait(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	spec := &v1beta1.AliasRollout{
		Strategy: v1beta1.RolloutStrategy{
			Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}}},
		},
		Analysis: &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{Name: "errors"}}},
	}
	s := &v1beta1.AliasRolloutStatus{
		ID: "2-x", Phase: v1beta1.RolloutProgressing, Step: v1beta1.RolloutAnalyzing, Stable: v1beta1.RolloutRevision{
			FunctionVersion: "1",
		}, Target: v1beta1.RolloutRevision{FunctionVersion: "2"},
		CurrentStepIndex: 1, StepHash: hashOf(spec.Strategy), ObservedWeight: 10, StartedAt: stamp(
			now), StepStartedAt: stamp(now), ShiftedAt: stamp(now), TrafficStartedAt: stamp(now),
	}
	for wait, want := range map[time.Duration]time.Duration{
		0: time.Second, 40 * time.Second: 40 * time.Second,
		100 * time.Millisecond: time.Second,
	} {
		o := Observation{Route: Route{Version: "1", Additional: "2", Weight: 10}, Target: "2", Wait: wait}
		if d := Next(spec, s, o, now.Add(time.Minute)); d.After != want || d.State.Step != v1beta1.RolloutAnalyzing {
			t.Errorf("with a wait of %s: want another decision after %s, got %s in step %s", wait, want, d.After,
				d.State.Step)
		}
	}
}
