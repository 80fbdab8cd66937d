package kubectl

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// NewScheme returns a scheme with the kinds of the provider and the core kinds of Kubernetes.
func NewScheme() (*runtime.Scheme, error) {
	s, builder := runtime.NewScheme(), runtime.NewSchemeBuilder(corev1.AddToScheme, v1beta1.AddToScheme)
	return s, builder.AddToScheme(s)
}

// ClusterID returns the ID by which the provider marks in AWS what the cluster owns, if it has no --cluster-id. It
// returns an error if the user may not read the ConfigMap with that ID: the one that a provider without this right has,
// as kube.ClusterID says, would be the ID of another cluster.
func ClusterID(ctx context.Context, c client.Reader) (string, error) {
	key := client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: kube.TrustConfigMap}
	if err := c.Get(ctx, key, &corev1.ConfigMap{}); kerrors.IsForbidden(err) {
		return "", fmt.Errorf("cannot tell what this cluster owns in AWS: set --cluster-id: %w", err)
	}
	return kube.ClusterID(ctx, c)
}

// List calls a function with each object of a type in a namespace, or of all namespaces if it is empty. If the user may
// not list them, or the cluster does not have the type, it returns why they are not shown, and no error.
func List(
	ctx context.Context, c dynamic.Interface, of schema.GroupVersionResource, namespace string, o metav1.ListOptions,
	each func(*unstructured.Unstructured) error,
) (notShown string, err error) {
	all, _, err := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.Resource(of).Namespace(namespace).List(ctx, o)
	}).List(ctx, o)
	switch {
	case kerrors.IsForbidden(err), kerrors.IsNotFound(err):
		return of.Resource + ": " + OneLine(err.Error()), nil
	case err != nil:
		return "", fmt.Errorf("cannot list %s: %w", of.Resource, err)
	}
	return "", kmeta.EachListItem(all, func(obj runtime.Object) error {
		u, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("cannot read the server's answer about %s: it has a %T", of.Resource, obj)
		}
		if err := each(u); err != nil {
			return fmt.Errorf("cannot read the server's answer about %s/%s: %w", of.Resource, u.GetName(), err)
		}
		return nil
	})
}

// Decode decodes an object for display: all texts and keys are escaped, since others have written them.
func Decode(u *unstructured.Unstructured, into any) error {
	printable, _ := escaped(u.Object).(map[string]any)
	return runtime.DefaultUnstructuredConverter.FromUnstructured(printable, into)
}

// escaped returns a copy of a JSON value whose texts and keys are escaped lines.
func escaped(v any) any {
	switch t := v.(type) {
	case string:
		return OneLine(t)
	case []any:
		out := make([]any, len(t))
		for i := range t {
			out[i] = escaped(t[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for k := range t {
			out[OneLine(k)] = escaped(t[k])
		}
		return out
	}
	return v
}

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

// IsUndone reports whether a rollout has ended because the user has chosen the stable version instead of its target,
// which is no problem.
func IsUndone(s *v1beta1.AliasRolloutStatus) bool {
	return s != nil && s.Phase == v1beta1.RolloutFailed && s.Reason == v1beta1.RolloutReasonRollbackTo
}
