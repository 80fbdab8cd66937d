package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// apply applies the examples, as kubectl does. It returns how many of the resources are the provider's.
func (e *env) apply(ctx context.Context, files []string) (int, error) {
	applied := 0
	for _, path := range files {
		b, err := readFile(path)
		if err != nil {
			return 0, err
		}
		objects, err := manifests.Parse(b)
		if err != nil {
			return 0, fmt.Errorf("cannot read %s: %w", path, err)
		}
		for _, u := range objects {
			u.SetNamespace(namespace)
			err := e.kube.Patch(ctx, u, client.Apply, //nolint:staticcheck // Unstructured has no apply configuration.
				client.FieldOwner("demo"), client.ForceOwnership)
			if err != nil {
				return 0, fmt.Errorf("cannot apply %s %s of %s: %w", u.GetKind(), u.GetName(), path, err)
			}
			fmt.Printf("    %s/%s\n", u.GetKind(), u.GetName())
			if u.GroupVersionKind().Group == v1beta1.Group {
				applied++
			}
		}
	}
	fmt.Println()
	return applied, nil
}
