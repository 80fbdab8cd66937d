package rollout

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

var (
	modelSteps = flag.Int("rollout.steps", 1_000_000, "steps of random histories")
	modelSeed  = flag.Uint64("rollout.seed", 0, "the one history to run, 0 for all")
)

// stepsPerHistory is the length of a random history.
const stepsPerHistory = 500

// A model is an alias, its versions, its users and its traffic. It checks each decision by what it
// has recorded itself.
type model struct {
	*rand.Rand
	testing.TB

	seed  uint64
	now   time.Time
	spec  *v1beta1.AliasRollout
	state *v1beta1.AliasRolloutStatus

	// route and revision are those of the alias in AWS.
	route    Route
	revision int

	// target is the desired version. bad are versions whose metrics fail.
	target   int
	bad      map[int]bool
	commands map[string]string
	token    int

	// rejected are the fingerprints of versions that were rolled back or refused, and not asked for
	// again since.
	rejected map[string]bool

	// successes counts the successful measurements of each metric since the last change of weight.
	successes map[string]int
	// last has the last result of each check.
	last map[CheckID]string
	// full is set while the user has skipped the analysis.
	full bool
	// shifted is when the alias was last changed.
	shifted time.Time
	// clock is how far the clock was set since.
	clock time.Duration

	// logs reports whether the history is logged: it is run again if a check fails.
	logs bool
	log  []string
	seen map[string]int
}

func (m *model) chance(percent int) bool { return m.IntN(100) < percent }

// fingerprint returns the hash of a version: each third version has the code of its predecessor.
func fingerprint(version string) string {
	n, _ := strconv.Atoi(version)
	return "f" + strconv.Itoa(n-n%3/2)
}

func newModel(t testing.TB, seed uint64) *model {
	t.Helper()
	m := &model{
		Rand: rand.New(rand.NewPCG(seed, 1)), TB: t, seed: seed, //nolint:gosec // Tests are reproducible.
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), route: Route{Version: "1"}, target: 1, bad: map[int]bool{}, commands: map[string]string{},
		rejected: map[string]bool{}, successes: map[string]int{}, last: map[CheckID]string{},
	}
	m.spec = m.randomSpec()
	return m
}

func (m *model) randomSpec() *v1beta1.AliasRollout {
	s := &v1beta1.AliasRollout{ProgressDeadlineSeconds: ptr.To([]int32{60, 600}[m.IntN(2)]), OnDrift: []string{"Pause", "Revert", "Adopt"}[m.IntN(3)]}
	switch m.IntN(4) {
	case 0:
		s.Strategy.AllAtOnce = &v1beta1.AllAtOnceStrategy{}
	case 1:
		s.Strategy.Linear = &v1beta1.LinearStrategy{Percentage: int32(20 + m.IntN(40)), Interval: metav1.Duration{Duration: time.Duration(1+m.IntN(5)) * time.Minute}} //nolint:gosec // Small.
	default:
		s.Strategy.Canary = &v1beta1.CanaryStrategy{}
		for range 1 + m.IntN(5) {
			s.Strategy.Canary.Steps = append(s.Strategy.Canary.Steps, m.randomStep())
		}
	}
	if m.chance(70) {
		s.Analysis = &v1beta1.RolloutAnalysis{}
		for i := range 1 + m.IntN(2) {
			s.Analysis.Metrics = append(s.Analysis.Metrics, v1beta1.RolloutMetric{
				Name: "m" + strconv.Itoa(i), Interval: &metav1.Duration{Duration: []time.Duration{10 * time.Second, time.Minute}[m.IntN(2)]},
				FailureLimit: int32(m.IntN(2)), OnFailure: []string{"Rollback", "Rollback", "Pause", "Warn"}[m.IntN(4)], OnError: []string{"Pause", "Rollback"}[m.IntN(2)], DryRun: m.chance(10), //nolint:gosec // Small.
			})
		}
		if m.chance(30) {
			s.Analysis.Alarms = &v1beta1.RolloutAlarms{Names: []string{"a"}, PreExisting: []string{"Ignore", "Block"}[m.IntN(2)]}
		}
		if m.chance(20) {
			s.Analysis.Trigger = &v1beta1.RolloutTrigger{Mode: []string{"Any", "All"}[m.IntN(2)]}
		}
	}
	if m.chance(30) {
		s.FinalBakeTime = &metav1.Duration{Duration: 5 * time.Minute}
	}
	if m.chance(30) {
		s.RollbackWindow = &v1beta1.RolloutRollbackWindow{Revisions: 2}
	}
	if m.chance(30) {
		s.PreTraffic = []v1beta1.RolloutSmokeTest{{Name: "s"}, {Name: "t"}}
	}
	if m.chance(20) {
		s.Dependencies = []v1beta1.RolloutDependency{{Name: "d"}}
	}
	return s
}

