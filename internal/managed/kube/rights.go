package kube

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// May tells whether the provider may do all of the verbs to a resource, in one
// namespace or, if it is empty, in all. Everyone may ask that of himself.
func May(ctx context.Context, c client.Writer, resource schema.GroupResource, namespace string, verbs ...string) (bool, error) {
	for _, verb := range verbs {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Group: resource.Group, Resource: resource.Resource, Namespace: namespace, Verb: verb},
		}}
		if err := c.Create(ctx, review); err != nil {
			return false, errors.Wrapf(err, "cannot ask whether %s may be watched", resource)
		}
		if !review.Status.Allowed {
			return false, nil
		}
	}
	return true, nil
}
