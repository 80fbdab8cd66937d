package kube

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// May reports whether the provider may perform all of the verbs on a resource, in one namespace or, if it is empty, in
// all. It needs no permission itself, because every user may create SelfSubjectAccessReviews.
func May(ctx context.Context, c client.Writer, resource schema.GroupResource, namespace string,
	verbs ...string,
) (bool, error) {
	for _, verb := range verbs {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: resource.Group, Resource: resource.Resource,
				Namespace: namespace, Verb: verb,
			},
		}}
		if err := c.Create(ctx, review); err != nil {
			return false, errors.Wrapf(err, "cannot check the provider's permissions on %s", resource)
		}
		if !review.Status.Allowed {
			return false, nil
		}
	}
	return true, nil
}
