package importer

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

// stdout is the value of --output for the standard output.
const stdout = "-"

// refField is the field that errors about the config of a resource name, instead of which the command has a flag.
const refField = "spec.providerConfigRef"

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

// options are the flags of the command.
type options struct {
	*kubectl.Factory

	aws         awsconfig.Flags
	region      string
	selectors   []string
	config      string
	clusterID   string
	output      string
	inline      bool
	adopt       bool
	showSecrets bool
}

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

// input returns what the flags ask for.
func (o *options) input(ctx context.Context, names []string) (Options, error) {
	in := Options{
		Names: names, Inline: o.inline, Adopt: o.adopt,
		Now: o.Now, Progress: newProgress(o.ErrOut, o.Now),
	}
	var err error
	if in.Scheme, err = kubectl.NewScheme(); err != nil {
		return in, err
	}
	in.Namespace, _ = o.Factory.Namespace() // Without a kubeconfig, it is the default one.
	if in.Selector, err = ParseSelector(o.selectors); err != nil {
		return in, err
	}
	if in.Config, err = parseConfig(o.config); err != nil {
		return in, err
	}
	if in.ClusterID, in.Manager, err = o.manager(ctx, in.Scheme); err != nil {
		return in, err
	}
	in.Session, err = o.session(ctx, in.Scheme, in.Namespace, in.Config)
	return in, err
}

// session returns the session to read AWS with, by the credentials of this machine or through a config in the cluster.
// With both, the config need not exist yet.
func (o *options) session(
	ctx context.Context, scheme *runtime.Scheme, namespace string, ref *xpv2.ProviderConfigReference,
) (*session.Session, error) {
	if ref != nil {
		s, err := o.through(ctx, scheme, namespace, ref)
		if err == nil {
			return s, nil
		}
		if text := err.Error(); strings.Contains(text, refField) {
			err = errors.New(strings.ReplaceAll(text, refField, "--provider-config"))
		}
		if !o.aws.Chosen() {
			return nil, errors.Wrapf(err, "--provider-config %s", o.config)
		}
		o.warnf("cannot tell which account and tags %s %s has: %s", ref.Kind, ref.Name, err)
	}
	return o.aws.Session(ctx, o.region, o.Now)
}

// through returns the session of a config in the cluster.
func (o *options) through(
	ctx context.Context, scheme *runtime.Scheme, namespace string, ref *xpv2.ProviderConfigReference,
) (*session.Session, error) {
	c, err := o.ClusterClient(scheme)
	if err != nil {
		return nil, err
	}
	mg := &v1beta1.Function{}
	mg.SetNamespace(namespace)
	mg.SetProviderConfigReference(ref)
	return o.aws.Resolver(c, o.Now, o.ErrOut).Resolve(ctx, mg, o.region)
}

// warnf warns the user.
func (o *options) warnf(format string, args ...any) {
	_, _ = fmt.Fprintln(o.ErrOut, "warning: "+kubectl.OneLine(fmt.Sprintf(format, args...)))
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

// lineEvery is the least time between two lines about a phase.
const lineEvery = 10 * time.Second

// newProgress returns a function that shows the progress of an import: a line when a phase begins, when it ends, and
// now and then in between. An error of the terminal is of no interest.
func newProgress(w io.Writer, now func() time.Time) func(phase Phase, done, total int) {
	var shown time.Time
	var last Phase
	return func(phase Phase, done, total int) {
		at := now()
		if total == 0 || phase == last && done < total && at.Sub(shown) < lineEvery {
			return
		}
		shown, last = at, phase
		_, _ = fmt.Fprintf(w, "%s: %d of %d\n", phase, done, total)
	}
}
