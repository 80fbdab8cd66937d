package kubectl

import (
	"context"
	"fmt"

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
