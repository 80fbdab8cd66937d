// Package resourcepolicy manages the complete policies of AWS Lambda functions, versions and aliases.
package resourcepolicy

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Define returns the kind of ResourcePolicies.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.ResourcePolicy]{
		GVK:   v1beta1.ResourcePolicyGroupVersionKind,
		Reads: func(p *v1beta1.ResourcePolicy) []string { return reconcile.Reads(p, opRead, opPut) },
		Observer: func(_ *v1beta1.ResourcePolicy, s *session.Session) reconcile.Observer[*v1beta1.ResourcePolicy] {
			return newExternal(session.Client(s, lambda.NewFromConfig), o.Fields)
		},
		ActsOn: acts,
		Fields: func(p *v1beta1.ResourcePolicy) []v1beta1.FieldSelector { return refs.In(p.Spec) },
	}.Untyped()
}

// acts returns the functions that spec, status and annotations name. It omits one that
// spec selects from a field of another object, which external.read checks.
func acts(p *v1beta1.ResourcePolicy) []tenancy.Target {
	return tenancy.Functions(p.Spec.ForProvider.ResourceArn, p.Status.AtProvider.ResourceArn,
		ptr.To(reconcile.ExternalName(p)), ptr.To(ownership.Parent(p)))
}
