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
	names, shown := scenarioNames(t), map[string]bool{}
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
			want = "recorded"
		case described.MatchString(source) && !strings.HasPrefix(cells[1], "Not evidenced"):
			want = "documented"
		}
		got, scenario, has := strings.Cut(cells[2], ", ")
		if got != want {
			t.Errorf("%s is %s, and by its sources it is %s", cells[0], got, want)
		}
		if has && !slices.Contains(names, scenario) {
			t.Errorf("there is no scenario %s: %s", scenario, cells[0])
		}
		shown[scenario] = true
	}
	if cases < 250 {
		t.Errorf("only %d cases are read", cases)
	}
	if len(shown) < 15 {
		t.Errorf("only %d scenarios show cases", len(shown)-1)
	}
}
