// Package permission manages statements of the policies of AWS Lambda functions, versions and aliases.
//
// All Permissions of one function share the result of GetPolicy. AWS has no operation that changes a statement: one
// that differs is removed and added again, while an interim statement allows the same.
package permission

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Define returns the kind of Permissions.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	changes := &ongoing{}
	return reconcile.Kind[*v1beta1.Permission]{
		GVK:      v1beta1.PermissionGroupVersionKind,
		Reads:    func(p *v1beta1.Permission) []string { return reconcile.Reads(p, opRead, opAdd) },
		Reported: func(*v1beta1.Permission) bool { return true },
		Observer: func(_ *v1beta1.Permission, s *session.Session) reconcile.Observer[*v1beta1.Permission] {
			return newExternal(&external{
				api: session.Client(s, lambda.NewFromConfig), cache: s.ReadCache(), fields: o.Fields, ongoing: changes,
				scope: s.Scope.String(),
			})
		},
		ActsOn: func(mg *v1beta1.Permission) []tenancy.Target {
			return tenancy.Functions(mg.Spec.ForProvider.FunctionName, mg.Status.AtProvider.FunctionName,
				ptr.To(ownership.Parent(mg)))
		},
		Fields: func(p *v1beta1.Permission) []v1beta1.FieldSelector { return refs.In(p.Spec) },
		Redact: redact,
	}.Untyped()
}

// redact removes the invoker's token, which is a secret, from what is logged.
func redact(p *v1beta1.Permission) {
	if p.Spec.ForProvider.EventSourceToken != nil {
		p.Spec.ForProvider.EventSourceToken = ptr.To(diff.Redacted)
	}
}
