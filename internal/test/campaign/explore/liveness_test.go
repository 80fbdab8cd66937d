package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// convergeWithin is the simulated time within which a resource must converge.
const convergeWithin = 2 * time.Hour

// outcome is the result of a resource that one leader reconciles without faults.
type outcome struct {
	// problem is empty if the resource has converged.
	problem string

	// message is the message of Ready if AWS does not have what spec asks for.
	message string

	// after is how many seconds it took until the last write.
	after int32
}

// converge returns the worst outcome of all states.
func (e *exploration) converge() (worst outcome, message map[string]int, broken int32, problem string) {
	message = map[string]int{}
	done := map[state]outcome{}
	for n := range e.nodes {
		o := e.outcome(e.nodes[n].state, done)
		if o.problem != "" {
			return o, message, int32(n), o.problem //nolint:gosec // As above.
		}
		if o.message != "" {
			message[o.message]++
		}
		if o.after > worst.after {
			worst = o
		}
	}
	return worst, message, -1, ""
}

// outcome returns the outcome of a state. done are those that are known.
func (e *exploration) outcome(s state, done map[state]outcome) outcome {
	// Another leader and further faults make no difference from here on.
	s = alone(s)
	var path []visit
	on := map[state]int{}
	for {
		if o, ok := done[s]; ok {
			return recordOutcomes(done, path, o)
		}
		if from, ok := on[s]; ok {
			return recordOutcomes(done, path, ended(path[from:]))
		}
		on[s] = len(path)
		st := e.workers[0].take(s, label{})
		path = append(path, visit{state: s, wrote: st.wrote, passed: s.due[0]})
		if len(st.violations) > 0 {
			return outcome{problem: strings.Join(st.violations, "; ")}
		}
		s = alone(st.to)
	}
}

// A visit is a visit of a state on the way to the end.
type visit struct {
	state

	// wrote says whether the reconcile from there changes anything, and passed after how many
	// seconds it runs.
	wrote  bool
	passed int32
}

// recordOutcomes records the outcomes of all states on a path with the outcome of its end. It
// returns that of the first.
func recordOutcomes(done map[state]outcome, path []visit, o outcome) outcome {
	for _, v := range slices.Backward(path) {
		if v.wrote || o.after > 0 {
			o.after += v.passed
		}
		if o.problem == "" && time.Duration(o.after)*time.Second > convergeWithin {
			o.problem = "it takes too long"
		}
		done[v.state] = o
	}
	return o
}

// ended returns the outcome of a resource that repeats the same states for ever.
func ended(cycle []visit) outcome {
	var o outcome
	for _, v := range cycle {
		problem, message := judge(v.state)
		switch {
		case v.wrote:
			o.problem = "it goes on writing for ever"
		case problem != "":
			o.problem = problem
		case message != "":
			o.message = message
		}
	}
	return o
}

// alone returns a state without its second leader, and without further faults and changes.
func alone(s state) state {
	s.faults, s.changes = 0, 0
	s.cache = [2]version{s.object, s.object}
	s.memory[1], s.written[1], s.stale[1], s.due[1] = nil, 0, false, 0
	return renumbered(s)
}

// judge returns what is wrong with a stable state, or what Ready says if AWS does not have
// what spec asks for.
func judge(s state) (problem, message string) {
	mg := s.object.object
	var ours []item
	for _, i := range s.aws.now {
		if i.ours() {
			ours = append(ours, i)
		}
	}
	switch {
	case mg == nil && len(ours) > 0:
		return fmt.Sprintf("it has left %v behind", ours), ""
	case mg == nil:
		return "", ""
	case mg.DeletionTimestamp != nil:
		return "it is not deleted", ""
	}
	ready, synced := mg.GetCondition(xpv2.TypeReady), mg.GetCondition(xpv2.TypeSynced)
	there := slices.ContainsFunc(s.aws.now[:], func(i item) bool {
		return i.id != 0 && asWanted(i, mg) && (i.ours() || i.owner == s.incarnation || i.owner == 0)
	})
	switch {
	case ready.Status == corev1.ConditionTrue && synced.Status == corev1.ConditionTrue && there &&
		mg.Status.ObservedGeneration == mg.Generation:
		return "", ""
	case ready.Status == corev1.ConditionTrue:
		return "Ready is True, and AWS does not have what spec asks for", ""
	case ready.Reason != xpv2.ReasonUnavailable || ready.Message == "":
		return "Ready does not say what is wrong", ""
	case len(ours) > 0:
		return fmt.Sprintf("%v is ours and not managed: %s", ours, ready.Message), ""
	}
	return "", ready.Message
}
