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

// A model is an alias, its versions, its users and its traffic. It checks each decision by what it has recorded itself.
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
	// former are route and revision before the last change, which AWS may still return until staleUntil.
	former     Observation
	staleUntil time.Time
	// foreign is until when an answer may hide that someone else has changed the alias.
	foreign time.Time
	// movingUntil is until when AWS moves the alias, and provisioned says that it takes its time.
	movingUntil time.Time
	provisioned bool
	// refusing says that AWS refuses to change the alias.
	refusing bool

	// inactive, preparing and deleted are versions that AWS has to prepare, prepares, or does not have.
	inactive, deleted map[string]bool
	preparing         map[string]time.Time

	// target is the desired version. bad are versions whose metrics fail.
	target   int
	bad      map[int]bool
	commands map[string]string
	token    int

	// evidence are the versions for which a check has failed, or that the user has rejected.
	evidence map[string]bool
	// seen is how long the present step was observed, and due when the next observation was.
	observed, due time.Time
	inStep        time.Duration

	// left is when the provider has last changed the alias while it invoked a stable version or a target.
	left map[string]time.Time

	// rejected are the fingerprints of versions that were rolled back or refused, and not asked for again since.
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
	// count counts the decisions, accepted the commands that were.
	count    map[string]int
	accepted int
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
		Rand: rand.New(rand.NewPCG(seed, 1)),
		TB:   t,
		seed: seed, //nolint:gosec // Tests are reproducible.
		now: time.Date(2026, 1, 2, 3, 4, 5, 0,
			time.UTC),
		route:       Route{Version: "1"},
		target:      1,
		bad:         map[int]bool{},
		commands:    map[string]string{},
		rejected:    map[string]bool{},
		successes:   map[string]int{},
		last:        map[CheckID]string{},
		inactive:    map[string]bool{},
		deleted:     map[string]bool{},
		preparing:   map[string]time.Time{},
		evidence:    map[string]bool{},
		left:        map[string]time.Time{},
		provisioned: seed%4 == 0,
	}
	m.spec = m.randomSpec()
	return m
}

func (m *model) randomSpec() *v1beta1.AliasRollout {
	s := &v1beta1.AliasRollout{
		ProgressDeadlineSeconds: ptr.To([]int32{60, 600}[m.IntN(2)]),
		OnDrift:                 []string{"Pause", "Revert", "Adopt"}[m.IntN(3)],
	}
	switch m.IntN(4) {
	case 0:
		s.Strategy.AllAtOnce = &v1beta1.AllAtOnceStrategy{}
	case 1:
		s.Strategy.Linear = &v1beta1.LinearStrategy{Percentage: int32(20 + m.IntN(40)), //nolint:gosec // Small.
			Interval: metav1.Duration{Duration: time.Duration(1+m.IntN(5)) * time.Minute}}
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
				Name: "m" + strconv.Itoa(i), Interval: &metav1.Duration{Duration: []time.Duration{
					10 * time.Second,
					time.Minute,
				}[m.IntN(2)]},
				FailureLimit: int32(m.IntN(2)), OnFailure: []string{"Rollback", "Rollback", //nolint:gosec // Small.
					"Pause", "Warn"}[m.IntN(4)], OnError: []string{"Pause", "Rollback"}[m.IntN(2)],
				DryRun: m.chance(10),
			})
		}
		if m.chance(30) {
			s.Analysis.Alarms = &v1beta1.RolloutAlarms{
				Names:       []string{"a"},
				PreExisting: []string{"Ignore", "Block"}[m.IntN(2)],
			}
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
		return v1beta1.CanaryStep{
			Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To(int32(1 + m.IntN(3)))},
		} //nolint:gosec // Small.
	case 2:
		return v1beta1.CanaryStep{Pause: &v1beta1.RolloutPause{
			Duration: &metav1.Duration{Duration: time.Duration(1+m.IntN(10)) * time.Minute},
		}}
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
	m.Fatalf("seed %d: %s\n%+v\n%s", m.seed, fmt.Sprintf(format, args...), m.spec,
		strings.Join(m.log[max(0, len(m.log)-40):], "\n"))
}

