package diff

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Values of --output.
const (
	formatDiff = "diff"
	formatJSON = "json"
	formatYAML = "yaml"
)

// options are the flags of the command.
type options struct {
	*kubectl.Factory

	aws     awsconfig.Flags
	source  kubectl.Source
	local   bool
	refresh bool
	output  string

	// plan has the options of the planner.
	plan plan.Options

	// cluster is nil without a cluster.
	cluster client.Client

	// absent are the namespaces of manifests that the cluster does not have.
	absent []string
}

// validate checks flags and arguments.
func (o *options) validate(cmd *cobra.Command, args []string) error {
	switch {
	case o.source.FromFiles() == (len(args) > 0):
		return kubectl.UsageErrorf(cmd, "name either files (-f, -k) or resources of the cluster")
	case o.local && !o.source.FromFiles():
		return kubectl.UsageErrorf(cmd, "--local needs files (-f, -k)")
	case o.local && o.refresh && o.plan.ClusterID == "":
		return kubectl.UsageErrorf(cmd, "--local with --refresh needs --cluster-id: without it, nothing tells what "+
			"the cluster owns in AWS")
	case o.aws.Any() && !o.refresh:
		return kubectl.UsageErrorf(cmd, "--aws-profile, --aws-default-chain and --aws-endpoint-url need --refresh")
	case o.output != formatDiff && o.output != formatJSON && o.output != formatYAML:
		return kubectl.UsageErrorf(cmd, "invalid output format %q: it must be diff, json or yaml", o.output)
	}
	return nil
}

// connect completes the options of the planner by the cluster and the credentials that the flags name.
func (o *options) connect(ctx context.Context) error {
	if err := o.aws.Check(ctx); err != nil {
		return err
	}
	if o.refresh {
		o.plan.Resolver = func(c client.Client) engine.Resolver { return o.aws.Resolver(c, o.Now, o.ErrOut) }
	}
	if o.local {
		return nil
	}
	var err error
	if o.cluster, err = o.ClusterClient(o.plan.Scheme); err != nil {
		return fmt.Errorf("%w: to plan without a cluster, set --local", err)
	}
	o.plan.Cluster, o.plan.Mapper = o.cluster, o.cluster.RESTMapper()
	if o.refresh && o.plan.ClusterID == "" {
		o.plan.ClusterID, err = kubectl.ClusterID(ctx, o.cluster)
	}
	return err
}
