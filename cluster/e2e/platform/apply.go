package platform

import (
	"context"
	"fmt"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// Apply applies a YAML file as `kubectl apply` does, except for objects of the kinds in without. Objects without a
// namespace are created in the given one.
func Apply(ctx context.Context, kube client.Client, namespace string, text []byte, without ...string) error {
	objects, err := manifests.Parse(text)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if slices.Contains(without, o.GetKind()) {
			continue
		}
		namespaced, err := kube.IsObjectNamespaced(o)
		if err != nil {
			return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		if namespaced && o.GetNamespace() == "" {
			o.SetNamespace(namespace)
		}
		if err := kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kubectl"),
			client.ForceOwnership); err != nil {
			return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// create creates an object unless it exists.
func create(ctx context.Context, kube client.Client, o client.Object) error {
	if err := kube.Create(ctx, o); err != nil && !kerrors.IsAlreadyExists(err) {
		return fmt.Errorf("cannot create %s: %w", o.GetName(), err)
	}
	return nil
}