// disturb does what users, other people, AWS and time do.
func (m *model) disturb() {
	if m.state != nil && !InProgress(m.state) && m.chance(20) {
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
			r := Route{Version: strconv.Itoa(1 + m.IntN(m.target+1))}
			if m.chance(30) {
				r.Additional, r.Weight = strconv.Itoa(m.target+1), int32(1+m.IntN(99)) //nolint:gosec // Small.
				if r.Additional == r.Version {
					r.Additional, r.Weight = "", 0
				}
			}
			if m.deleted[r.Version] || m.deleted[r.Additional] {
				return
			}
			m.change(r)
			m.foreign = m.staleUntil
			m.logf("someone changes the alias to %s", m.route)
		}
	case 8:
		if m.chance(20) &&
			(m.state == nil || m.state.Intent == nil || m.state.UpdateFailures > 0) {
			// A change that is decided is made before.
			former := m.spec
			m.spec = m.randomSpec()
			m.spec.Paused = former.Paused
			for name := range m.successes { // Those of another definition do not count.
				if is, was := MetricOf(m.spec, name), MetricOf(former, name); is == nil || was == nil ||
					hashOf(*is) != hashOf(*was) {
					delete(m.successes, name)
				}
			}
			m.logf("another spec")
		}
	case 9:
		d := time.Duration(m.IntN(7200)-1800) * time.Second
		m.now, m.clock = m.now.Add(d), m.clock+d
		clear(m.left)
		m.staleUntil, m.movingUntil, m.foreign = m.staleUntil.Add(d), m.movingUntil.Add(d), m.foreign.Add(d)
		for v := range m.preparing {
			m.preparing[v] = m.preparing[v].Add(d)
		}
		m.logf("the clock was set by %s", d)
	case 11:
		if m.state != nil && m.state.Drift != "" {
			if m.deleted[m.state.Stable.FunctionVersion] {
				return
			}
			m.change(expected(m.state))
			m.logf("someone changes the alias back to %s", m.route)
		}
	case 10:
		m.revision++ // The description was changed.
	case 12:
		m.refusing = !m.refusing && m.chance(30)
		m.logf("AWS refuses changes: %t", m.refusing)
	case 13:
		m.idle()
	case 14:
		if m.chance(10) {
			m.recreate()
		}
	}
}

// serves reports whether a version receives invocations.
func (m *model) serves(version string) bool {
	return m.route.Version == version || m.route.Additional == version
}

// idle makes a version inactive, or deletes it, that receives no invocations.
func (m *model) idle() {
	v := strconv.Itoa(1 + m.IntN(m.target))
	switch {
	case m.serves(v) || m.state != nil && (m.state.Stable.FunctionVersion == v || m.state.Target.FunctionVersion == v &&
		InProgress(m.state)):
	case m.chance(70):
		m.inactive[v] = true
		m.logf("version %s is inactive", v)
	case v != strconv.Itoa(m.target):
		m.deleted[v] = true
		m.logf("version %s is deleted", v)
	}
}

// recreate deletes the function and makes it again: version numbers go on, and the alias has to be created.
func (m *model) recreate() {
	for v := range m.target {
		m.deleted[strconv.Itoa(v+1)] = true
	}
	m.target++
	clear(m.left)
	m.logf("the function is made again, with version %d", m.target)
	if m.state == nil {
		m.route = Route{Version: strconv.Itoa(m.target)}
		return
	}
	s := m.state.DeepCopy()
	Restarted(s, strconv.Itoa(m.target), m.now)
	m.state = s
	m.change(Route{Version: strconv.Itoa(m.target)})
	m.movingUntil, m.staleUntil = time.Time{}, time.Time{}
}

