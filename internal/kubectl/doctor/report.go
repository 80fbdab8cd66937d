package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// Styles have the terminal's own colors.
var (
	bold   = lipgloss.NewStyle().Bold(true)
	colors = map[advice.Severity]lipgloss.Style{
		advice.Error:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red),
		advice.Warning: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Yellow),
		advice.Info:    bold,
	}
)

// A report is what the command prints as JSON and YAML. Its kind is the plugin's own.
type report struct {
	metav1.TypeMeta `json:",inline"`

	Items []finding `json:"items"`

	// NotShown is what could not be read.
	NotShown []string `json:"notShown,omitempty"`
}

// A finding is one about an object of the cluster, or about an account.
type finding struct {
	advice.Finding `json:",inline"`

	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func newReport() *report {
	return &report{TypeMeta: metav1.TypeMeta{APIVersion: "kubectl." + v1beta1.SchemeGroupVersion.String(), Kind: "FindingList"}, Items: []finding{}}
}

// DeepCopyObject returns a copy.
func (r *report) DeepCopyObject() runtime.Object {
	out := *r
	out.Items, out.NotShown = slices.Clone(r.Items), slices.Clone(r.NotShown)
	return &out
}

// add adds findings about an object.
func (r *report) add(kind, namespace, name string, found ...advice.Finding) {
	for _, f := range found {
		r.Items = append(r.Items, finding{Finding: f, Kind: kind, Namespace: namespace, Name: name})
	}
}

// leaveOut says what could not be read.
func (r *report) leaveOut(what string) {
	if !slices.Contains(r.NotShown, what) {
		r.NotShown = append(r.NotShown, what)
	}
}

// fails returns whether there are findings that need an action.
func (r *report) fails() bool {
	return slices.ContainsFunc(r.Items, func(f finding) bool { return f.Severity != advice.Info })
}

// sort sorts the findings: the most severe first, and those with the same code and action together.
func (r *report) sort() {
	order := func(f finding) int { return slices.Index(advice.Severities(), f.Severity) }
	slices.SortStableFunc(r.Items, func(a, b finding) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Action, b.Action),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
}

// text returns the report for people. What to do is said once for all findings that have the same code and action.
func (r *report) text() string {
	b := &strings.Builder{}
	counts := map[advice.Severity]int{}
	for i := 0; i < len(r.Items); {
		f := r.Items[i]
		if counts[f.Severity] == 0 {
			fmt.Fprintf(b, "%s\n", colors[f.Severity].Render(string(f.Severity)))
		}
		n := 1
		for i+n < len(r.Items) && r.Items[i+n].Code == f.Code && r.Items[i+n].Action == f.Action {
			n++
		}
		write(b, r.Items[i:i+n])
		counts[f.Severity] += n
		i += n
	}
	if len(r.NotShown) > 0 {
		fmt.Fprintf(b, "%s\n", bold.Render("Not shown"))
		for _, s := range r.NotShown {
			fmt.Fprintf(b, "  %s\n", s)
		}
		b.WriteString("\n")
	}
	if len(r.Items) == 0 {
		b.WriteString("No findings.\n")
		return b.String()
	}
	var parts []string
	for _, s := range advice.Severities() {
		parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
	}
	fmt.Fprintf(b, "Findings: %s.\n", strings.Join(parts, ", "))
	return b.String()
}

// write writes findings with the same code and action.
func write(b *strings.Builder, group []finding) {
	fmt.Fprintf(b, "  %s: %s\n", bold.Render(string(group[0].Code)), group[0].Action)
	table := &strings.Builder{}
	w := printers.GetNewTabWriter(table)
	for _, f := range group {
		_, _ = fmt.Fprintf(w, "    %s\t%s\n", kubectl.OneLine(f.object()), kubectl.OneLine(f.Message)) // A Builder returns no error.
	}
	_ = w.Flush()
	b.WriteString(table.String() + "\n")
}

// object returns the name of what the finding is about.
func (f finding) object() string {
	return f.Kind + " " + strings.TrimPrefix(f.Namespace+"/"+f.Name, "/")
}
