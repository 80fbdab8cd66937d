// Package functionurl manages the HTTPS endpoints of AWS Lambda functions and of their aliases.
package functionurl

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Define returns the kind of FunctionURLs.
func Define(_ ctrl.Manager, _ engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.FunctionURL]{
		GVK:      v1beta1.FunctionURLGroupVersionKind,
		Reads:    func(u *v1beta1.FunctionURL) []string { return reconcile.Reads(u, opGet, opCreate) },
		Reported: func(*v1beta1.FunctionURL) bool { return true },
		Observer: func(_ *v1beta1.FunctionURL, s *session.Session) reconcile.Observer[*v1beta1.FunctionURL] {
			return newExternal(session.Client(s, lambda.NewFromConfig))
		},
	}.Untyped()
}
