package kubectl

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
)

// Output is the flag --output of a command, with kubectl's formats but go-template: text/template keeps the linker from
// leaving out methods that nothing calls, a quarter of the plugin.
type Output struct {
	format string
	object *genericclioptions.JSONYamlPrintFlags
	name   *genericclioptions.NamePrintFlags
	path   *genericclioptions.JSONPathPrintFlags
}

// NewOutput returns the flag --output.
func NewOutput() *Output {
	return &Output{
		object: genericclioptions.NewJSONYamlPrintFlags(), name: genericclioptions.NewNamePrintFlags(""),
		path: genericclioptions.NewJSONPathPrintFlags("", true),
	}
}

// AddFlags adds the flag and its completion to a command.
func (o *Output) AddFlags(cmd *cobra.Command) {
	o.object.AddFlags(cmd)
	o.path.AddFlags(cmd)
	formats := o.formats()
	cmd.Flags().StringVarP(&o.format, "output", "o", o.format, "Output format. One of: ("+strings.Join(formats, ", ")+").")
	CompleteFlag(cmd, "output", formats...)
}

func (o *Output) formats() []string {
	return append(append(o.object.AllowedFormats(), o.name.AllowedFormats()...), o.path.AllowedFormats()...)
}

// Format returns the format that the user has chosen. It is empty if there is none.
func (o *Output) Format() string { return o.format }

// Did sets what was done with an object, which is printed after its name if the user has chosen no format.
func (o *Output) Did(what string) { o.name.Operation = what }

// Print prints an object.
func (o *Output) Print(obj runtime.Object, w io.Writer) error {
	for _, printer := range []func(string) (printers.ResourcePrinter, error){
		o.object.ToPrinter, o.name.ToPrinter, o.path.ToPrinter,
	} {
		p, err := printer(o.format)
		if genericclioptions.IsNoCompatiblePrinterError(err) {
			continue
		}
		if err != nil {
			return err
		}
		return p.PrintObj(obj, w)
	}
	return genericclioptions.NoCompatiblePrinterError{OutputFormat: &o.format, AllowedFormats: o.formats()}
}
