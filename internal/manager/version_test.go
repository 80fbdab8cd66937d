package manager

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// publisher returns a Version of the Function f, which it references.
func (e *env) publisher(name string) *v1beta1.Version {
	return &v1beta1.Version{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.ns},
		Spec: v1beta1.VersionSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:        v1beta1.Regional{Region: region},
					FunctionNameRef: &xpv2.NamespacedReference{Name: "f"},
				},
				HistoryLimit: ptr.To[int32](1),
			},
		},
	}
}

// versions returns the versions of function f in AWS.
func (e *env) versions() []string {
	e.Helper()
	out, err := e.aws.ListVersionsByFunction(e.Context(),
		&lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")})
	if err != nil {
		e.Fatalf("cannot list versions: %v", err)
	}
	var names []string
	for _, v := range out.Versions[1:] {
		names = append(names, *v.Version)
	}
	return names
}

func TestVersionFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	f, v := e.function("f"), e.publisher("v")
	a := e.alias("live", func(a *v1beta1.Alias) {
		a.Spec.ForProvider.FunctionVersionRef = &xpv2.NamespacedReference{Name: "v"}
	})
	e.create(a, v, f)
	e.ready(v)
	e.at("live", "1")
	if got := meta.GetExternalName(v); got != "1" || ptr.Deref(v.Status.AtProvider.FunctionName, "") != "f" ||
		ptr.Deref(v.Status.AtProvider.State, "") != "Active" {
		t.Errorf("a Ready Version must tell its number, function and state, got %q, %+v", got, v.Status.AtProvider)
	}

	// Both are changed, which takes two updates: one version has both.
	e.edit(f, func(f *v1beta1.Function) {
		f.Spec.ForProvider.MemorySize = ptr.To[int32](256)
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "new"}}
	})
	e.at("live", "2")
	e.ready(f)
	if got := e.versions(); len(got) != 2 {
		t.Errorf("one change must be one version, got %v", got)
	}

	edit(e, v, func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0) })
	e.until("the earlier version is pruned", func() bool { got := e.versions(); return len(got) == 1 && got[0] == "2" })

	if _, err := e.aws.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), Timeout: ptr.To[int32](77)}); err != nil {
		t.Fatal(err)
	}
	e.until("what another tool changed is published", func() bool {
		e.reconcile(v)
		return len(e.versions()) > 0 &&
			e.versions()[len(e.versions())-1] == "3"
	})
	e.at("live", "3")

	e.remove(v)
	e.remove(a)
	e.gone(a)
	e.gone(v)
	if got := e.versions(); len(got) != 0 {
		t.Errorf("a deleted Version must be gone from AWS, got %v", got)
	}
	if e.count() != 1 {
		t.Error("the function must stay")
	}
}
