// Package functioneventinvokeconfig manages the settings for asynchronous invocation of
// AWS Lambda functions, versions and aliases.
package functioneventinvokeconfig

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
)

// Define returns the kind of FunctionEventInvokeConfigs.
func Define(_ ctrl.Manager, o engine.Options) reconcile.UntypedKind {
	return reconcile.Kind[*v1beta1.FunctionEventInvokeConfig]{
		GVK:      v1beta1.FunctionEventInvokeConfigGroupVersionKind,
		Reads:    func(c *v1beta1.FunctionEventInvokeConfig) []string { return reconcile.Reads(c, opGet, opPut) },
		Reported: func(*v1beta1.FunctionEventInvokeConfig) bool { return true },
		Observer: func(
			_ *v1beta1.FunctionEventInvokeConfig, s *session.Session,
		) reconcile.Observer[*v1beta1.FunctionEventInvokeConfig] {
			return newExternal(session.Client(s, lambda.NewFromConfig), o.Fields)
		},
		Uses:   uses,
		Fields: func(c *v1beta1.FunctionEventInvokeConfig) []v1beta1.FieldSelector { return refs.In(c.Spec) },
	}.Untyped()
}

// uses returns the functions among the destinations, whether spec names them by ARN or by reference. Desired checks
// those that fields of other objects name.
func uses(mg *v1beta1.FunctionEventInvokeConfig) []tenancy.Target {
	all := usesOf(mg.Spec.ForProvider.DestinationConfig)
	if mg.Spec.InitProvider != nil {
		all = append(all, usesOf(mg.Spec.InitProvider.DestinationConfig)...)
	}
	return all
}

func usesOf(c *v1beta1.EventDestinationConfig) []tenancy.Target {
	if c == nil {
		return nil
	}
	return tenancy.Named(ptr.Deref(c.OnFailure, v1beta1.EventDestination{}).Destination,
		ptr.Deref(c.OnSuccess, v1beta1.EventDestination{}).Destination)
}
