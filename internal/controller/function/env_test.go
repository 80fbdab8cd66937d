package function

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const (
	testARN = "arn:aws:lambda:eu-central-1:123456789012:function:f"
)

// testFunction returns a Function with inline code that refers to nothing else.
func testFunction(change ...func(*v1beta1.Function)) *v1beta1.Function {
	f := &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{Name: "f", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.FunctionSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.FunctionParameters{
				Regional:         v1beta1.Regional{Region: "eu-central-1"},
				FunctionSettings: minimal(),
			},
		},
	}
	f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}}
	for _, c := range change {
		c(f)
	}
	return f
}

// onManagedInstances lets a capacity provider run a function, which is published.
func onManagedInstances(f *v1beta1.Function) {
	p := &f.Spec.ForProvider
	p.CapacityProviderConfig = &v1beta1.CapacityProviderConfig{
		LambdaManagedInstancesCapacityProviderConfig: v1beta1.LambdaManagedInstancesCapacityProviderConfig{
			CapacityProviderArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:capacity-provider:c"),
		},
	}
	p.MemorySize, p.Publish = ptr.To[int32](2048), ptr.To(true)
}

// ours returns GetFunction's answer for testFunction as the provider created it.
func ours(f *v1beta1.Function, change ...func(*lambda.GetFunctionOutput)) *lambda.GetFunctionOutput {
	o := sparse().function
	o.Configuration.RevisionId = ptr.To("rev-1")
	o.Configuration.LastModified = ptr.To(testenv.Start.Format(modifiedLayout))
	o.Tags = ownership.Tags(f, testenv.Cluster, "default", kind)
	if i := f.Spec.ForProvider.Code.Inline; i != nil {
		files := map[string][]byte{}
		for k, v := range i {
			files[k] = []byte(v)
		}
		b, err := archive.Zip(files)
		if err != nil {
			panic(err)
		}
		o.Configuration.CodeSha256 = ptr.To(archive.Hash(b))
	}
	for _, c := range change {
		c(o)
	}
	return o
}

// testExternal returns an external.
func testExternal(api *lambda.Client, objs testenv.Objects) *external {
	return &external{
		api:      api,
		resolver: &resolver{objects: objs, bundles: archive.Finder{Objects: objs}},
		tags:     testenv.Owner(kind, "ignored"),
		memory:   newRecords(),
		account:  (*account.Limits)(nil).Of(nil),
	}
}

func notFound() error {
	return &smithy.OperationError{ServiceID: "Lambda", OperationName: "GetFunction", Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusNotFound}},
		Err:      &types.ResourceNotFoundException{Message: ptr.To("Function not found: " + testARN)},
	}}
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	return t.Context()
}

func codeOfZip(b []byte) *types.FunctionCode { return &types.FunctionCode{ZipFile: b} }
