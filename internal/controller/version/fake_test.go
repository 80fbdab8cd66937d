package version

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

const (
	testARN = "arn:aws:lambda:eu-central-1:123456789012:function:f"
)

// fakeLambda answers with its fields. A call that a test does not expect finds a nil
// field and panics, which names it.
type fakeLambda struct {
	unused

	get     func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error)
	list    func(*lambda.ListVersionsByFunctionInput) (*lambda.ListVersionsByFunctionOutput, error)
	publish func(*lambda.PublishVersionInput) (*lambda.PublishVersionOutput, error)
	delete  func(*lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error)

	// mappings may be nil: there are none.
	mappings func(*lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error)
}

func (f *fakeLambda) ListEventSourceMappings(_ context.Context, in *lambda.ListEventSourceMappingsInput, _ ...func(*lambda.Options)) (*lambda.ListEventSourceMappingsOutput, error) {
	if f.mappings == nil {
		return &lambda.ListEventSourceMappingsOutput{}, nil
	}
	return f.mappings(in)
}

func (f *fakeLambda) GetFunction(_ context.Context, in *lambda.GetFunctionInput, _ ...func(*lambda.Options)) (*lambda.GetFunctionOutput, error) {
	return f.get(in)
}

func (f *fakeLambda) ListVersionsByFunction(_ context.Context, in *lambda.ListVersionsByFunctionInput, _ ...func(*lambda.Options)) (*lambda.ListVersionsByFunctionOutput, error) {
	return f.list(in)
}

func (f *fakeLambda) PublishVersion(_ context.Context, in *lambda.PublishVersionInput, _ ...func(*lambda.Options)) (*lambda.PublishVersionOutput, error) {
	return f.publish(in)
}

func (f *fakeLambda) DeleteFunction(_ context.Context, in *lambda.DeleteFunctionInput, _ ...func(*lambda.Options)) (*lambda.DeleteFunctionOutput, error) {
	return f.delete(in)
}

// unused answers that nothing uses any version.
type unused struct{}

func (unused) ListAliases(context.Context, *lambda.ListAliasesInput, ...func(*lambda.Options)) (*lambda.ListAliasesOutput, error) {
	return &lambda.ListAliasesOutput{}, nil
}

func (unused) ListProvisionedConcurrencyConfigs(context.Context, *lambda.ListProvisionedConcurrencyConfigsInput, ...func(*lambda.Options)) (*lambda.ListProvisionedConcurrencyConfigsOutput, error) {
	return &lambda.ListProvisionedConcurrencyConfigsOutput{}, nil
}

func (unused) ListFunctionEventInvokeConfigs(context.Context, *lambda.ListFunctionEventInvokeConfigsInput, ...func(*lambda.Options)) (*lambda.ListFunctionEventInvokeConfigsOutput, error) {
	return &lambda.ListFunctionEventInvokeConfigsOutput{}, nil
}

func (unused) GetPolicy(context.Context, *lambda.GetPolicyInput, ...func(*lambda.Options)) (*lambda.GetPolicyOutput, error) {
	return nil, steptest.APIError(http.StatusNotFound, "ResourceNotFoundException", "The resource you requested does not exist.")
}

// testVersion is a Version of function f, changed.
func testVersion(change ...func(*v1beta1.Version)) *v1beta1.Version {
	v := &v1beta1.Version{
		ObjectMeta: metav1.ObjectMeta{Name: "cart", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.VersionSpec{
			ManagedResourceSpec: steptest.Spec(),
			ForProvider:         v1beta1.VersionParameters{Region: steptest.Region, FunctionName: ptr.To("f"), PublishPolicy: ptr.To("OnChange")},
		},
	}
	for _, c := range change {
		c(v)
	}
	return v
}

// at has a Version own a version that it published.
func at(version string) func(*v1beta1.Version) {
	return func(v *v1beta1.Version) {
		meta.AddAnnotations(v, ownership.Name(v, version))
		v.Status.AtProvider.Version = ptr.To(version)
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: version}}
	}
}

func testExternal(api lambdaAPI, functions client.Reader, cache *inventory.Cache) *flow.External[*v1beta1.Version, observed] {
	return flow.New(&thing{api: api, functions: functions, cache: cache}, flow.Calls{Create: callPublish, Delete: callDelete})
}

// configuration of a version of f, changed.
func configuration(version string, change ...func(*types.FunctionConfiguration)) *types.FunctionConfiguration {
	c := &types.FunctionConfiguration{
		FunctionName: ptr.To("f"), FunctionArn: ptr.To(testARN + ":" + version), Version: ptr.To(version), CodeSha256: ptr.To("code"),
		State: types.StateActive, LastUpdateStatus: types.LastUpdateStatusSuccessful, RevisionId: ptr.To("r" + version),
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// answers GetFunction with configurations by their versions.
func answers(of ...*types.FunctionConfiguration) func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) {
	return func(in *lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) {
		for _, c := range of {
			if *c.Version == ptr.Deref(in.Qualifier, "$LATEST") {
				return &lambda.GetFunctionOutput{Configuration: c}, nil
			}
		}
		return nil, steptest.APIError(http.StatusNotFound, "ResourceNotFoundException", "Function not found")
	}
}
