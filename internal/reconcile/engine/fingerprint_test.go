package engine

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// fingerprintsOf returns the fingerprints of a kind whose resources refer to objects of a cluster.
func fingerprintsOf[T reconcile.Managed](
	t *testing.T, refer func(T) []reconcile.Reference, to client.Object,
) (*references, client.Client) {
	t.Helper()
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(to).Build()
	k := reconcile.Kind[T]{References: refer}
	return &references{kind: k.Untyped(), reader: c}, c
}

// checkFollows checks that the first reconcile after a start notices that a referenced object has changed meanwhile.
func checkFollows[T reconcile.Managed](
	t *testing.T, mg T, refer func(T) []reconcile.Reference, to client.Object, change func(),
) {
	t.Helper()
	f, c := fingerprintsOf(t, refer, to)
	resolved, ok := mg.DeepCopyObject().(T)
	if !ok {
		t.Fatal("a copy has another type")
	}
	if err := f.resolve(t.Context(), resolved, &session.Session{}); err != nil {
		t.Fatal(err)
	}
	mg.SetSummary(v1beta1.Summary{ReferencesFingerprint: f.fingerprint(t.Context(), resolved, &session.Session{})})
	if !f.unchanged(t.Context(), mg, &session.Session{}) {
		t.Error("what has not changed counts as changed")
	}
	change()
	if err := c.Update(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if f.unchanged(t.Context(), mg, &session.Session{}) {
		t.Error("a change while the provider was away is not noticed")
	}
}

func TestFingerprintOfReferences(t *testing.T) {
	metadata := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "shop", Name: name} }
	t.Run("NewVersionOfALayer", func(t *testing.T) {
		const arn = "arn:aws:lambda:eu-central-1:123456789012:layer:base:"
		to := &v1beta1.LayerVersion{ObjectMeta: metadata("base")}
		meta.SetExternalName(to, arn+"1")
		f := &v1beta1.Function{ObjectMeta: metadata("cart")}
		f.Spec.ForProvider.LayerRefs = []xpv2.NamespacedReference{{Name: "base"}}
		checkFollows(t, f, func(f *v1beta1.Function) []reconcile.Reference {
			ref := &f.Spec.ForProvider.LayerRefs[0]
			return []reconcile.Reference{{Field: "layers", To: v1beta1.LayerVersionGroupVersionKind, Ref: ref}}
		}, to, func() { meta.SetExternalName(to, arn+"2") })
	})
	t.Run("OtherCodeSigningConfig", func(t *testing.T) {
		const arn = "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-"
		to := &v1beta1.CodeSigningConfig{ObjectMeta: metadata("signed")}
		meta.SetExternalName(to, arn+"1")
		f := &v1beta1.Function{ObjectMeta: metadata("cart")}
		f.Spec.ForProvider.CodeSigningConfigArnRef = &xpv2.NamespacedReference{Name: "signed"}
		checkFollows(t, f, func(f *v1beta1.Function) []reconcile.Reference {
			return []reconcile.Reference{{
				Field: "codeSigningConfigArn", To: v1beta1.CodeSigningConfigGroupVersionKind,
				Ref: f.Spec.ForProvider.CodeSigningConfigArnRef,
			}}
		}, to, func() { meta.SetExternalName(to, arn+"2") })
	})
	t.Run("NewVersionOfAFollowedFunction", func(t *testing.T) {
		to := &v1beta1.Function{ObjectMeta: metadata("cart")}
		meta.SetExternalName(to, "cart")
		to.Status.AtProvider.LatestPublishedVersion = ptr.To("7")
		a := &v1beta1.Alias{ObjectMeta: metadata("live")}
		a.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"}
		checkFollows(t, a, func(a *v1beta1.Alias) []reconcile.Reference {
			return []reconcile.Reference{{
				Field: "functionName", To: v1beta1.FunctionGroupVersionKind, Ref: a.Spec.ForProvider.FunctionNameRef,
				Follows: true,
			}}
		}, to, func() { to.Status.AtProvider.LatestPublishedVersion = ptr.To("8") })
	})
}

func TestFingerprintOfTags(t *testing.T) {
	of := func(team string, ignored ...string) *session.Session {
		s := &session.Session{IgnoreTags: session.NewIgnoreTags(ignored, nil)}
		if team != "" {
			s.Tags = map[string]string{"team": team, "stage": "prod"}
		}
		return s
	}
	cases := map[string]struct {
		reason    string
		was, is   *session.Session
		untagged  bool
		unchanged bool
	}{
		"Same":     {reason: "The config has the same tags.", was: of("shop"), is: of("shop"), unchanged: true},
		"None":     {reason: "It never had any.", was: of(""), is: of(""), unchanged: true},
		"Added":    {reason: "It has tags now.", was: of(""), is: of("shop")},
		"Changed":  {reason: "A tag has another value.", was: of("shop"), is: of("cart")},
		"Removed":  {reason: "It has no tags any more.", was: of("shop"), is: of("")},
		"Ignored":  {reason: "A tag is ignored now.", was: of("shop"), is: of("shop", "scanned-by")},
		"Untagged": {reason: "The kind has no tags.", was: of("shop"), is: of("cart"), untagged: true, unchanged: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, _ := fingerprintsOf[*v1beta1.Function](t, nil, &v1beta1.LayerVersion{})
			f.kind.Tagged = !tc.untagged
			mg := &v1beta1.Function{}
			for _, s := range []*session.Session{tc.was, tc.was} { // The second one has a fingerprint to begin with.
				mg.SetSummary(v1beta1.Summary{ReferencesFingerprint: f.fingerprint(t.Context(), mg, s)})
			}
			if got := f.unchanged(t.Context(), mg, tc.is); got != tc.unchanged {
				t.Errorf("%s\nunchanged: %t, want %t", tc.reason, got, tc.unchanged)
			}
		})
	}
}
