package conformance

import (
	"regexp"
	"strings"
)

// Recorded is the evidence of a behaviour that AWS itself has answered to somebody.
const Recorded = "recorded"

// A Behaviour is a row of the page of AWS's behaviours: a case, how it is known, and the scenario that shows it.
type Behaviour struct {
	Section, Case, Evidence, Scenario string
}

// String returns the behaviour as a line.
func (b Behaviour) String() string {
	scenario := b.Scenario
	if scenario == "" {
		scenario = "no scenario"
	}
	return b.Evidence + ", " + scenario + ": " + b.Section + ": " + b.Case
}

var evidence = regexp.MustCompile(`^(recorded|documented|believed)(?:, ([a-z]+))?$`)

// Behaviours returns the rows of the page.
func Behaviours(page string) []Behaviour {
	var out []Behaviour
	section := ""
	for line := range strings.Lines(page) {
		if after, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(after)
		}
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 4 { //nolint:mnd // Case, source, evidence, and what is done.
			continue
		}
		if m := evidence.FindStringSubmatch(cells[2]); m != nil {
			out = append(out, Behaviour{Section: section, Case: cells[0], Evidence: m[1], Scenario: m[2]})
		}
	}
	return out
}
