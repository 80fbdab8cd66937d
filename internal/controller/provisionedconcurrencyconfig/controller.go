// Package provisionedconcurrencyconfig manages the provisioned concurrency of AWS Lambda functions.
package provisionedconcurrencyconfig

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Define returns the kind of ProvisionedConcurrencyConfigs.
func Define(_ ctrl.Manager, _ engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.ProvisionedConcurrencyConfig]{
		GVK:      v1beta1.ProvisionedConcurrencyConfigGroupVersionKind,
		Reads:    func(c *v1beta1.ProvisionedConcurrencyConfig) []string { return reconcile.Reads(c, opGet, opPut) },
		Reported: func(*v1beta1.ProvisionedConcurrencyConfig) bool { return true },
		Observer: func(
			_ *v1beta1.ProvisionedConcurrencyConfig, s *session.Session,
		) reconcile.Observer[*v1beta1.ProvisionedConcurrencyConfig] {
			return newExternal(session.Client(s, lambda.NewFromConfig))
		},
	}.Untyped()
}
