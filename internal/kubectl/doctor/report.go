package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// colors has the style of each severity.
var colors = map[advice.Severity]lipgloss.Style{
	advice.Error:   kubectl.Red.Bold(true),
	advice.Warning: kubectl.Yellow.Bold(true),
	advice.Info:    kubectl.Bold,
}

// A report is the object that the command prints as JSON and YAML.
type report struct {
	metav1.TypeMeta `json:",inline"`

	Items []finding `json:"items"`

	// NotShown names the things that could not be read, and the reasons.
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
	return &report{TypeMeta: kubectl.TypeMeta("FindingList"), Items: []finding{}}
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

// leaveOut adds a sentence on what could not be read, once.
func (r *report) leaveOut(what string) {
	if !slices.Contains(r.NotShown, what) {
		r.NotShown = append(r.NotShown, what)
	}
}

// fails reports whether there are findings that need an action.
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

// text returns the report for people. Findings with the same code and action share a line that says what to do.
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
		b.WriteString(kubectl.Bold.Render("Not shown") + "\n  " + strings.Join(r.NotShown, "\n  ") + "\n\n")
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
	fmt.Fprintf(b, "  %s: %s\n", kubectl.Bold.Render(string(group[0].Code)), group[0].Action)
	var rows [][]string
	for _, f := range group {
		rows = append(rows, []string{kubectl.OneLine(f.object()), kubectl.OneLine(f.Message)})
	}
	b.WriteString(kubectl.Table("    ", rows...) + "\n")
}

// object returns the kind and the name of the object of a finding.
func (f finding) object() string {
	return f.Kind + " " + strings.TrimPrefix(f.Namespace+"/"+f.Name, "/")
}
