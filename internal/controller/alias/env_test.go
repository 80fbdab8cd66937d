package alias

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const testARN = "arn:aws:lambda:eu-central-1:123456789012:function:f:live"

// publishedLast returns Functions that published the same version last.
func publishedLast(version string) testenv.Functions {
	return testenv.Functions{Answer: func(_ client.ObjectKey, f *v1beta1.Function) error {
		f.Spec.ForProvider.Publish = ptr.To(true)
		if version != "" {
			f.Status.AtProvider.LatestPublishedVersion = ptr.To(version)
		}
		return nil
	}}
}

// testAlias returns an Alias of version 1, edited.
func testAlias(change ...func(*v1beta1.Alias)) *v1beta1.Alias {
	return testenv.Build(&v1beta1.Alias{
		ObjectMeta: metav1.ObjectMeta{Name: "live", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.AliasSpec{
			ManagedResourceSpec: testenv.Spec(),
			ForProvider: v1beta1.AliasParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: testenv.Region},
					FunctionName: ptr.To("f"),
				},
				AliasSettings: v1beta1.AliasSettings{FunctionVersion: ptr.To("1")},
			},
		},
	}, change...)
}

// following makes an alias follow the version that its Function published last.
func following(a *v1beta1.Alias) {
	a.Spec.ForProvider.FunctionVersion, a.Spec.ForProvider.FunctionNameRef = nil, &xpv2.NamespacedReference{
		Name: "cart",
	}
}

// named sets the external name as if the alias had written it.
var named = testenv.Named[*v1beta1.Alias]("live")

// asked records that a create has asked for version 1.
func asked(a *v1beta1.Alias) {
	meta.AddAnnotations(a, ownership.Asked(a, settings{FunctionVersion: ptr.To("1")}))
}

func weighted(t testing.TB, version, weight string) *v1beta1.AliasRoutingConfig {
	t.Helper()
	return &v1beta1.AliasRoutingConfig{
		AdditionalVersionWeights: map[string]v1beta1.AliasWeight{version: v1beta1.AliasWeight(weight)},
	}
}
