package kubectl

import (
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func TestFunctionName(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(f *v1beta1.Function)
		want   string
	}{
		"Unnamed": {
			reason: "It is created by the name of the object.",
			edit:   func(*v1beta1.Function) {},
			want:   "checkout",
		},
		"Named": {
			reason: "The external name.",
			edit:   func(f *v1beta1.Function) { meta.SetExternalName(f, "shop-checkout") },
			want:   "shop-checkout",
		},
		"Removed": {
			reason: "The user has removed the annotation, and the function keeps its name.",
			edit: func(f *v1beta1.Function) {
				f.Annotations = ownership.Name(f, "shop-checkout")
				delete(f.Annotations, meta.AnnotationKeyExternalName)
			},
			want: "shop-checkout",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &v1beta1.Function{}
			f.Name, f.UID = "checkout", "u1"
			tc.edit(f)
			if got := FunctionName(f); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
