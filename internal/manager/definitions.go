package manager

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// mayWatchDefinitions tells whether the provider may watch CustomResourceDefinitions,
// which it must to wait for them. Crossplane grants it with the capability safe-start.
func mayWatchDefinitions(ctx context.Context, c client.Client) (bool, error) {
	for _, verb := range []string{"get", "list", "watch"} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Verb: verb},
		}}
		if err := c.Create(ctx, review); err != nil {
			return false, errors.Wrap(err, "cannot ask whether custom resource definitions may be watched")
		}
		if !review.Status.Allowed {
			return false, nil
		}
	}
	return true, nil
}
