package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Step is a step of a random walk: an action on a resource.
type Step struct {
	// What is the name of the action.
	What string

	// Resource is the index of the resource.
	Resource int

	// Choice selects a variant of the action: an update, an operation, a fault.
	Choice int

	// Seconds is the pause after it.
	Seconds int
}

// String returns the step as a seed's replay prints it.
func (s Step) String() string {
	return fmt.Sprintf("%s %d/%d +%ds", s.What, s.Resource, s.Choice, s.Seconds)
}

// actions are the actions of a walk, by frequency.
var actions = map[string]int{
	"create":       6,
	"update":       8,
	"delete":       3,
	"edit in AWS":  4,
	"lose in AWS":  2,
	"fault":        6,
	"late reads":   1,
	"kill":         2,
	"restart":      1,
	"lose lease":   1,
	"step clock":   1,
	"outage":       1,
	"another team": 2,
	"rotate keys":  1,
	"configure":    2,
	"pause":        2,
	"restrict":     2,
	"request":      1,

	"put an object": 1,
	"edit a value":  3,
	"events":        1,

	"roll out":      4,
	"edit a route":  3,
	"lose an alias": 1,
	"command":       2,
}

// Walk returns the steps of a seed: count of them, over a number of resources.
func Walk(seed uint64, count, resources int) []Step {
	r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // The walk is reproducible by its seed.
	var names []string
	for name, weight := range actions {
		names = append(names, slices.Repeat([]string{name}, weight)...)
	}
	slices.Sort(names)
	steps := make([]Step, count)
	for i := range steps {
		steps[i] = Step{
			What:     names[r.IntN(len(names))], //nolint:mnd // Enough to choose from.
			Resource: r.IntN(resources),
			Choice:   r.IntN(1 << 16),
			Seconds:  pause(r),
		}
	}
	return steps
}

// pause returns a random pause. It is seldom long: most faults come close together.
func pause(r *rand.Rand) int {
	switch r.IntN(10) { //nolint:mnd // One in ten.
	case 0:
		return 600 + r.IntN(3600) //nolint:mnd // Polls come in between.
	case 1, 2:
		return r.IntN(60) //nolint:mnd // Up to a minute.
	}
	return r.IntN(4) //nolint:mnd // During a reconcile.
}

// Shrink reduces a walk that fails to fewer steps that still fail. fails runs a walk.
func Shrink(steps []Step, fails func([]Step) bool) []Step {
	for size := len(steps) / 2; size > 0; size /= 2 { //nolint:mnd // Halves.
		for at := 0; at+size <= len(steps); {
			without := slices.Concat(steps[:at], steps[at+size:])
			if fails(without) {
				steps = without
				continue
			}
			at += size
		}
	}
	return steps
}

// Format returns the steps, one a line.
func Format(steps []Step) string {
	b := strings.Builder{}
	for _, s := range steps {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}
