// Package iam has the command "kubectl lambda iam", which writes the IAM policy that resources need.
package iam

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const long = `Write the smallest IAM policy with which the provider reconciles resources: those of files, or of the
cluster.

The calls are found by the provider's own code, which creates, observes, changes and deletes each resource in memory, as
far as its management policies allow. Neither AWS nor the cluster is changed, and AWS is not called. With files, the
cluster is not contacted: Secrets and ConfigMaps that resources refer to must be among the files.

The policy is for the resources as they are. A field that is set later may need further actions.

Exit codes: 0 if the policy is complete, 1 if the command failed or a resource cannot be reconciled as it is.`

const examples = `  # Write the policy for the resources of a directory
  kubectl lambda iam -R -f shop/ --account-id 123456789012

  # Write the policy for all resources of the cluster
  kubectl lambda iam -A --account-id 123456789012`

// mostCharacters is AWS's quota of a customer managed policy's size, white space left out.
const mostCharacters = 6144

// errIncomplete is the error of a policy that lacks actions.
var errIncomplete = errors.New("the policy is not complete")

// options are the flags of the command.
type options struct {
	*kubectl.Factory

	source  kubectl.Source
	account string
	region  string
	invoked bool
}

// NewCommand returns the command iam.
func NewCommand(f *kubectl.Factory) *cobra.Command {
	o := &options{Factory: f}
	cmd := &cobra.Command{
		Use:     "iam [-f FILENAME | -k DIRECTORY]",
		Short:   "Write the IAM policy that resources need",
		Long:    long,
		Example: examples,
		Args:    kubectl.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.source.AddFlags(cmd, "contains the resources.", "If true, take the resources of all namespaces.")
	cmd.Flags().StringVar(&o.account, "account-id", o.account,
		"ID of the account that the ARNs of the policy name. The default is any.")
	cmd.Flags().StringVar(&o.region, "region", o.region,
		"Region that the ARNs of the policy name, such as '*' for any. The default are those of the resources.")
	cmd.Flags().BoolVar(&o.invoked, "deletion-protection-invoked-within", o.invoked,
		"If true, the policy is for a provider that runs with the flag of this name.")
	return cmd
}

func (o *options) run(cmd *cobra.Command) error {
	if o.account != "" && o.account != "*" && !functionname.IsAccountID(o.account) {
		return kubectl.UsageErrorf(cmd, "--account-id is %q: it must have 12 digits, or be *", o.account)
	}
	scheme, err := kubectl.NewScheme()
	if err != nil {
		return err
	}
	po := plan.Options{Scheme: scheme, ClusterID: "any", Now: o.Now}
	objects, err := o.read(&po)
	if err != nil {
		return err
	}
	in, planner := Options{AccountID: o.account, Region: o.region, InvokedWithin: o.invoked}, plan.New(po)
	for _, u := range objects {
		obj, err := kubectl.Typed(scheme, u, o.source.FromFiles())
		if err != nil {
			return err
		}
		if mg, managed := obj.(reconcile.Managed); managed {
			in.Resources = append(in.Resources, mg)
			continue
		}
		in.Configs = append(in.Configs, obj)
		planner.Add(obj)
	}
	p, errs := New(cmd.Context(), planner, in)
	if err := o.print(p); err != nil {
		return err
	}
	for _, err := range errs {
		_, _ = fmt.Fprintf(o.ErrOut, "%s\n", kubectl.OneLine(err.Error()))
	}
	if len(errs) > 0 {
		return errIncomplete
	}
	return nil
}

// read reads the objects of files, or of the cluster, which it adds to the options.
func (o *options) read(po *plan.Options) ([]*unstructured.Unstructured, error) {
	if o.source.FromFiles() {
		return o.source.Read(o.Factory)
	}
	c, err := o.ClusterClient(po.Scheme)
	if err != nil {
		return nil, err
	}
	po.Cluster, po.Mapper = c, c.RESTMapper()
	arg, err := types(po.Mapper)
	if err != nil {
		return nil, err
	}
	return o.source.Read(o.Factory, arg)
}

// types returns the kinds to read, as an argument of kubectl get. Kinds that are not active in the cluster are left
// out, except the configs, without which there is no provider.
func types(mapper meta.RESTMapper) (string, error) {
	out := []string{typeOf(v1beta1.ClusterProviderConfigKind), typeOf(v1beta1.ProviderConfigKind)}
	for gvk := range controller.Kinds {
		switch _, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version); {
		case meta.IsNoMatchError(err):
		case err != nil:
			return "", err
		default:
			out = append(out, typeOf(gvk.Kind))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ","), nil
}

// typeOf returns the resource of a kind, with its group.
func typeOf(kind string) string {
	plural, _ := meta.UnsafeGuessKindToResource(v1beta1.SchemeGroupVersion.WithKind(kind))
	return plural.GroupResource().String()
}

// print prints a policy, and a warning if AWS does not take one of its size.
func (o *options) print(p Policy) error {
	e := json.NewEncoder(o.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return err
	}
	dense, err := json.Marshal(p)
	if len(dense) > mostCharacters {
		_, _ = fmt.Fprintf(o.ErrOut, "The policy has %d characters without white space, and a managed policy of AWS "+
			"%d at most: split it by namespaces or files.\n", len(dense), mostCharacters)
	}
	return err
}
