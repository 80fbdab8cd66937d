// Package diff has the command "kubectl lambda diff", which shows what the provider would do in AWS about resources.
package diff

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
)

const long = `Show what the provider would do in AWS if resources were applied: the calls that it would make, in
order, and the fields that differ. Nothing is changed, neither in the cluster nor in AWS. Values of secrets are never
shown.

Without --refresh, AWS is not called. The plan assumes then that AWS has what the objects in the cluster ask for,
and nothing of objects that the cluster does not have. With --refresh, AWS is read through the ProviderConfig of
each resource.

Objects of other kinds, such as those of a rendered Composition, are skipped and counted. Secrets, ConfigMaps,
ProviderConfigs and Flux sources among the files are used as if they were in the cluster.

Exit codes: 0 if nothing would be done, 1 if there are differences, 2 if the command failed or a resource is
rejected.`

const examples = `  # Show what applying a file would do
  kubectl lambda diff -f function.yaml

  # Show what a rendered Composition would do, in a pipeline without a cluster
  crossplane composition render xr.yaml composition.yaml functions.yaml | kubectl lambda diff --local -f -

  # Show how AWS differs from the Functions of a namespace, read with an AWS profile of this machine
  kubectl lambda diff functions --refresh --aws-profile audit -n shop`

// NewCommand returns the command diff.
func NewCommand(f *kubectl.Factory) *cobra.Command {
	o := &options{Factory: f, output: formatDiff, plan: plan.Options{Now: f.Now}}
	cmd := &cobra.Command{
		Use:     "diff (-f FILENAME | -k DIRECTORY | TYPE [NAME ...])",
		Short:   "Show what would be done in AWS",
		Long:    long,
		Example: examples,
		RunE:    o.run,
	}
	kubectl.DistinguishFailures(cmd)
	o.source.AddFlags(cmd, "contains the resources to plan.", "If true, plan the resources of all namespaces.")
	cmd.Flags().BoolVar(&o.local, "local", o.local,
		"If true, do not contact a cluster: plan the files as if no object existed.")
	cmd.Flags().BoolVar(&o.refresh, "refresh", o.refresh,
		"If true, read what AWS has, through the ProviderConfig of each resource.")
	o.aws.AddConfigFlags(cmd)
	cmd.Flags().StringVar(&o.plan.ClusterID, "cluster-id", o.plan.ClusterID,
		"The --cluster-id of the provider, if it has one. The default is read from the cluster.")
	cmd.Flags().StringVarP(&o.output, "output", "o", o.output, "Output format. One of: (diff, json, yaml).")
	kubectl.CompleteFlag(cmd, "output", formatDiff, formatJSON, formatYAML)
	return cmd
}

// run plans the resources and prints the plans.
func (o *options) run(cmd *cobra.Command, args []string) error {
	if err := o.validate(cmd, args); err != nil {
		return err
	}
	var err error
	if o.plan.Scheme, err = kubectl.NewScheme(); err != nil {
		return err
	}
	objects, err := o.source.Read(o.Factory, args...)
	if err != nil {
		return err
	}
	if err := o.connect(cmd.Context()); err != nil {
		return err
	}
	in, err := o.load(cmd.Context(), objects)
	if err != nil {
		return err
	}
	planner := plan.New(o.plan)
	for _, obj := range in.others {
		planner.Add(obj)
	}
	plans := planner.All(cmd.Context(), in.resources)
	for i, p := range plans {
		if slices.Contains(o.absent, p.Namespace) {
			plans[i].Unknowns = append(plans[i].Unknowns,
				"whether the API server accepts the manifest, since namespace "+p.Namespace+" does not exist")
		}
	}
	if cmd.Context().Err() != nil {
		return kubectl.ErrInterrupted // AWS was not read completely.
	}
	r := newReport(append(plans, in.rejected...), in.skipped)
	if err := r.print(o.Out, o.output); err != nil {
		return err
	}
	return r.result()
}
