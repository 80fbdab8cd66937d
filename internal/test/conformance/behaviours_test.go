package conformance

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The words by which sources of a case are AWS's answers or its documentation, and by which they are not.
var (
	answered  = regexp.MustCompile(`\brecorded\b`)
	described = regexp.MustCompile(`\b(documented|model|AWS's documentation|the SDK's source)\b`)
	denied    = regexp.MustCompile(`(?i)not (documented|recorded)`)
)

// TestBehavioursHaveEvidence checks the column Evidence of the page of AWS's behaviours: each case has one that agrees
// with its sources, and names a scenario that exists, if any.
func TestBehavioursHaveEvidence(t *testing.T) {
	b, err := os.ReadFile("../../../docs/design/aws-behaviours.md")
	if err != nil {
		t.Fatal(err)
	}
	names := scenarioNames(t)
	all, shown := Behaviours(string(b)), map[string]bool{}
	for _, row := range all {
		if row.Scenario != "" && !slices.Contains(names, row.Scenario) {
			t.Errorf("there is no scenario %s: %s", row.Scenario, row.Case)
		}
		shown[row.Scenario] = true
	}
	cases := 0
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 4 || cells[0] == "Case" || cells[0] == "---" {
			continue
		}
		cases++
		source := denied.ReplaceAllString(cells[1], "")
		want := "believed"
		switch {
		case answered.MatchString(source):
			want = Recorded
		case described.MatchString(source) && !strings.HasPrefix(cells[1], "Not evidenced"):
			want = "documented"
		}
		if got, _, _ := strings.Cut(cells[2], ","); got != want {
			t.Errorf("%s is %s, and by its sources it is %s", cells[0], got, want)
		}
	}
	if cases != len(all) || cases < 250 {
		t.Errorf("%d cases, of which %d are read", cases, len(all))
	}
	if len(shown) < 15 {
		t.Errorf("only %d scenarios show cases", len(shown)-1)
	}
}
