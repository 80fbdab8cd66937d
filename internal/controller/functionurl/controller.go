// Package functionurl manages the HTTPS endpoints of AWS Lambda functions and of their
// aliases.
package functionurl

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// Setup adds a controller of FunctionURLs to the manager.
func Setup(mgr ctrl.Manager, o managed.Options) error {
	return managed.Setup(mgr, o, managed.Kind[*v1beta1.FunctionURL]{
		GVK:          v1beta1.FunctionURLGroupVersionKind,
		New:          func() *v1beta1.FunctionURL { return &v1beta1.FunctionURL{} },
		NewList:      func() resource.ManagedList { return &v1beta1.FunctionURLList{} },
		Region:       func(u *v1beta1.FunctionURL) string { return u.Spec.ForProvider.Region },
		FunctionName: func(u *v1beta1.FunctionURL) **string { return &u.Spec.ForProvider.FunctionName },
		Reads:        func(u *v1beta1.FunctionURL) []string { return configured.Reads(u, opList, opCreate) },
		Connect:      connect,
		ActsOn: func(mg *v1beta1.FunctionURL) []tenancy.Target {
			return configured.Acts(mg, mg.Spec.ForProvider.FunctionName)
		},
		References: references,
		RefersTo:   []schema.GroupVersionKind{v1beta1.FunctionGroupVersionKind, v1beta1.AliasGroupVersionKind},
	})
}

func connect(_ context.Context, _ *v1beta1.FunctionURL, s *config.Session) (xpmanaged.TypedExternalClient[*v1beta1.FunctionURL], error) {
	return newExternal(config.Client(s, lambda.NewFromConfig), s.Inventory()), nil
}

func references(u *v1beta1.FunctionURL) []managed.Reference {
	p := u.Spec.ForProvider
	return []managed.Reference{
		configured.FunctionReference(p.ConfiguredFunction),
		configured.QualifierReference(v1beta1.AliasGroupVersionKind, p.QualifierRef, p.QualifierSelector),
	}
}

// calls by which this kind creates, updates and deletes.
var calls = flow.Calls{Create: opCreate, Update: opUpdate, Delete: opDelete}
