package layerversionpermission

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// fakeLambda answers with its fields, and notes the calls in their order.
type fakeLambda struct {
	calls []string

	get    func(*lambda.GetLayerVersionPolicyInput) (*lambda.GetLayerVersionPolicyOutput, error)
	add    func(*lambda.AddLayerVersionPermissionInput) error
	remove func(*lambda.RemoveLayerVersionPermissionInput) error
}

func (f *fakeLambda) GetLayerVersionPolicy(_ context.Context, in *lambda.GetLayerVersionPolicyInput, _ ...func(*lambda.Options)) (*lambda.GetLayerVersionPolicyOutput, error) {
	f.calls = append(f.calls, callRead)
	return f.get(in)
}

func (f *fakeLambda) AddLayerVersionPermission(_ context.Context, in *lambda.AddLayerVersionPermissionInput, _ ...func(*lambda.Options)) (*lambda.AddLayerVersionPermissionOutput, error) {
	f.calls = append(f.calls, callAdd)
	return &lambda.AddLayerVersionPermissionOutput{}, f.add(in)
}

func (f *fakeLambda) RemoveLayerVersionPermission(_ context.Context, in *lambda.RemoveLayerVersionPermissionInput, _ ...func(*lambda.Options)) (*lambda.RemoveLayerVersionPermissionOutput, error) {
	f.calls = append(f.calls, callRemove)
	return &lambda.RemoveLayerVersionPermissionOutput{}, f.remove(in)
}

var (
	errNotFound = &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "No policy is associated with the given resource."}
	errBoom     = errors.New("boom")
)

// versions are what the policies of the versions of layer base have for statements.
type versions map[int64]string

func (v versions) get(in *lambda.GetLayerVersionPolicyInput) (*lambda.GetLayerVersionPolicyOutput, error) {
	statements := v[*in.VersionNumber]
	if *in.LayerName != "base" || statements == "" {
		return nil, errNotFound
	}
	return &lambda.GetLayerVersionPolicyOutput{Policy: ptr.To(`{"Version":"2012-10-17","Id":"default","Statement":[` + statements + `]}`), RevisionId: ptr.To("r1")}, nil
}

func failing(err error) func(*lambda.GetLayerVersionPolicyInput) (*lambda.GetLayerVersionPolicyOutput, error) {
	return func(*lambda.GetLayerVersionPolicyInput) (*lambda.GetLayerVersionPolicyOutput, error) { return nil, err }
}

const (
	partnerStatement = `{"Sid":"partner","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:1"}`
	partnerAtTwo     = `{"Sid":"partner","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:2"}`
	publicAtTwo      = `{"Sid":"partner","Effect":"Allow","Principal":"*","Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:2"}`
	otherStatement   = `{"Sid":"other","Effect":"Allow","Principal":"*","Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:1"}`
)

// named has the permission's name written by itself, as one of version 1.
func named(p *v1beta1.LayerVersionPermission) {
	meta.AddAnnotations(p, ownership.Name(p, "base:1:partner"))
}

// imported has it set by the user.
func imported(p *v1beta1.LayerVersionPermission) { meta.SetExternalName(p, "base:1:partner") }

// tried has a create for version 1 on record, whose answer is not known.
func tried(p *v1beta1.LayerVersionPermission) {
	meta.AddAnnotations(p, map[string]string{ownership.AnnotationParent: "base:1:partner"})
	meta.SetExternalCreatePending(p, steptest.Start)
}

func deleted(p *v1beta1.LayerVersionPermission) { p.DeletionTimestamp = ptr.To(metav1.Now()) }

// atTwo is for version 2.
func atTwo(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.VersionNumber = ptr.To[int64](2) }

// unresolved has lost what it refers to.
func unresolved(p *v1beta1.LayerVersionPermission) {
	p.Spec.ForProvider.LayerName, p.Spec.ForProvider.VersionNumber = nil, nil
	p.Spec.ForProvider.LayerVersionArnRef = &xpv2.NamespacedReference{Name: "base"}
}

// byArn means a version by its ARN.
func byArn(id string) func(*v1beta1.LayerVersionPermission) {
	return func(p *v1beta1.LayerVersionPermission) {
		p.Spec.ForProvider.LayerName, p.Spec.ForProvider.VersionNumber = nil, nil
		p.Spec.ForProvider.LayerVersionArn = ptr.To(id)
	}
}

func public(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.Principal = ptr.To("*") }

func testExternal(api lambdaAPI) (*flow.External[*v1beta1.LayerVersionPermission, observed], context.Context, *managed.Attempt) {
	turn := &managed.Attempt{}
	t := &thing{api: api, cache: &inventory.Cache{}}
	return flow.New(t, flow.Calls{Create: callAdd, Delete: callRemove}), managed.WithAttempt(context.Background(), turn), turn
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
