// Package operate has the commands of the kubectl plugin that work with a function in AWS by the user's own
// credentials: invoke, logs, tail and executions.
package operate

import (
	"cmp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/spf13/cobra"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

// A target is the function in AWS that a Function of the cluster names.
type target struct {
	fn     *v1beta1.Function
	config aws.Config
}

// openArg reads the Function that the command's only argument names, and the AWS configuration for its region.
func openArg(cmd *cobra.Command, f *kubectl.Factory, flags *awsconfig.Flags, args []string) (*target, error) {
	fn, err := f.ReadFunction(cmd, args)
	if err != nil {
		return nil, err
	}
	cfg, err := flags.Load(cmd.Context(), fn.Spec.ForProvider.Region)
	return &target{fn: fn, config: cfg}, err
}

// name returns by what calls name the function: its ARN if that is known, since credentials of another account would
// otherwise find a function of the same name there.
func (t *target) name() string {
	return cmp.Or(ptr.Deref(t.fn.Status.AtProvider.FunctionArn, ""), kubectl.FunctionName(t.fn))
}

// ensureLine returns a text that ends with a newline, unless it is empty.
func ensureLine(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
