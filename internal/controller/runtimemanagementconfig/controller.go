// Package runtimemanagementconfig manages when AWS updates the runtimes of Lambda functions.
//
// Every version of a function has such a configuration, so that it has no owner: creating
// it sets it, and deleting it resets it to AWS's default, Auto.
package runtimemanagementconfig

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Define returns the kind of RuntimeManagementConfigs.
func Define(_ ctrl.Manager, _ engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.RuntimeManagementConfig]{
		GVK:      v1beta1.RuntimeManagementConfigGroupVersionKind,
		Reads:    func(c *v1beta1.RuntimeManagementConfig) []string { return reconcile.Reads(c, opGet, opPut) },
		Reported: func(*v1beta1.RuntimeManagementConfig) bool { return true },
		Observer: func(
			_ *v1beta1.RuntimeManagementConfig, s *session.Session,
		) reconcile.Observer[*v1beta1.RuntimeManagementConfig] {
			return newExternal(session.Client(s, lambda.NewFromConfig))
		},
	}.Untyped()
}
