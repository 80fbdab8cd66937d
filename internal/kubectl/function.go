package kubectl

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// ReadFunction reads the Function that is the command's only argument for display.
func (f *Factory) ReadFunction(cmd *cobra.Command, args []string) (*v1beta1.Function, error) {
	name, err := Functions.Arg(cmd, args)
	if err != nil {
		return nil, err
	}
	client, err := f.Resources(Functions)
	if err != nil {
		return nil, err
	}
	u, err := client.Get(cmd.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	fn := &v1beta1.Function{}
	if err := Decode(u, fn); err != nil {
		return nil, fmt.Errorf("cannot read the server's answer about %s: %w", Functions.Full(name), err)
	}
	return fn, nil
}

// FunctionName returns the name or ARN of a Function in AWS, by which operations name it.
func FunctionName(fn *v1beta1.Function) string {
	return cmp.Or(reconcile.ExternalName(fn), fn.GetName())
}

// LogGroupOf returns the name of the CloudWatch log group of a Function: the one last observed, or else the one in
// which Lambda logs by default.
func LogGroupOf(f *v1beta1.Function) string {
	return cmp.Or(LogGroup(f.Status.AtProvider), "/aws/lambda/"+FunctionName(f))
}

// LogGroup returns the name of the CloudWatch log group of a function, as last observed. It is empty if that is not
// known.
func LogGroup(o v1beta1.FunctionObservation) string {
	if c := o.LoggingConfig; c != nil && c.LogGroup != nil && *c.LogGroup != "" {
		return *c.LogGroup
	}
	if o.LogGroup != nil {
		return *o.LogGroup
	}
	return ""
}
