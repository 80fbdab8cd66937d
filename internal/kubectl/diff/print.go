package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
)

// symbols stand for actions, as those of crossplane simulate.
var symbols = map[plan.Action]string{
	plan.None: "=", plan.Create: "+", plan.Adopt: "~", plan.Update: "~", plan.Replace: "-/+", plan.Delete: "-",
	plan.Orphan: "=", plan.Wait: "...", plan.Reject: "!",
}

// A report is the result of the command.
type report struct {
	metav1.TypeMeta `json:",inline"`

	Items   []plan.Plan  `json:"items"`
	Summary plan.Summary `json:"summary"`

	// Skipped is the number of objects of other kinds.
	Skipped int `json:"skipped"`
}

func newReport(plans []plan.Plan, skipped int) *report {
	if plans == nil {
		plans = []plan.Plan{}
	}
	return &report{
		TypeMeta: kubectl.TypeMeta("PlanList"), Items: plans, Summary: plan.Summarize(plans), Skipped: skipped,
	}
}

// result returns the error that the command ends with: that resources are rejected, or that anything would be done.
func (r *report) result() error {
	switch {
	case r.Summary[plan.Reject] > 0:
		return fmt.Errorf("%d of %d resources are rejected", r.Summary[plan.Reject], len(r.Items))
	case slices.ContainsFunc(r.Items, plan.Plan.Differs):
		return kubectl.ErrFindings
	}
	return nil
}

func (r *report) print(w io.Writer, format string) error {
	switch format {
	case formatJSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "    ")
		e.SetEscapeHTML(false)
		return e.Encode(r)
	case formatYAML:
		b, err := yaml.Marshal(r)
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	}
	_, err := io.WriteString(w, r.text())
	return err
}

// text returns the report for people.
func (r *report) text() string {
	b := &strings.Builder{}
	for _, p := range r.Items {
		if p.Action == plan.None && len(p.Unknowns) == 0 && p.Message == "" {
			continue
		}
		describe(b, p)
	}
	s := r.Summary
	fmt.Fprintf(b, "Plan: %d to create, %d to adopt, %d to update, %d to replace, %d to delete, %d unchanged",
		s[plan.Create], s[plan.Adopt], s[plan.Update], s[plan.Replace], s[plan.Delete], s[plan.None])
	if n := s[plan.Wait]; n > 0 {
		fmt.Fprintf(b, ", %d waiting", n)
	}
	if n := s[plan.Reject]; n > 0 {
		fmt.Fprintf(b, ", %d rejected", n)
	}
	b.WriteString(".\n")
	if r.Skipped > 0 {
		fmt.Fprintf(b, "Skipped: %d of other kinds.\n", r.Skipped)
	}
	return b.String()
}

func describe(b *strings.Builder, p plan.Plan) {
	fmt.Fprintf(b, "[%s] %s (%s)\n", symbols[p.Action], kubectl.OneLine(p.String()), p.Action)
	if p.Message != "" {
		fmt.Fprintf(b, "    %s\n", kubectl.OneLine(p.Message))
	}
	for _, c := range p.Changes {
		fmt.Fprintf(b, "    %s\n", kubectl.OneLine(changed(c)))
	}
	if len(p.Calls) > 0 {
		b.WriteString("    calls:\n")
	}
	for _, c := range p.Calls {
		fmt.Fprintf(b, "      %s\n", kubectl.OneLine(c.String()))
	}
	for _, u := range p.Unknowns {
		fmt.Fprintf(b, "    not known: %s\n", kubectl.OneLine(u))
	}
	b.WriteString("\n")
}

// changed describes a field that differs.
func changed(c diff.Change) string {
	const empty = `""`
	switch {
	case c.Old == empty && c.New != empty:
		c.Old = ""
	case c.New == empty && c.Old != empty:
		c.New = ""
	}
	switch {
	case c.Old == "" && c.New == "":
		return "~ " + c.Path
	case c.Old == "":
		return fmt.Sprintf("+ %s: %s", c.Path, c.New)
	case c.New == "":
		return fmt.Sprintf("- %s: %s", c.Path, c.Old)
	}
	return fmt.Sprintf("~ %s: %s -> %s", c.Path, c.Old, c.New)
}
