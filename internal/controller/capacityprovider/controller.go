// Package capacityprovider manages AWS Lambda capacity providers.
//
// Each change of a capacity provider takes AWS a while; readiness.go derives the Ready condition from its state. AWS
// returns tags only by a call of their own, the results of which readcache.TagCache keeps.
package capacityprovider

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// kind is the value of the kind's tag.
const kind = "capacityprovider.lambda.aws.m.crossplane.io"

// Define returns the kind of CapacityProviders.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	tags := readcache.NewTagCache(o.Now)
	return reconcile.Kind[*v1beta1.CapacityProvider]{
		GVK:   v1beta1.CapacityProviderGroupVersionKind,
		Reads: func(c *v1beta1.CapacityProvider) []string { return reads(c, tags) },
		Observer: func(
			c *v1beta1.CapacityProvider, s *session.Session,
		) reconcile.Observer[*v1beta1.CapacityProvider] {
			return newExternal(&external{
				api: session.Client(s, lambda.NewFromConfig), fields: o.Fields, tags: tags,
				owner: tagging.NewOwner(c, kind, o.ClusterID, s),
			})
		},
		Outdate: tags.Drop,
		Forget:  tags.Drop,
		Tagged:  true,
		Owns: func(c *v1beta1.CapacityProvider) []tenancy.Target {
			return []tenancy.Target{tenancy.CapacityProvider(nameOf(c))}
		},
		Fields: func(c *v1beta1.CapacityProvider) []v1beta1.FieldSelector { return refs.In(c.Spec) },
	}.Untyped()
}

// reads returns the operations of the next observation, and the creation that will most likely follow the first one.
func reads(mg *v1beta1.CapacityProvider, tags *readcache.TagCache) []string {
	arn := ptr.Deref(mg.Status.AtProvider.CapacityProviderArn, "")
	switch {
	case arn == "" && reconcile.MayCreate(mg):
		return []string{opGet, opCreate}
	case arn != "" && tags.Due(mg, arn):
		return []string{opGet, opTags}
	}
	return []string{opGet}
}
