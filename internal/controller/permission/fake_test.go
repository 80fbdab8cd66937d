package permission

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

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

	get    func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error)
	add    func(*lambda.AddPermissionInput) error
	remove func(*lambda.RemovePermissionInput) error
}

func (f *fakeLambda) GetPolicy(_ context.Context, in *lambda.GetPolicyInput, _ ...func(*lambda.Options)) (*lambda.GetPolicyOutput, error) {
	f.calls = append(f.calls, callRead)
	return f.get(in)
}

func (f *fakeLambda) AddPermission(_ context.Context, in *lambda.AddPermissionInput, _ ...func(*lambda.Options)) (*lambda.AddPermissionOutput, error) {
	f.calls = append(f.calls, callAdd)
	return &lambda.AddPermissionOutput{}, f.add(in)
}

func (f *fakeLambda) RemovePermission(_ context.Context, in *lambda.RemovePermissionInput, _ ...func(*lambda.Options)) (*lambda.RemovePermissionOutput, error) {
	f.calls = append(f.calls, callRemove)
	return &lambda.RemovePermissionOutput{}, f.remove(in)
}

var (
	errNotFound = &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "The resource you requested does not exist."}
	errBoom     = errors.New("boom")
)

// answering is a GetPolicy that answers with statements.
func answering(statements string) func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) {
	return func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) {
		return &lambda.GetPolicyOutput{Policy: ptr.To(`{"Version":"2012-10-17","Id":"default","Statement":[` + statements + `]}`), RevisionId: ptr.To("r1")}, nil
	}
}

func failing(err error) func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) {
	return func(*lambda.GetPolicyInput) (*lambda.GetPolicyOutput, error) { return nil, err }
}

const (
	bucketStatement = `{"Sid":"bucket","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction","Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart"}`
	otherStatement  = `{"Sid":"other","Effect":"Allow","Principal":"*","Action":"lambda:*","Resource":"arn:aws:lambda:eu-central-1:123456789012:function:cart"}`
)

func testPermission(change ...func(*v1beta1.Permission)) *v1beta1.Permission {
	p := &v1beta1.Permission{
		ObjectMeta: metav1.ObjectMeta{Name: "bucket", Namespace: "team", UID: "u1", Generation: 1},
		Spec: v1beta1.PermissionSpec{ForProvider: v1beta1.PermissionParameters{
			Region:       steptest.Region,
			FunctionName: ptr.To("cart"),
			Action:       ptr.To("lambda:InvokeFunction"),
			Principal:    ptr.To("s3.amazonaws.com"),
		}},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

// named has the permission's name written by itself.
func named(p *v1beta1.Permission) { meta.AddAnnotations(p, ownership.Name(p, "bucket")) }

// imported has it set by the user.
func imported(p *v1beta1.Permission) { meta.SetExternalName(p, "bucket") }

func deleted(p *v1beta1.Permission) { p.DeletionTimestamp = ptr.To(metav1.Now()) }

func testExternal(api lambdaAPI, f steptest.Fields) (*flow.External[*v1beta1.Permission, observed], context.Context, *managed.Attempt) {
	turn := &managed.Attempt{}
	t := &thing{api: api, cache: &inventory.Cache{}, fields: f, ongoing: &ongoing{}}
	return flow.New(t, flow.Calls{Create: callAdd, Delete: callRemove}), managed.WithAttempt(context.Background(), turn), turn
}

func message(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	return err.Error()
}
