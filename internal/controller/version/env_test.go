package version

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const (
	testARN = "arn:aws:lambda:eu-central-1:123456789012:function:f"
)

// script returns the answers of AWS about a function with versions that nothing uses. get
// answers GetFunction. Tests add or replace further answers.
func script(get func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error)) testenv.Script {
	return testenv.Script{
		opGet:                               testenv.Scripted(get),
		opList:                              testenv.Returns(&lambda.ListVersionsByFunctionOutput{}, nil),
		"ListEventSourceMappings":           testenv.Returns(&lambda.ListEventSourceMappingsOutput{}, nil),
		"ListAliases":                       testenv.Returns(&lambda.ListAliasesOutput{}, nil),
		"ListProvisionedConcurrencyConfigs": testenv.Returns(&lambda.ListProvisionedConcurrencyConfigsOutput{}, nil),
		"ListFunctionEventInvokeConfigs":    testenv.Returns(&lambda.ListFunctionEventInvokeConfigsOutput{}, nil),
		"GetPolicy": testenv.Returns[lambda.GetPolicyOutput](nil, testenv.APIError(
			http.StatusNotFound, "ResourceNotFoundException", "The resource you requested does not exist.",
		)),
	}
}

// testVersion returns a Version of function f, changed.
func testVersion(change ...func(*v1beta1.Version)) *v1beta1.Version {
	return testenv.Build(&v1beta1.Version{
		ObjectMeta: metav1.ObjectMeta{Name: "cart", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.VersionSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: testenv.Region},
					FunctionName: ptr.To("f"),
				},
				PublishPolicy: ptr.To("OnChange"),
			},
		},
	}, change...)
}

// at returns a change that makes a Version the owner of a version that it published.
func at(version string) func(*v1beta1.Version) {
	return func(v *v1beta1.Version) {
		meta.AddAnnotations(v, ownership.Name(v, version))
		v.Status.AtProvider.Version = ptr.To(version)
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: version}}
	}
}

func newExternal(api *lambda.Client, functions client.Reader, cache *readcache.Cache) awsResource {
	return (&external{api: api, functions: functions, cache: cache}).resource()
}

// configuration returns the configuration of a version of f, changed.
func configuration(version string, change ...func(*types.FunctionConfiguration)) *types.FunctionConfiguration {
	c := &types.FunctionConfiguration{
		FunctionName: ptr.To("f"), FunctionArn: ptr.To(testARN + ":" + version), Version: ptr.To(version),
		CodeSha256: ptr.To("code"),
		State:      types.StateActive, LastUpdateStatus: types.LastUpdateStatusSuccessful,
		RevisionId: ptr.To("r" + version),
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// answers returns a function that answers GetFunction with configurations by their
// versions.
func answers(of ...*types.FunctionConfiguration) func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) {
	return func(in *lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) {
		for _, c := range of {
			if *c.Version == ptr.Deref(in.Qualifier, "$LATEST") {
				return &lambda.GetFunctionOutput{Configuration: c}, nil
			}
		}
		return nil, testenv.APIError(http.StatusNotFound, "ResourceNotFoundException", "Function not found")
	}
}