func (m *model) randomStep() v1beta1.CanaryStep {
	switch m.IntN(6) {
	case 0:
		return v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{}}
	case 1:
		return v1beta1.CanaryStep{Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To(int32(1 + m.IntN(3)))}} //nolint:gosec // Small.
	case 2:
		return v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: time.Duration(1+m.IntN(10)) * time.Minute}}}
	}
	return v1beta1.CanaryStep{SetWeight: ptr.To(int32(1 + m.IntN(99)))} //nolint:gosec // Small.
}

func (m *model) logf(format string, args ...any) {
	if !m.logs {
		return
	}
	m.log = append(m.log, m.now.Format(time.TimeOnly)+" "+fmt.Sprintf(format, args...))
}

// failedError ends a history that is not logged.
type failedError struct{}

func (m *model) failf(format string, args ...any) {
	m.Helper()
	if !m.logs {
		panic(failedError{})
	}
	m.Fatalf("seed %d: %s\n%+v\n%s", m.seed, fmt.Sprintf(format, args...), m.spec, strings.Join(m.log[max(0, len(m.log)-40):], "\n"))
}

// disturb does what users, other people, AWS and time do.
func (m *model) disturb() {
	if m.state != nil && !active(m.state) && m.chance(20) {
		m.spec.Paused = false
		m.target++
		m.bad[m.target] = m.chance(30)
		m.logf("version %d is desired, bad %t", m.target, m.bad[m.target])
	}
	switch m.IntN(150) {
	case 0, 1:
		m.target++
		m.bad[m.target] = m.chance(40)
		m.logf("version %d is desired, bad %t", m.target, m.bad[m.target])
	case 2:
		m.target = max(1, m.target-1)
		m.logf("version %d is desired", m.target)
	case 3:
		m.spec.Paused = !m.spec.Paused
		m.logf("paused %t", m.spec.Paused)
	case 4, 5, 6:
		m.order()
	case 7:
		if m.chance(10) {
			m.route = Route{Version: strconv.Itoa(1 + m.IntN(m.target+1))}
			if m.chance(30) {
				m.route.Additional, m.route.Weight = strconv.Itoa(m.target+1), int32(1+m.IntN(99)) //nolint:gosec // Small.
				if m.route.Additional == m.route.Version {
					m.route.Additional, m.route.Weight = "", 0
				}
			}
			m.revision++
			m.shifted = m.now
			m.logf("someone changes the alias to %s", m.route)
		}
	case 8:
		if m.chance(20) {
			paused := m.spec.Paused
			m.spec = m.randomSpec()
			m.spec.Paused = paused
			m.logf("another spec")
		}
	case 9:
		d := time.Duration(m.IntN(7200)-1800) * time.Second
		m.now, m.clock = m.now.Add(d), m.clock+d
		m.logf("the clock was set by %s", d)
	case 11:
		if m.state != nil && m.state.Drift != "" {
			m.route = expected(m.state)
			m.revision++
			m.logf("someone changes the alias back to %s", m.route)
		}
	case 10:
		m.revision++ // The description was changed.
	}
}

// order sets a command annotation.
func (m *model) order() {
	c := commands[m.IntN(len(commands))].name
	m.token++
	m.commands[c] = strconv.Itoa(m.token)
	if c == v1beta1.AnnotationRolloutRollbackTo {
		m.commands[c] = fmt.Sprintf("%d/%d", 1+m.IntN(m.target), m.token)
	}
	m.logf("command %s=%s", c, m.commands[c])
}

// measure returns the results of what is due.
func (m *model) measure() []Measurement {
	var out []Measurement
	due, _ := Due(m.spec, m.state, m.now)
	for _, id := range due {
		if m.chance(10) {
			continue // There is no value yet.
		}
		out = append(out, Measurement{CheckID: id, Result: m.result(id)})
	}
	return out
}

func (m *model) result(id CheckID) string {
	n, _ := strconv.Atoi(m.state.Target.FunctionVersion)
	switch {
	case m.chance(5):
		return []string{Inconclusive, Error}[m.IntN(2)]
	case m.bad[n] && m.state.ObservedWeight > 0 && id.Type != CheckDependency && m.chance(80):
		return Failure
	case id.Type != CheckMetric && m.chance(5):
		return Failure
	}
	return Success
}