// change changes the alias in AWS.
func (m *model) change(r Route) {
	m.former, m.staleUntil = Observation{
		Route:      m.route,
		RevisionID: strconv.Itoa(m.revision),
	}, m.now.Add(time.Duration(m.IntN(20))*time.Second)
	if m.provisioned && r.Version != m.route.Version {
		m.movingUntil = m.now.Add(time.Duration(m.IntN(300)) * time.Second)
	}
	m.route = r
	m.revision++
	m.shifted, m.clock = m.now, 0
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
func (m *model) measure(calm bool) []Measurement {
	var out []Measurement
	due, _ := Due(m.spec, m.state, m.now)
	for _, id := range due {
		if !calm && m.chance(10) {
			continue // There is no value yet.
		}
		r := Success
		if !calm {
			r = m.result(id)
		}
		out = append(out, Measurement{
			CheckID: id, Result: r,
			Until: m.now.Add(-time.Duration(m.IntN(300)) * time.Second),
		})
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

// version returns what AWS has of a version.
func (m *model) version(v string) Version {
	out := Version{Fingerprint: fingerprint(v), Inactive: m.inactive[v], Missing: m.deleted[v]}
	if m.now.Before(m.preparing[v]) {
		out.Pending = "version " + v + " is Pending"
	}
	return out
}

func (m *model) observe(calm bool) Observation {
	o := Observation{
		Route: m.route, RevisionID: strconv.Itoa(m.revision), Target: strconv.Itoa(
			m.target), Commands: m.commands, Measurements: m.measure(calm),
		Versions: map[string]Version{}, Moving: m.now.Before(m.movingUntil),
	}
	if !calm && m.now.Before(m.staleUntil) && m.chance(30) {
		o.Route, o.RevisionID, o.Moving = m.former.Route, m.former.RevisionID, false
	}
	if !calm && m.chance(1) {
		o.Target = ""
	}
	for _, v := range Versions(m.state, m.commands) {
		if calm || m.chance(90) {
			o.Versions[v] = m.version(v)
		}
	}
	return o
}

// once makes one decision and carries it out, unless the process ends or a call fails.
func (m *model) once(calm bool) {
	o := m.observe(calm)
	before := m.state.DeepCopy()
	d := Next(m.spec, m.state, o, m.now)
	if !reflect.DeepEqual(before, m.state) {
		m.failf("Next has changed the state that it was given")
	}
	if m.logs {
		m.logf("%s, alias %s => %s, %s %s%s, after %s", short(before), o.Route, short(d.State), d.Action, d.Route,
			d.Version, d.After)
	}
	m.count[d.State.Phase+" "+d.State.Step+" "+d.State.Reason+" "+string(d.Action)]++
	m.look(before)
	m.check(before, o, d)
	m.carryOut(o, d, calm)
	if calm || m.chance(90) { // Otherwise the state is not persisted.
		m.follow(before, o, d)
		m.state = d.State
		m.observed, m.due = m.now, m.now.Add(d.After)
		if m.spec.Paused {
			m.observed = time.Time{}
		}
		if !calm {
			m.effects(before, d)
		}
	}
	m.sleep(d, calm)
}

// look adds to the time of the step what has passed since the last observation, as far as an observation was due.
func (m *model) look(before *v1beta1.AliasRolloutStatus) {
	if before == nil || m.observed.IsZero() || before.Step == v1beta1.RolloutPaused &&
		before.Reason != v1beta1.RolloutReasonInconclusive {
		return
	}
	m.inStep += max(min(m.now.Sub(m.observed), m.due.Sub(m.observed)), 0) + 2*time.Second // Of rounding.
}

// short describes a state in a line.
func short(s *v1beta1.AliasRolloutStatus) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%s/%s %s of %s->%s w=%d i=%d", s.Phase, s.Step, s.Reason, s.Stable.FunctionVersion,
		s.Target.FunctionVersion, s.ObservedWeight, s.CurrentStepIndex)
}

// carryOut makes the calls of a decision, if they reach AWS.
func (m *model) carryOut(o Observation, d Decision, calm bool) {
	switch d.Action {
	case None:
	case Wake:
		if m.inactive[d.Version] {
			delete(m.inactive, d.Version)
			m.preparing[d.Version] = m.now.Add(time.Duration(m.IntN(200)) * time.Second)
		}
	case Invoke:
		m.invoke(d, calm)
	case Update:
		m.update(o, d, calm)
	}
}

// invoke makes a smoke test.
func (m *model) invoke(d Decision, calm bool) {
	n, _ := strconv.Atoi(d.State.Target.FunctionVersion)
	r := Success
	switch {
	case calm:
	case m.bad[n] && m.chance(20):
		r = Failure
		m.evidence[d.State.Target.FunctionVersion] = true
	case m.chance(10):
		r = Error
	}
	if calm || m.chance(90) { // Otherwise the process ends.
		Record(d.State, Measurement{CheckID: CheckID{CheckPreTraffic, d.Test.Name}, Result: r}, m.now)
	}
}

// update changes the alias.
func (m *model) update(o Observation, d Decision, calm bool) {
	missing := m.deleted[d.Route.Version] || m.deleted[d.Route.Additional]
	if missing || !calm && (m.refusing || m.chance(20)) {
		m.logf("the call fails")
		if missing || m.chance(50) {
			UpdateFailed(d.State, m.now, "no")
		}
		return
	}
	if d.State.Intent.RevisionID != o.RevisionID {
		m.failf("the intent has another revision than the alias was observed with")
	}
	if d.State.Intent.RevisionID != strconv.Itoa(m.revision) {
		m.logf("AWS has another revision")
		return
	}
	for _, r := range []v1beta1.RolloutRevision{d.State.Stable, d.State.Target} {
		if m.serves(r.FunctionVersion) {
			m.left[r.FunctionVersion] = m.now
		}
	}
	m.change(d.Route)
	if calm || m.chance(90) { // Otherwise the answer is lost.
		Updated(d.State)
	}
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
func (m *model) follow(before *v1beta1.AliasRolloutStatus, o Observation, d Decision) {
	if before == nil || !before.StepStartedAt.Equal(d.State.StepStartedAt) || before.ID != d.State.ID {
		m.inStep = 0
	}
	for _, r := range o.Measurements {
		if r.Result != Failure || r.Type == CheckDependency || before == nil {
			continue
		}
		stable, target := before.Stable.FunctionVersion, before.Target.FunctionVersion
		switch o.Route.Additional {
		case "":
			m.evidence[target] = m.evidence[target] || o.Route.Version == target
		case target, stable:
			m.evidence[target] = m.evidence[target] || o.Route.Version == target || o.Route.Version == stable
		}
	}
	m.followCommands(before, d)
	m.followReplaced(d)
	if before != nil && before.Step == v1beta1.RolloutRollingBack && !InProgress(d.State) && m.now.After(m.foreign) &&
		(m.route != Route{Version: d.State.Stable.FunctionVersion}) {
		m.failf("the rollback has ended, and the alias is %s", m.route)
	}
	for _, f := range d.State.FailedTargets {
		if before != nil && slices.ContainsFunc(before.FailedTargets,
			func(b v1beta1.RolloutFailure) bool { return b.FunctionVersion == f.FunctionVersion }) {
			continue
		}
		m.rejected[f.FunctionVersion] = true
		if !m.evidence[f.FunctionVersion] &&
			!(f.Reason == v1beta1.RolloutReasonAborted && m.spec.OnDrift == v1beta1.OnDriftAdopt) {
			m.failf("version %s is rejected (%s) without evidence against it", f.FunctionVersion, f.Reason)
		}
	}
	for _, f := range d.State.FailedTargets {
		if f.Fingerprint != "" && f.Fingerprint == d.State.Stable.Fingerprint {
			m.failf("the code of version %s, which serves, is rejected", d.State.Stable.FunctionVersion)
		}
	}
	for v := range m.rejected { // The user, or someone who has changed the alias, may have chosen it.
		if !slices.ContainsFunc(d.State.FailedTargets,
			func(f v1beta1.RolloutFailure) bool { return f.FunctionVersion == v }) {
			delete(m.rejected, v)
		}
	}
	if before != nil && before.ID != d.State.ID {
		m.full = false
	}
}

// followReplaced checks that status has each version that the alias has invoked within 15 minutes, so that it is not
// deleted. It need not have those that someone else has made the alias invoke.
func (m *model) followReplaced(d Decision) {
	s := d.State
	for v, at := range m.left {
		known := v == s.Stable.FunctionVersion || v == s.Target.FunctionVersion || m.now.Sub(at) > maxTimeout ||
			m.now.Before(m.foreign) || slices.ContainsFunc(s.Replaced, func(r v1beta1.RolloutReplacement) bool {
			return r.FunctionVersion == v && !r.ReplacedAt.Time.Before(at.Truncate(time.Second))
		})
		if !known {
			m.failf("status lacks version %s, which the alias has invoked until %s", v, at)
		}
	}
}

// followCommands records what commands that were carried out mean.
func (m *model) followCommands(before *v1beta1.AliasRolloutStatus, d Decision) {
	if before == nil {
		return
	}
	for c, value := range m.commands {
		waits := before.HandledCommands[c] != value && d.State.HandledCommands[c] != value
		if waits && c != v1beta1.AnnotationRolloutRollbackTo || !waits && before.HandledCommands[c] == value {
			continue
		}
		switch c {
		case v1beta1.AnnotationRolloutPromoteFull:
			m.full = d.State.Step == v1beta1.RolloutPromoting
		case v1beta1.AnnotationRolloutAbort, v1beta1.AnnotationRolloutRollbackTo:
			m.evidence[before.Target.FunctionVersion], m.evidence[before.Stable.FunctionVersion] = true, true
		}
	}
}

// effects checks that a command that was accepted has its documented effect, if nothing disturbs it.
func (m *model) effects(before *v1beta1.AliasRolloutStatus, d Decision) {
	for _, e := range d.Events {
		if e.Reason != v1beta1.EventRolloutCommand || e.Warning || before == nil || m.now.Before(m.foreign) {
			continue
		}
		m.accepted++
		name, value, _ := strings.Cut(e.Message, " (")
		m.effect(before, v1beta1.RolloutAnnotationPrefix+name, strings.TrimSuffix(value, ")"))
	}
}

func (m *model) effect(before *v1beta1.AliasRolloutStatus, command, value string) {
	if promotes := command == v1beta1.AnnotationRolloutPromote ||
		command == v1beta1.AnnotationRolloutPromoteFull; promotes &&
		before.Target.FunctionVersion != strconv.Itoa(m.target) {
		return // Another version is desired now, which the observation has not shown.
	}
	if command == v1beta1.AnnotationRolloutPromote && before.StepHash != hashOf(m.spec.Strategy) {
		return // The command ends a pause of the former strategy. The steps of the new one begin with their own pauses.
	}
	f := m.fork()
	if deadline := time.Duration(*m.spec.ProgressDeadlineSeconds) * time.Second; m.movingUntil.Sub(m.now) > deadline {
		f.movingUntil = time.Time{} // Otherwise the rollout fails before AWS accepts a change.
	}
	target, stable := Route{Version: before.Target.FunctionVersion}, Route{Version: before.Stable.FunctionVersion}
	var has func() bool
	switch command {
	case v1beta1.AnnotationRolloutAbort:
		has = func() bool { return !InProgress(f.state) && f.route == stable }
	case v1beta1.AnnotationRolloutRollbackTo:
		version, _, _ := strings.Cut(value, "/")
		has = func() bool { return !InProgress(f.state) && f.route == Route{Version: version} }
	case v1beta1.AnnotationRolloutRetry:
		if f.target = 0; before.Target.FunctionVersion != "" {
			f.target, _ = strconv.Atoi(before.Target.FunctionVersion)
		}
		if strconv.Itoa(m.target) != before.Target.FunctionVersion || m.deleted[before.Target.FunctionVersion] {
			return // Another version is desired now.
		}
		has = func() bool { return f.state.Phase == v1beta1.RolloutProgressing || f.route == target }
	case v1beta1.AnnotationRolloutPromoteFull:
		has = func() bool { return f.route == target }
	case v1beta1.AnnotationRolloutPromote:
		if before.Reason == v1beta1.RolloutReasonAliasChanged {
			has = func() bool { return f.route == expected(before) }
			break
		}
		has = func() bool { return m.state.CurrentStepIndex > before.CurrentStepIndex }
	}
	for range 500 {
		if has() {
			return
		}
		f.once(true)
	}
	m.failf("the command %s (%s) has no effect: alias %s, %s", command, value, f.route, short(f.state))
}

// fork returns a copy of the model in which nothing disturbs the rollout.
func (m *model) fork() *model {
	f := *m
	f.Rand = rand.New(rand.NewPCG(m.seed, 2)) //nolint:gosec // Tests are reproducible.
	f.spec, f.state = m.spec.DeepCopy(), m.state.DeepCopy()
	f.spec.Paused, f.log, f.staleUntil, f.refusing = false, nil, time.Time{}, false
	f.left = maps.Clone(m.left)
	for _, set := range []*map[string]bool{&f.inactive, &f.deleted, &f.rejected, &f.evidence} {
		*set = maps.Clone(*set)
	}
	f.preparing, f.commands, f.successes, f.last = maps.Clone(m.preparing), maps.Clone(m.commands), maps.Clone(
		m.successes), maps.Clone(m.last)
	f.count = map[string]int{}
	maps.Copy(f.state.HandledCommands, f.commands) // Only this one.
	return &f
}

// check checks a decision.
func (m *model) check(before *v1beta1.AliasRolloutStatus, o Observation, d Decision) {
	for _, r := range o.Measurements {
		m.last[r.CheckID] = r.Result
		if r.Result == Success {
			m.successes[r.Name]++
		}
	}
	if d.State.Reason == v1beta1.RolloutReasonProgressDeadlineExceeded &&
		before.Reason != v1beta1.RolloutReasonProgressDeadlineExceeded &&
		m.inStep < time.Duration(*m.spec.ProgressDeadlineSeconds)*time.Second {
		m.failf("the deadline ends a step that was observed for %s", m.inStep)
	}
	if d.Action == None || d.Action == Wake {
		return
	}
	if before == nil || before.Phase != d.State.Phase || before.Step != d.State.Step {
		m.failf("an action before the state that it follows from was persisted")
	}
	if d.Action == Invoke {
		if m.spec.Paused {
			m.failf("a smoke test while spec is paused")
		}
		return
	}
	if before.Intent == nil || intended(before.Intent) != intended(d.State.Intent) ||
		before.Intent.RevisionID != d.State.Intent.RevisionID {
		m.failf("the alias is changed to %s without a persisted intent", d.Route)
	}
	if o.RevisionID == strconv.Itoa(m.revision) { // AWS rejects another one.
		m.checkRoute(before, d)
	}
}

func (m *model) checkRoute(before *v1beta1.AliasRolloutStatus, d Decision) {
	s := before
	target := s.Target.FunctionVersion
	receives := d.Route.Version == target && target != s.Stable.FunctionVersion || d.Route.Additional == target
	if s.Step == v1beta1.RolloutRollingBack && (d.Route != Route{Version: s.Stable.FunctionVersion}) {
		m.failf("a rollback ends at %s, want version %s", d.Route, s.Stable.FunctionVersion)
	}
	if v := d.Route.Version; v != m.route.Version && v != m.route.Additional && s.Step != v1beta1.RolloutRollingBack &&
		(m.inactive[v] || m.deleted[v]) {
		m.failf("version %s receives invocations, and can't serve", v)
	}
	if !receives {
		return
	}
	w, ok := weight(s, d.Route)
	restores := ok && w == s.ObservedWeight
	switch {
	case !ok:
		m.failf("route %s is not of this rollout", d.Route)
	case m.spec.Paused && !restores:
		m.failf("the target receives %d %% while spec is paused", w)
	case m.rejected[target]:
		m.failf("version %s has failed, and receives %d %% unasked", target, w)
	case !restores && w > s.ObservedWeight && s.ObservedWeight > 0 && !m.full && !s.Direct:
		m.checkAnalysis(w)
	}
}

// checkAnalysis checks that each metric that counts has succeeded since the last change of the weight.
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

// converge checks that a rollout comes to its end if nothing disturbs it any more: by itself, or after an abort.
func (m *model) converge() {
	m.spec.Paused, m.refusing = false, false
	end := func(rounds int) bool {
		for range rounds {
			if m.once(true); m.state.Step == v1beta1.RolloutPaused &&
				(m.state.Reason == v1beta1.RolloutReasonPauseStep ||
					m.state.Reason == v1beta1.RolloutReasonAliasChanged) {
				return false
			}
			if d := Next(m.spec, m.state, m.observe(true), m.now); d.Action == None && !InProgress(m.state) &&
				!InProgress(d.State) && m.state.Drift == "" {
				return true
			}
		}
		return false
	}
	for range 4 {
		if end(2000) {
			return
		}
		if m.state.Drift == "" && m.state.Reason != v1beta1.RolloutReasonPauseStep {
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

// history makes the decisions of a random history. It returns false if a check has failed that was not logged.
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
	m.logs, m.count = logs, seen
	for range stepsPerHistory {
		m.disturb()
		m.once(false)
	}
	m.converge()
	return true
}
