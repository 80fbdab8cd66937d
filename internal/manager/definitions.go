package manager

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/kube"
)

// mayWatchDefinitions tells whether the provider may watch CustomResourceDefinitions,
// which it must to wait for them. Crossplane grants it with the capability safe-start.
func mayWatchDefinitions(ctx context.Context, c client.Client) (bool, error) {
	return kube.May(ctx, c, schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}, "", "get", "list", "watch")
}