func (m *model) observe() Observation {
	o := Observation{Route: m.route, RevisionID: strconv.Itoa(m.revision), Target: strconv.Itoa(m.target), Commands: m.commands, Measurements: m.measure(), Versions: map[string]Version{}}
	for _, v := range Versions(m.spec, m.state, m.now) {
		if m.chance(90) {
			o.Versions[v] = Version{Fingerprint: fingerprint(v)}
		}
	}
	return o
}

// once makes one decision and carries it out, unless the process ends or a call fails.
func (m *model) once(calm bool) {
	o := m.observe()
	before := m.state.DeepCopy()
	d := Next(m.spec, m.state, o, m.now)
	if !reflect.DeepEqual(before, m.state) {
		m.failf("Next has changed the state that it was given")
	}
	if m.logs {
		m.logf("%s, alias %s => %s, %s %s, after %s", short(before), m.route, short(d.State), d.Action, d.Route, d.After)
	}
	m.seen[d.State.Phase+" "+d.State.Step+" "+d.State.Reason+" "+string(d.Action)]++
	m.check(before, o, d)
	if d.Action != None && d.Action == Update {
		m.carryOut(d, calm)
	}
	if d.Action == Invoke {
		n, _ := strconv.Atoi(d.State.Target.FunctionVersion)
		r := Success
		if m.bad[n] && m.chance(20) {
			r = Failure
		} else if m.chance(10) {
			r = Error
		}
		if calm || m.chance(90) { // Otherwise the process ends.
			Record(d.State, Measurement{CheckID: CheckID{CheckPreTraffic, d.Test.Name}, Result: r}, m.now)
		}
	}
	if calm || m.chance(90) { // Otherwise the state is not persisted.
		m.follow(before, d)
		m.state = d.State
	}
	m.sleep(d, calm)
}

// short describes a state in a line.
func short(s *v1beta1.AliasRolloutStatus) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%s/%s %s of %s->%s w=%d i=%d", s.Phase, s.Step, s.Reason, s.Stable.FunctionVersion, s.Target.FunctionVersion, s.ObservedWeight, s.CurrentStepIndex)
}

// carryOut changes the alias, if the call reaches AWS.
func (m *model) carryOut(d Decision, calm bool) {
	if !calm && m.chance(20) {
		m.logf("the call fails")
		if m.chance(50) {
			UpdateFailed(d.State, m.now, "no")
		}
		return
	}
	if d.State.Intent.RevisionID != strconv.Itoa(m.revision) {
		m.failf("the intent has another revision than the alias was observed with")
	}
	m.route = d.Route
	m.revision++
	m.shifted, m.clock = m.now, 0
	clear(m.successes)
	clear(m.last)
}

// sleep passes time.
func (m *model) sleep(d Decision, calm bool) {
	switch {
	case calm || m.chance(70):
		m.now = m.now.Add(min(max(d.After, time.Second), 10*time.Minute))
	case m.chance(1):
		m.now = m.now.Add(24 * time.Hour)
		m.logf("a day passes")
	default:
		m.now = m.now.Add(time.Duration(m.IntN(90)) * time.Second)
	}
}

// follow records what the persisted decision means.
func (m *model) follow(before *v1beta1.AliasRolloutStatus, d Decision) {
	for _, f := range d.State.FailedTargets {
		if before == nil || !slices.ContainsFunc(before.FailedTargets, func(b v1beta1.RolloutFailure) bool { return b.FunctionVersion == f.FunctionVersion }) {
			m.rejected[f.FunctionVersion] = true
		}
	}
	if before != nil && before.ID != d.State.ID {
		m.full = false
	}
	for c, value := range d.State.HandledCommands {
		if before != nil && before.HandledCommands[c] == value {
			continue
		}
		switch c {
		case v1beta1.AnnotationRolloutPromoteFull:
			m.full = before != nil && d.State.Step == v1beta1.RolloutPromoting
		case v1beta1.AnnotationRolloutRetry:
			for v := range m.rejected {
				if before != nil && (v == before.Target.FunctionVersion || fingerprint(v) == fingerprint(before.Target.FunctionVersion)) && before.Phase == v1beta1.RolloutFailed {
					delete(m.rejected, v)
				}
			}
		}
	}
}

