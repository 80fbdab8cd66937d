package kubectl

import (
	"errors"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
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
