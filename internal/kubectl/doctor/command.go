// Package doctor has the command "kubectl lambda doctor", which finds what users should change before it fails.
package doctor

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

const long = `Find what you should change before it fails: runtimes that AWS ends, sizes and quotas near AWS's limits,
functions and event source mappings that do not work, IAM actions that the provider lacks, and Flux sources that bring
no later code.

It reads the cluster, as the provider has last observed AWS. With --refresh, it also reads AWS with the credentials of
this machine: the quotas of the account, the versions of each function that nothing uses, and log groups that never
expire. It changes nothing.

The annotation lambda.aws.m.crossplane.io/ignore-advice of a resource has the codes of findings that are not shown,
separated by commas.

Exit codes: 0 if there is nothing but findings of severity Info, 1 if there are others, 2 if the command failed.`

const examples = `  # Show the findings about a namespace
  kubectl lambda doctor -n shop

  # Show those about all namespaces, and those that only AWS shows
  kubectl lambda doctor -A --refresh --aws-profile audit

  # Print the Functions whose runtime is deprecated
  kubectl lambda doctor -A -o jsonpath='{range .items[?(@.code=="RuntimeDeprecated")]}{.namespace}/{.name}{"\n"}{end}'`

// options are the flags of the command.
type options struct {
	*kubectl.Factory

	aws     *awsconfig.Flags
	out     *kubectl.Output
	all     bool
	refresh bool
}

// NewCommand returns the command doctor.
func NewCommand(f *kubectl.Factory) *cobra.Command {
	o := &options{Factory: f, aws: &awsconfig.Flags{}, out: kubectl.NewOutput()}
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Find what you should change before it fails",
		Long:    long,
		Example: examples,
		RunE:    o.run,
	}
	kubectl.DistinguishFailures(cmd)
	cmd.Flags().BoolVarP(&o.all, "all-namespaces", "A", o.all, "If true, show the findings about all namespaces.")
	cmd.Flags().BoolVar(&o.refresh, "refresh", o.refresh,
		"If true, read AWS too, with the credentials of this machine.")
	o.aws.AddFlags(cmd)
	o.out.AddFlags(cmd)
	return cmd
}

// run finds and prints.
func (o *options) run(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return kubectl.UsageErrorf(cmd, "no arguments are accepted, got %d: choose a namespace with -n or -A",
			len(args))
	}
	if !o.refresh && o.aws.Any() {
		return kubectl.UsageErrorf(cmd, "--aws-profile and --aws-endpoint-url need --refresh")
	}
	r, err := o.report(cmd.Context())
	if err != nil {
		return err
	}
	if err := o.print(r); err != nil {
		return err
	}
	if r.fails() {
		return kubectl.ErrFindings
	}
	return nil
}

// report collects the findings.
func (o *options) report(ctx context.Context) (*report, error) {
	client, err := o.Client()
	if err != nil {
		return nil, err
	}
	namespace := ""
	if !o.all {
		if namespace, err = o.Namespace(); err != nil {
			return nil, err
		}
	}
	c := &collector{
		client: client, namespace: namespace, now: o.Now(), report: newReport(),
		verified: map[config]bool{}, policies: map[string]bool{},
	}
	if err := c.collect(ctx); err != nil {
		return nil, err
	}
	if c.resources == 0 && namespace != "" && len(c.report.NotShown) == 0 {
		o.TellEmpty(namespace)
	}
	if o.refresh {
		if err := c.refresh(ctx, o.aws, o.Now); err != nil {
			return nil, err
		}
	}
	if err := c.configs(ctx); err != nil {
		return nil, err
	}
	if err := c.artifacts(ctx); err != nil {
		return nil, err
	}
	c.report.sort()
	return c.report, nil
}

// print prints the report in the format that the user has chosen.
func (o *options) print(r *report) error {
	if o.out.Format() != "" {
		return o.out.Print(r, o.Out)
	}
	return kubectl.PrintStyled(o.Out, r.text())
}