// check checks a decision.
func (m *model) check(before *v1beta1.AliasRolloutStatus, o Observation, d Decision) {
	for _, r := range o.Measurements {
		m.last[r.CheckID] = r.Result
		if r.Result == Success {
			m.successes[r.Name]++
		}
	}
	if d.Action == None {
		return
	}
	if before == nil || before.Phase != d.State.Phase || before.Step != d.State.Step {
		m.failf("an action before the state that it follows from was persisted")
	}
	if d.Action == Invoke {
		return
	}
	if before.Intent == nil || *before.Intent != *d.State.Intent {
		m.failf("the alias is changed to %s without a persisted intent", d.Route)
	}
	m.checkRoute(before, d)
}

func (m *model) checkRoute(before *v1beta1.AliasRolloutStatus, d Decision) {
	s := before
	target := s.Target.FunctionVersion
	receives := d.Route.Version == target && target != s.Stable.FunctionVersion || d.Route.Additional == target
	if s.Step == v1beta1.RolloutRollingBack && (d.Route != Route{Version: s.Stable.FunctionVersion}) {
		m.failf("a rollback ends at %s, want version %s", d.Route, s.Stable.FunctionVersion)
	}
	if !receives {
		return
	}
	w, ok := weight(s, d.Route)
	restores := ok && w == s.ObservedWeight
	switch {
	case !ok:
		m.failf("route %s is not of this rollout", d.Route)
	case m.spec.Paused:
		m.failf("the target receives %d %% while spec is paused", w)
	case m.rejected[target]:
		m.failf("version %s has failed, and receives %d %% unasked", target, w)
	case !restores && w > s.ObservedWeight && s.ObservedWeight > 0 && !m.full && !s.Direct:
		m.checkAnalysis(w)
	}
}

// checkAnalysis checks that each metric that counts has succeeded since the last change of the
// weight.
func (m *model) checkAnalysis(w int32) {
	a := m.spec.Analysis
	if a == nil || a.Trigger != nil {
		return
	}
	for i := range a.Metrics {
		metric := &a.Metrics[i]
		if metric.DryRun || metric.OnFailure == "Warn" {
			continue
		}
		if m.successes[metric.Name] == 0 {
			m.failf("the target receives %d %% without a success of metric %s", w, metric.Name)
		}
	}
}

// settle checks that a rollout comes to its end if nothing disturbs it any more: by itself, or after
// an abort.
func (m *model) settle() {
	m.spec.Paused = false
	end := func(rounds int) bool {
		for range rounds {
			if m.once(true); m.state.Step == v1beta1.RolloutPaused && (m.state.Reason == ReasonStep || m.state.Reason == ReasonDrift) {
				return false
			}
			if d := Next(m.spec, m.state, m.observe(), m.now); d.Action == None && !active(m.state) && !active(d.State) && m.state.Drift == "" {
				return true
			}
		}
		return false
	}
	for range 4 {
		if end(2000) {
			return
		}
		if m.state.Drift == "" && m.state.Reason != ReasonStep {
			break
		}
		m.logf("abort")
		m.token++
		m.commands[v1beta1.AnnotationRolloutAbort] = "end" + strconv.Itoa(m.token)
	}
	m.failf("the rollout does not end: %+v", m.state)
}

// TestHistories makes random decisions in random histories. It checks that a version that failed
// receives no invocation unasked, that no version is promoted without the analysis, that nothing
// moves while the rollout is paused, that each change of the alias was recorded before, that each
// rollback ends at the stable version, and that each history can be ended.
func TestHistories(t *testing.T) {
	histories := uint64(max(*modelSteps/stepsPerHistory, 1)) //nolint:gosec // It is positive.
	seen := map[string]int{}
	for seed := range histories {
		seed++
		if *modelSeed != 0 {
			seed = *modelSeed
		}
		if !history(t, seed, *modelSeed != 0, seen) {
			history(t, seed, true, seen)
		}
		if *modelSeed != 0 {
			return
		}
	}
	t.Logf("%d histories of %d steps, seeds 1 to %d", histories, stepsPerHistory, histories)
	for _, s := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%8d %s", seen[s], s)
	}
}

// history makes the decisions of a random history. It returns false if a check has failed that was
// not logged.
func history(t *testing.T, seed uint64, logs bool, seen map[string]int) (ok bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			if _, failed := r.(failedError); !failed {
				panic(r)
			}
			ok = false
		}
	}()
	m := newModel(t, seed)
	m.logs, m.seen = logs, seen
	for range stepsPerHistory {
		m.disturb()
		m.once(false)
	}
	m.settle()
	return true
}
