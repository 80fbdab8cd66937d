package kubectl

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Output is the flag --output of a command, with kubectl's formats.
type Output struct {
	*genericclioptions.PrintFlags
}

// NewOutput returns the flag --output.
func NewOutput() *Output { return &Output{genericclioptions.NewPrintFlags("")} }

// AddFlags adds the flag and its completion to a command.
func (o *Output) AddFlags(cmd *cobra.Command) {
	o.PrintFlags.AddFlags(cmd)
	CompleteFlag(cmd, "output", o.AllowedFormats()...)
}

// Format returns the format that the user has chosen. It is empty if there is none.
func (o *Output) Format() string { return *o.OutputFormat }

// Did sets what was done with an object, which is printed after its name if the user has chosen no format.
func (o *Output) Did(what string) { o.NamePrintFlags.Operation = what }

// Print prints an object. A list has no name.
func (o *Output) Print(obj runtime.Object, w io.Writer) error {
	if _, err := meta.Accessor(obj); err != nil && o.Format() == "name" {
		return errors.New("--output name does not print lists: use jsonpath='{.items[*].name}'")
	}
	p, err := o.ToPrinter()
	if err != nil {
		return err
	}
	return p.PrintObj(obj, w)
}

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
