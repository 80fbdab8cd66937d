package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Report has the results of a run at AWS or at an emulator.
type Report struct {
	Endpoint string   `json:"endpoint,omitempty"`
	Results  []Result `json:"results"`
}

// Table returns a Markdown table of what works where: a row for each scenario, and a column for each file of a Report,
// named like the file.
func Table(paths []string) (string, error) {
	title, line := "| Scenario |", "| --- |"
	var reports []Report
	var scenarios []string
	for _, path := range paths {
		b, err := os.ReadFile(path) //nolint:gosec // The user names it.
		var r Report
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		if err != nil {
			return "", fmt.Errorf("cannot read the results in %s: %w", path, err)
		}
		reports = append(reports, r)
		title += " " + strings.TrimSuffix(filepath.Base(path), ".json") + " |"
		line += " --- |"
		for i := range r.Results {
			scenarios = append(scenarios, r.Results[i].Scenario)
		}
	}
	b := strings.Builder{}
	fmt.Fprintf(&b, "%s\n%s\n", title, line)
	slices.Sort(scenarios)
	for _, name := range slices.Compact(scenarios) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, r := range reports {
			fmt.Fprintf(&b, " %s |", r.cell(name))
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// cell returns the cell of a scenario: yes, or why it does not work.
func (r Report) cell(scenario string) string {
	i := slices.IndexFunc(r.Results, func(res Result) bool { return res.Scenario == scenario })
	if i < 0 {
		return "not run"
	}
	res := r.Results[i]
	// No scenario fails without the account's figures.
	lacking := slices.DeleteFunc(slices.Clone(res.Lacking), func(op string) bool { return op == "GetAccountSettings" })
	switch {
	case res.Missing != "":
		return "not run, it needs " + res.Missing
	case res.Error == "":
		return "yes"
	case len(lacking) > 0:
		return "lacks " + strings.Join(lacking, ", ")
	}
	return "differs"
}
