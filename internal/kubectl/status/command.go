// Package status has the command "kubectl lambda status", which shows what the cluster knows of a Function and of all
// resources that belong to it.
package status

import (
	"github.com/spf13/cobra"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

const long = `Show one page on a Function: its state, code, versions, aliases with their rollouts, event source
mappings, URLs, permissions, provisioned concurrency, differences and last events.

It reads only the cluster, as the provider has last observed AWS. With --refresh, it also reads from AWS when logs
expire, with the credentials of this machine. Resources of other namespaces are not shown.
What you may not list is left out and named. Values of environment variables are never shown.

A FUNCTION is the name of a Function, alone or as function/NAME or function.lambda.aws.m.crossplane.io/NAME.`

const examples = `  # Show the Function checkout
  kubectl lambda status checkout -n shop

  # Print the version that each alias invokes
  kubectl lambda status checkout -n shop -o jsonpath='{range .aliases[*]}{.name}={.functionVersion}{"\n"}{end}'`

// NewCommand returns the command status.
func NewCommand(f *kubectl.Factory) *cobra.Command {
	out, flags, refresh := kubectl.NewOutput(), &awsconfig.Flags{}, false
	cmd := &cobra.Command{
		Use:               "status FUNCTION",
		Short:             "Show the state of a Function and of what belongs to it",
		Long:              long,
		Example:           examples,
		ValidArgsFunction: f.CompleteNames(kubectl.Functions),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := newReader(cmd, f, args)
			if err != nil {
				return err
			}
			if !refresh && flags.Any() {
				return kubectl.UsageErrorf(cmd, "--aws-profile and --aws-endpoint-url need --refresh")
			}
			if err := r.collect(cmd.Context()); err != nil {
				return err
			}
			if refresh {
				if err := r.readRetention(cmd.Context(), flags); err != nil {
					return err
				}
			}
			if out.Format() != "" {
				return out.Print(r.page, f.Out)
			}
			return kubectl.PrintStyled(f.Out, r.page.text(f.Now()))
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", refresh,
		"If true, read from AWS too when logs expire, with the credentials of this machine.")
	flags.AddFlags(cmd)
	out.AddFlags(cmd)
	return cmd
}

// newReader returns a reader of what belongs to the Function that the argument names.
func newReader(cmd *cobra.Command, f *kubectl.Factory, args []string) (*reader, error) {
	fn, err := f.ReadFunction(cmd, args)
	if err != nil {
		return nil, err
	}
	client, err := f.Client()
	if err != nil {
		return nil, err
	}
	return &reader{client: client, fn: fn}, nil
}
