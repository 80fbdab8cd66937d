package plan

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestSources plans Functions of Flux sources and registries, without downloading anything.
func TestSources(t *testing.T) {
	repository := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
		"metadata": map[string]any{"namespace": "shop", "name": "shop"},
	}}
	source := v1beta1.FunctionCode{SourceRef: &v1beta1.SourceReference{Kind: "GitRepository", Name: "shop"}}
	staged := source
	staged.Staging = &v1beta1.Staging{S3Bucket: "staging"}
	cases := map[string]struct {
		reason string
		code   v1beta1.FunctionCode
		with   []client.Object
		want   []string
	}{
		"Applied": {
			reason: "A source that is applied with the function has an artifact later.", code: source,
			with: []client.Object{repository}, want: []string{"CreateFunction"},
		},
		"Elsewhere": {
			reason: "Without a cluster, a source is assumed to exist.",
			code:   source,
			want:   []string{"CreateFunction"},
		},
		"Staged": {
			reason: "Only an archive that is too large for a call is staged.", code: staged,
			want: []string{"CreateFunction"},
		},
		"Registry": {
			reason: "A registry is not called.", want: []string{"CreateFunction"},
			code: v1beta1.FunctionCode{OCI: &v1beta1.OCISource{Reference: "registry.invalid/shop:v1"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := function(func(f *v1beta1.Function) { f.Spec.ForProvider.Code = &tc.code })
			p := planner(t, tc.with...).Plan(t.Context(), f, nil)
			var got []string
			for _, c := range p.Calls {
				got = append(got, c.Operation)
			}
			if p.Action != Create || !slices.Equal(got, tc.want) {
				t.Errorf("%s\n%s, calls %v, want %v: %s", tc.reason, p.Action, got, tc.want, p.Message)
			}
		})
	}
}
