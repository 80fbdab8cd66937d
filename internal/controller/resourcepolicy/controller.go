// Package resourcepolicy manages the whole policies of AWS Lambda functions, versions
// and aliases.
package resourcepolicy

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// Setup adds a controller of ResourcePolicies to the manager.
func Setup(mgr ctrl.Manager, o managed.Options) error {
	return managed.Setup(mgr, o, managed.Kind[*v1beta1.ResourcePolicy]{
		GVK:     v1beta1.ResourcePolicyGroupVersionKind,
		New:     func() *v1beta1.ResourcePolicy { return &v1beta1.ResourcePolicy{} },
		NewList: func() resource.ManagedList { return &v1beta1.ResourcePolicyList{} },
		Region:  func(p *v1beta1.ResourcePolicy) string { return p.Spec.ForProvider.Region },
		Reads:   reads,
		Connect: func(_ context.Context, _ *v1beta1.ResourcePolicy, s *config.Session) (xpmanaged.TypedExternalClient[*v1beta1.ResourcePolicy], error) {
			return flow.New(&external{api: config.Client(s, lambda.NewFromConfig), fields: o.Fields}, calls), nil
		},
		ActsOn:     acts,
		Fields:     selectors,
		References: references,
		RefersTo:   []schema.GroupVersionKind{v1beta1.FunctionGroupVersionKind},
	})
}

// calls by which this kind creates, updates and deletes.
var calls = flow.Calls{Create: opPut, Update: opPut, Delete: opDelete}

// reads are the calls of the next observation, and the creation that will most likely
// follow the first one.
func reads(p *v1beta1.ResourcePolicy) []string {
	if p.Status.AtProvider.ResourceArn == nil && flow.MayCreate(p) {
		return []string{opRead, opPut}
	}
	return []string{opRead}
}

func selectors(p *v1beta1.ResourcePolicy) []v1beta1.FieldSelector {
	if from := p.Spec.ForProvider.ResourceArnFrom; from != nil {
		return []v1beta1.FieldSelector{*from}
	}
	return nil
}

func references(p *v1beta1.ResourcePolicy) []managed.Reference {
	fp := p.Spec.ForProvider
	return []managed.Reference{{Field: "resourceArn", To: v1beta1.FunctionGroupVersionKind, Ref: fp.ResourceArnRef, Selector: fp.ResourceArnSelector}}
}

// acts are the functions that spec, status and annotations name, but for what a field of
// another object tells: Read asks for that one.
func acts(p *v1beta1.ResourcePolicy) []tenancy.Target {
	return tenancy.Functions(p.Spec.ForProvider.ResourceArn, p.Status.AtProvider.ResourceArn, ptr.To(flow.Name(p)), ptr.To(ownership.Parent(p)))
}
