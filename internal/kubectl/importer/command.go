package importer

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// stdout is the value of --output for the standard output.
const stdout = "-"

const long = `Write manifests of the functions that an account has in a region, and of what belongs to them: aliases,
versions in use, event source mappings, policies, URLs, event invoke configs, concurrency, runtime management, and the
layers, code signing configs and capacity providers that they use. AWS is only read, within its quotas.

Values of environment variables become Secrets. Resources refer to each other by references. The planner then proves
that applying the manifests changes nothing but tags. A resource for which that is not proven is only observed, and
its manifest and the summary say why.

Without --provider-config, AWS is read with the credentials of this machine, and no cluster is needed. If there is
one, functions that it manages already are skipped.

Exit codes: 0 if all is proven, 1 if something is not, 2 if the command failed.`

const examples = `  # Write manifests of all functions of a region to a directory
  kubectl lambda import --region eu-central-1 -n shop -o shop/

  # Write those of one team, which refer to the ClusterProviderConfig shop, and read AWS through it
  kubectl lambda import --region eu-central-1 -l team=shop --provider-config shop -n shop -o shop/

  # Show the manifests of one function, without its secrets
  kubectl lambda import checkout --region eu-central-1`

// NewCommand returns the command import.
func NewCommand(f *kubectl.Factory) *cobra.Command {
	o := &options{Factory: f, output: stdout}
	cmd := &cobra.Command{
		Use:     "import --region REGION [FUNCTION ...]",
		Short:   "Write manifests of the functions that an account has",
		Long:    long,
		Example: examples,
		RunE:    o.run,
	}
	kubectl.DistinguishFailures(cmd)
	o.aws.AddConfigFlags(cmd)
	cmd.Flags().StringVar(&o.region, "region", o.region, "The AWS region to import from.")
	cmd.Flags().StringSliceVarP(&o.selectors, "selector", "l", o.selectors,
		"Import only functions with these tags: tag=value, or tag for any value. All must match.")
	cmd.Flags().StringVar(&o.config, "provider-config", o.config, "The ClusterProviderConfig, or "+
		"ProviderConfig/NAME, that the manifests refer to, and through which AWS is read.")
	cmd.Flags().StringVar(&o.clusterID, "cluster-id", o.clusterID,
		"The --cluster-id of the provider, if it has one. The default is read from the cluster.")
	cmd.Flags().StringVarP(&o.output, "output", "o", o.output,
		"The directory to write files to, or - for the standard output.")
	cmd.Flags().BoolVar(&o.inline, "inline-environment", o.inline,
		"If true, write values of environment variables into the Functions instead of Secrets.")
	cmd.Flags().BoolVar(&o.adopt, "adopt", o.adopt,
		"If true, the resources adopt what another cluster or another resource owns.")
	cmd.Flags().BoolVar(&o.showSecrets, "show-secrets", o.showSecrets,
		"If true, write manifests with secrets to the standard output too.")
	return cmd
}

// run imports, and writes the manifests and the summary.
func (o *options) run(cmd *cobra.Command, args []string) error {
	if o.region == "" {
		return kubectl.UsageErrorf(cmd, "--region is required")
	}
	if o.output != stdout {
		if err := checkDir(o.output); err != nil { // Reading an account takes minutes.
			return err
		}
	}
	in, err := o.input(cmd.Context(), args)
	if err != nil {
		return err
	}
	if !regions.Known(o.region) { // An endpoint of the user's own answers for any.
		o.warnf("%s is no region of AWS that this version knows", o.region)
	}
	r, err := Import(cmd.Context(), in)
	if cmd.Context().Err() != nil {
		return kubectl.ErrInterrupted
	}
	if err != nil {
		return err
	}
	if in.Config != nil {
		if err := o.warn(cmd.Context(), in, r); err != nil {
			o.warnf("cannot tell whether resources of other namespaces act on the functions: %s", err)
		}
	}
	if err := o.write(r, "AWS account "+in.Session.Identity.Account+", region "+o.region); err != nil {
		return err
	}
	if len(r.Unproven()) > 0 {
		return kubectl.ErrFindings // The summary has said what is not proven.
	}
	return nil
}

// warn warns of what the cluster shows.
func (o *options) warn(ctx context.Context, in Options, r *Result) error {
	c, err := o.ClusterClient(in.Scheme)
	if err != nil {
		return err
	}
	return warnOfOthers(ctx, c, in.Namespace, in.Session.Identity.Account, o.region, r)
}

// write writes the manifests, and then the summary to the standard error.
func (o *options) write(r *Result, where string) error {
	if o.output == stdout {
		if err := writeStream(o.Out, r, header(where), o.showSecrets); err != nil {
			return err
		}
		return summarize(o.ErrOut, r, where, 0)
	}
	all, err := files(r, header(where))
	if err != nil {
		return err
	}
	if err := writeDir(o.output, all); err != nil {
		return fmt.Errorf("cannot write the manifests: %w", err)
	}
	return summarize(o.ErrOut, r, where, len(all))
}
