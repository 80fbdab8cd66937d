package kubectl

import (
	"cmp"
	"strings"

	"charm.land/lipgloss/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Styles have the terminal's own colors.
var (
	Bold   = lipgloss.NewStyle().Bold(true)
	Dim    = lipgloss.NewStyle().Faint(true)
	Green  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	Red    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Yellow = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	Cyan   = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

// Table returns rows in aligned columns, as kubectl get prints them: each line after an indent, and <none> for an empty
// cell.
func Table(indent string, rows ...[]string) string {
	table, out := &strings.Builder{}, &strings.Builder{}
	w := printers.GetNewTabWriter(table)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = cmp.Or(row[i], "<none>")
		}
		_, _ = w.Write([]byte(strings.Join(cells, "\t") + "\n")) // A Builder returns no error.
	}
	_ = w.Flush()
	for line := range strings.Lines(table.String()) {
		out.WriteString(indent + strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// TypeMeta returns the type of an object that a command prints as JSON and YAML, whose kind is the plugin's own.
func TypeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "kubectl." + v1beta1.SchemeGroupVersion.String(), Kind: kind}
}
