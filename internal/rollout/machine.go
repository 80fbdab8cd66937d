package rollout

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A machine makes one decision.
type machine struct {
	spec   *v1beta1.AliasRollout
	was, s *v1beta1.AliasRolloutStatus
	o      Observation
	now    time.Time
	steps  []step
	events []Event

	// wake is the number of an inactive version that is to be invoked.
	wake string
}

// driftGrace is the time for which AWS may return the earlier state of the alias. A route that is still another one
// after that is a change by someone else.
const driftGrace = 30 * time.Second

func (m *machine) timeout() time.Duration { return time.Duration(m.s.TimeoutSeconds) * time.Second }

// mayServe reports whether the target has received invocations, or may have: the change of the alias may have been
// sent, or someone else has made it.
func (m *machine) mayServe() bool {
	r, target := m.o.Route, m.s.Target.FunctionVersion
	return m.s.TrafficStartedAt != nil || m.s.Intent != nil || r.Version == target || r.Additional == target
}

// replaced reports whether another version than the target is desired.
func (m *machine) replaced() bool { return m.o.Target != m.s.Target.FunctionVersion }

// revision returns what is known of a version that has not been read yet.
func (m *machine) revision(version string) v1beta1.RolloutRevision {
	return v1beta1.RolloutRevision{FunctionVersion: version, CodeRevision: m.o.Revisions[version]}
}

// newID returns the ID of a rollout of a version that begins now.
func (m *machine) newID(version string) string {
	return version + "-" + strconv.FormatInt(m.now.Unix(), 36)
}

// index returns the index of the current step, at most the number of steps.
func (m *machine) index() int { return min(max(int(m.s.CurrentStepIndex), 0), len(m.steps)) }

// step returns the current step, without any field after the last one.
func (m *machine) step() step {
	if i := m.index(); i < len(m.steps) {
		return m.steps[i]
	}
	return step{}
}

// at reports whether the alias has a route, and AWS does not move it there any more.
func (m *machine) at(r Route) bool { return m.o.Route == r && !m.o.Moving }

// intend records a route as the intent, with the revision of the alias that it changes.
func (m *machine) intend(r Route) {
	accepted := m.s.Intent != nil && m.s.Intent.Accepted && intended(m.s.Intent) == r
	m.s.Intent = &v1beta1.RolloutIntent{
		FunctionVersion: r.Version, AdditionalVersion: r.Additional, Weight: r.Weight, RevisionID: m.o.RevisionID,
		Accepted: accepted,
	}
}

// enter begins a step. A rollback has an ID even if no rollout has begun before it.
func (m *machine) enter(step, reason, message string) {
	m.s.ID = cmp.Or(m.s.ID, m.newID(m.s.Target.FunctionVersion))
	m.s.Step, m.s.Reason, m.s.Message = step, reason, message
	m.s.StepStartedAt, m.s.StepElapsed, m.s.StepRestarts = stamp(m.now), metav1.Duration{}, 0
	m.s.UpdateFailures, m.s.UpdateFailedAt = 0, nil
}

func (m *machine) eventf(warning bool, reason, format string, args ...any) {
	m.events = append(m.events, Event{Warning: warning, Reason: reason, Message: fmt.Sprintf(format, args...)})
}
