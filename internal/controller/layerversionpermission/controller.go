// Package layerversionpermission manages statements of the policies of AWS Lambda layer versions.
//
// All permissions of one version share the result of GetLayerVersionPolicy. A statement that now belongs to another
// version is removed, and added by the next reconcile, which finds it absent.
package layerversionpermission

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Define returns the kind of LayerVersionPermissions.
func Define(_ ctrl.Manager, _ engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.LayerVersionPermission]{
		GVK:   v1beta1.LayerVersionPermissionGroupVersionKind,
		Reads: func(p *v1beta1.LayerVersionPermission) []string { return reconcile.Reads(p, opRead, opAdd) },
		Observer: func(
			_ *v1beta1.LayerVersionPermission, s *session.Session,
		) reconcile.Observer[*v1beta1.LayerVersionPermission] {
			return newExternal(session.Client(s, lambda.NewFromConfig), s.ReadCache())
		},
		ActsOn: acts,
	}.Untyped()
}

// acts returns the layer versions with a policy that has the statement, or may have it.
func acts(p *v1beta1.LayerVersionPermission) []tenancy.Target {
	at, others, _ := allVersions(p) // external.read returns the error.
	var out []tenancy.Target
	for _, of := range append(others, at) {
		if of.known() {
			out = append(out, tenancy.Target{Kind: v1beta1.LayerVersionKind, Name: of.layerVersion()})
		}
	}
	return append(out, tenancy.Named(p.Spec.ForProvider.LayerVersionArn)...)
}
