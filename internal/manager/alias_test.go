package manager

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// alias returns an alias of the Function f, which it references and whose versions it follows.
func (e *env) alias(name string, change ...func(*v1beta1.Alias)) *v1beta1.Alias {
	a := &v1beta1.Alias{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.ns},
		Spec: v1beta1.AliasSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.AliasParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:        v1beta1.Regional{Region: region},
					FunctionNameRef: &xpv2.NamespacedReference{Name: "f"},
				},
			},
		},
	}
	for _, c := range change {
		c(a)
	}
	return a
}

// at waits until an alias invokes a version in AWS.
func (e *env) at(name, version string) {
	e.Helper()
	e.until("alias "+name+" is at version "+version, func() bool {
		a, ok := e.double.Alias("f", name)
		return ok && a.FunctionVersion == version
	})
}

// TestAliasFollowsItsFunction uses no manifest with a version number.
func TestAliasFollowsItsFunction(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	a := e.alias("live", func(a *v1beta1.Alias) {
		a.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: "live-conn"}
	})
	e.create(a)
	e.until("it waits for the function", func() bool {
		e.get(a)
		return strings.Contains(a.GetCondition(xpv2.TypeSynced).Message,
			"Function "+e.ns+"/f does not exist (cannot resolve spec.forProvider.functionNameRef)")
	})
	f := e.function("f", func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	e.create(f)
	e.ready(a)
	e.at("live", "1")

	e.edit(f, func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "new"}}
	})
	e.at("live", "2")
	e.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](256) })
	e.at("live", "3")
	e.ready(f)
	e.ready(a)
	// The alias's own generation was Ready before.
	e.until("status tells the version that is followed", func() bool {
		e.get(a)
		return ptr.Deref(a.Status.AtProvider.FunctionVersion, "") == "3"
	})
	if a.Spec.ForProvider.FunctionVersion != nil || a.Spec.ForProvider.FunctionName != nil {
		t.Errorf("spec must stay what the user wrote, got %+v", a.Spec.ForProvider)
	}
	s := &corev1.Secret{}
	e.until("the connection Secret is written", func() bool {
		return e.kube.Get(t.Context(), client.ObjectKey{Namespace: e.ns, Name: "live-conn"}, s) == nil &&
			strings.HasSuffix(string(s.Data["invokeArn"]), ":function:f:live/invocations")
	})

	e.double.EditAlias("f", "live", func(a *awsdouble.Alias) {
		a.FunctionVersion, a.RoutingConfig = "1", &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{
			"2": 0.5,
		}}
	})
	e.until("what was changed by hand is put right", func() bool {
		e.reconcile(a)
		got, _ := e.double.Alias("f", "live")
		return got.FunctionVersion == "3" && got.RoutingConfig == nil
	})

	e.remove(a)
	e.gone(a)
	if _, there := e.double.Alias("f", "live"); there {
		t.Error("a deleted Alias must be gone from AWS")
	}
	if meta.GetExternalName(f) != "f" {
		t.Error("the Function must stay")
	}
}
