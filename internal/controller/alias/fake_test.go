package alias

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

const (
	testARN = "arn:aws:lambda:eu-central-1:123456789012:function:f:live"
)

// fakeLambda answers with its fields. A call that a test does not expect finds a nil
// field and panics, which names it.
type fakeLambda struct {
	list   func(*lambda.ListAliasesInput) (*lambda.ListAliasesOutput, error)
	create func(*lambda.CreateAliasInput) (*lambda.CreateAliasOutput, error)
	update func(*lambda.UpdateAliasInput) (*lambda.UpdateAliasOutput, error)
	delete func(*lambda.DeleteAliasInput) (*lambda.DeleteAliasOutput, error)
}

// GetAlias finds no more than the list does.
func (f *fakeLambda) GetAlias(context.Context, *lambda.GetAliasInput, ...func(*lambda.Options)) (*lambda.GetAliasOutput, error) {
	return nil, steptest.APIError(404, "ResourceNotFoundException", "The resource you requested does not exist.")
}

func (f *fakeLambda) ListAliases(_ context.Context, in *lambda.ListAliasesInput, _ ...func(*lambda.Options)) (*lambda.ListAliasesOutput, error) {
	return f.list(in)
}

func (f *fakeLambda) CreateAlias(_ context.Context, in *lambda.CreateAliasInput, _ ...func(*lambda.Options)) (*lambda.CreateAliasOutput, error) {
	return f.create(in)
}

func (f *fakeLambda) UpdateAlias(_ context.Context, in *lambda.UpdateAliasInput, _ ...func(*lambda.Options)) (*lambda.UpdateAliasOutput, error) {
	return f.update(in)
}

func (f *fakeLambda) DeleteAlias(_ context.Context, in *lambda.DeleteAliasInput, _ ...func(*lambda.Options)) (*lambda.DeleteAliasOutput, error) {
	return f.delete(in)
}

// publishedLast are Functions that published the same version last.
func publishedLast(version string) steptest.Functions {
	return steptest.Functions{Answer: func(_ client.ObjectKey, f *v1beta1.Function) error {
		f.Spec.ForProvider.Publish = ptr.To(true)
		if version != "" {
			f.Status.AtProvider.LatestPublishedVersion = ptr.To(version)
		}
		return nil
	}}
}

// testAlias is an Alias of version 1, changed.
func testAlias(change ...func(*v1beta1.Alias)) *v1beta1.Alias {
	a := &v1beta1.Alias{
		ObjectMeta: metav1.ObjectMeta{Name: "live", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.AliasSpec{
			ManagedResourceSpec: steptest.Spec(),
			ForProvider: v1beta1.AliasParameters{
				Region: steptest.Region, FunctionName: ptr.To("f"), AliasSettings: v1beta1.AliasSettings{FunctionVersion: ptr.To("1")},
			},
		},
	}
	for _, c := range change {
		c(a)
	}
	return a
}

// following has an alias follow what its Function published last.
func following(a *v1beta1.Alias) {
	a.Spec.ForProvider.FunctionVersion, a.Spec.ForProvider.FunctionNameRef = nil, &xpv2.NamespacedReference{Name: "cart"}
}

// named has an alias own what it created.
func named(a *v1beta1.Alias) { meta.AddAnnotations(a, ownership.Name(a, "live")) }

func testExternal(api lambdaAPI, functions client.Reader, cache *inventory.Cache) *flow.External[*v1beta1.Alias, types.AliasConfiguration] {
	t := &thing{api: api, functions: functions, cache: cache}
	return flow.New(t, flow.Calls{Create: callCreate, Delete: callDelete})
}

func weighted(t *testing.T, version, weight string) *v1beta1.AliasRoutingConfig {
	t.Helper()
	return &v1beta1.AliasRoutingConfig{AdditionalVersionWeights: map[string]v1beta1.AliasWeight{version: v1beta1.AliasWeight(weight)}}
}
