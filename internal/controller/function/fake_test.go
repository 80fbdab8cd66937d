package function

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/bundle"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// fakeLambda answers with its fields. A call that a test does not expect finds a
// nil field and panics, which names it. calls notes the calls in their order.
type fakeLambda struct {
	lambdaAPI

	calls []string

	get          func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error)
	create       func(*lambda.CreateFunctionInput) (*lambda.CreateFunctionOutput, error)
	updateConfig func(*lambda.UpdateFunctionConfigurationInput) (*lambda.UpdateFunctionConfigurationOutput, error)
	updateCode   func(*lambda.UpdateFunctionCodeInput) (*lambda.UpdateFunctionCodeOutput, error)
	tag          func(*lambda.TagResourceInput) (*lambda.TagResourceOutput, error)
	scaling      func(*lambda.GetFunctionScalingConfigInput) (*lambda.GetFunctionScalingConfigOutput, error)
	delete       func(*lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error)
}

func (f *fakeLambda) GetFunction(_ context.Context, in *lambda.GetFunctionInput, _ ...func(*lambda.Options)) (*lambda.GetFunctionOutput, error) {
	f.calls = append(f.calls, "GetFunction")
	return f.get(in)
}

func (f *fakeLambda) CreateFunction(_ context.Context, in *lambda.CreateFunctionInput, _ ...func(*lambda.Options)) (*lambda.CreateFunctionOutput, error) {
	f.calls = append(f.calls, "CreateFunction")
	return f.create(in)
}

func (f *fakeLambda) UpdateFunctionConfiguration(_ context.Context, in *lambda.UpdateFunctionConfigurationInput, _ ...func(*lambda.Options)) (*lambda.UpdateFunctionConfigurationOutput, error) {
	f.calls = append(f.calls, "UpdateFunctionConfiguration")
	return f.updateConfig(in)
}

func (f *fakeLambda) UpdateFunctionCode(_ context.Context, in *lambda.UpdateFunctionCodeInput, _ ...func(*lambda.Options)) (*lambda.UpdateFunctionCodeOutput, error) {
	f.calls = append(f.calls, "UpdateFunctionCode")
	return f.updateCode(in)
}

func (f *fakeLambda) TagResource(_ context.Context, in *lambda.TagResourceInput, _ ...func(*lambda.Options)) (*lambda.TagResourceOutput, error) {
	f.calls = append(f.calls, "TagResource")
	return f.tag(in)
}

func (f *fakeLambda) GetFunctionScalingConfig(_ context.Context, in *lambda.GetFunctionScalingConfigInput, _ ...func(*lambda.Options)) (*lambda.GetFunctionScalingConfigOutput, error) {
	f.calls = append(f.calls, "GetFunctionScalingConfig")
	return f.scaling(in)
}

func (f *fakeLambda) DeleteFunction(_ context.Context, in *lambda.DeleteFunctionInput, _ ...func(*lambda.Options)) (*lambda.DeleteFunctionOutput, error) {
	f.calls = append(f.calls, "DeleteFunction")
	return f.delete(in)
}

// fakeFields answers with the same value for every field, or an error.
type fakeFields func(v1beta1.FieldSelector) (string, error)

func (f fakeFields) Get(_ context.Context, _ string, s v1beta1.FieldSelector) (string, error) {
	return f(s)
}

const (
	testARN = "arn:aws:lambda:eu-central-1:123456789012:function:f"
)

// testFunction is a Function with inline code that needs nothing else.
func testFunction(change ...func(*v1beta1.Function)) *v1beta1.Function {
	f := &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{Name: "f", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.FunctionSpec{
			ManagedResourceSpec: steptest.Spec(),
			ForProvider:         v1beta1.FunctionParameters{Region: "eu-central-1", FunctionSettings: minimal()},
		},
	}
	f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}}
	for _, c := range change {
		c(f)
	}
	return f
}

// ours is GetFunction's answer for testFunction as the provider made it.
func ours(f *v1beta1.Function, change ...func(*lambda.GetFunctionOutput)) *lambda.GetFunctionOutput {
	o := sparse().function
	o.Configuration.RevisionId = ptr.To("rev-1")
	o.Configuration.LastModified = ptr.To(steptest.Start.Format(modifiedLayout))
	o.Tags = ownership.Tags(f, steptest.Cluster, "default", kind)
	if i := f.Spec.ForProvider.Code.Inline; i != nil {
		files := map[string][]byte{}
		for k, v := range i {
			files[k] = []byte(v)
		}
		b, err := bundle.Zip(files)
		if err != nil {
			panic(err)
		}
		o.Configuration.CodeSha256 = ptr.To(bundle.Hash(b))
	}
	for _, c := range change {
		c(o)
	}
	return o
}

// testExternal is an external client, and the thing that it works on.
func testExternal(api lambdaAPI, objs steptest.Objects) (*external, *thing) {
	t := testThing(api, objs)
	return newExternal(t), t
}

func testThing(api lambdaAPI, objs steptest.Objects) *thing {
	return &thing{
		api:      api,
		resolver: &resolver{objects: objs, bundles: bundle.Finder{Objects: objs}},
		owner:    steptest.Owner(kind, ""),
		memory:   newRecords(),
		now:      func() time.Time { return steptest.Start },
		account:  (*account.Limits)(nil).Of(nil),
	}
}

func notFound() error {
	return &smithy.OperationError{ServiceID: "Lambda", OperationName: "GetFunction", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusNotFound}},
		Err:      &types.ResourceNotFoundException{Message: ptr.To("Function not found: " + testARN)},
	}}
}

func always[I, O any](out O, err error) func(I) (O, error) {
	return func(I) (O, error) { return out, err }
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	return t.Context()
}

func codeOfZip(b []byte) *types.FunctionCode { return &types.FunctionCode{ZipFile: b} }
