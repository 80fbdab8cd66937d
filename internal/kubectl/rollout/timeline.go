package rollout

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// States of an item.
const (
	waiting = iota
	current
	done
	failed
)

// An item is one part of a rollout.
type item struct {
	label string
	state int

	// note describes what the current item waits for.
	note string
}

// A timeline is a rollout from its beginning to its end.
type timeline struct {
	items []item

	// fraction of the items that is done, 0 to 1.
	fraction float64
}

// timelineOf returns the timeline of a rollout. last is the state of the rollout before it ended, nil if it has not
// ended.
func timelineOf(a *v1beta1.Alias, last *v1beta1.AliasRolloutStatus, now time.Time) timeline {
	spec, s := a.Spec.Rollout, a.Status.Rollout
	was := s
	if last != nil {
		was = last
	}
	items, at := layout(spec, was)
	p := timeline{items: items}
	ended := s.Phase == v1beta1.RolloutReady
	for i := range items {
		switch {
		case ended || i < at:
			items[i].state = done
		case i == at && (s.Phase == v1beta1.RolloutFailed && !validates(s) || s.Step == v1beta1.RolloutRollingBack):
			items[i].state = failed
		case i == at:
			items[i].state = current
		}
	}
	within := 0.0
	if at < len(items) && items[at].state == current {
		items[at].note = note(a, now)
		within = elapsed(spec, s, now)
	}
	p.fraction = min((float64(at)+within)/float64(len(items)), 1)
	if ended {
		p.fraction = 1
	}
	if at < len(items) && items[at].state == failed {
		p.items = items[:at+1] // The rest does not happen.
	}
	return p.withRollback(s, was)
}

// withRollback returns a timeline that ends with the rollback, if there is or was one.
func (p timeline) withRollback(s, was *v1beta1.AliasRolloutStatus) timeline {
	to := "version " + s.Stable.FunctionVersion
	switch {
	case s.Step == v1beta1.RolloutRollingBack:
		p.items = append(p.items, item{label: "roll back to " + to, state: current})
	case s.Phase == v1beta1.RolloutFailed && was.Phase == v1beta1.RolloutProgressing:
		p.items = append(p.items, item{label: "rolled back to " + to, state: done})
	}
	return p
}

// layout returns the items of a rollout, and the index of the one that a state is at.
func layout(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) (items []item, at int) {
	items = append(items, item{label: "validate version " + s.Target.FunctionVersion})
	tests := len(items)
	if n := len(spec.PreTraffic); n > 0 && !s.Direct {
		items = append(items, item{label: fmt.Sprintf("smoke tests: %d", n)})
	}
	first := len(items)
	if !s.Direct {
		for _, st := range rollout.CanarySteps(spec.Strategy) {
			items = append(items, item{label: rollout.DescribeStep(st)})
		}
	}
	promote := len(items)
	items = append(items, item{label: "promote: 100 %"})
	if d := rollout.BakeTime(spec); d > 0 && !s.Direct {
		items = append(items, item{label: "bake " + rollout.DescribeDuration(d)})
	}
	switch {
	case s.Phase == v1beta1.RolloutPending && s.Step == v1beta1.RolloutPreTraffic:
		return items, tests
	case s.Phase == v1beta1.RolloutPending, validates(s):
		return items, 0
	case s.ObservedWeight >= hundred:
		return items, len(items) - 1
	case s.Step == v1beta1.RolloutPromoting:
		return items, promote
	}
	return items, min(first+max(int(s.CurrentStepIndex), 0), promote)
}

// note returns what the current item waits for.
func note(a *v1beta1.Alias, now time.Time) string {
	spec, s := a.Spec.Rollout, a.Status.Rollout
	switch s.Step {
	case v1beta1.RolloutPaused:
		if s.Reason == v1beta1.RolloutReasonPauseStep {
			return "waits for: kubectl lambda rollout promote " + a.Name + " -n " + a.Namespace
		}
		return "paused"
	case v1beta1.RolloutShifting:
		return "AWS changes the alias"
	case v1beta1.RolloutValidating:
		if validates(s) {
			return "is tried again at each poll"
		}
	}
	d := rollout.StepDuration(spec, s)
	if d == 0 {
		return succeeded(spec, s)
	}
	if left := d - rollout.Elapsed(s, now); left > 0 {
		return rollout.DescribeDuration(left) + " left"
	}
	return "waits for the checks"
}

// succeeded returns how many of the successes that a step needs each metric has. It is empty if the step needs none.
func succeeded(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) string {
	st := rollout.CurrentStep(spec, s)
	if st == nil || st.Analysis == nil {
		return ""
	}
	needed := ptr.Deref(st.Analysis.Successes, 1)
	least := needed
	for _, r := range checksOf(spec, s) {
		m := rollout.MetricOf(spec, r.Name)
		if r.Type != rollout.CheckMetric || m.DryRun || m.OnFailure == "Warn" { // No step waits for it.
			continue
		}
		least = min(least, r.check.Successes)
	}
	return fmt.Sprintf("%d of %d", least, needed)
}

// elapsed returns the part of the current item that has passed, 0 to 1.
func elapsed(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, now time.Time) float64 {
	d := rollout.StepDuration(spec, s)
	if d == 0 {
		return 0
	}
	return min(float64(rollout.Elapsed(s, now))/float64(d), 1)
}
