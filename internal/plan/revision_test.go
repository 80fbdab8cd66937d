package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// repositoryAt returns a GitRepository with an artifact.
func repositoryAt(revision, digit string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
		"metadata": map[string]any{"namespace": "shop", "name": "shop", "generation": int64(1)},
		"status": map[string]any{"observedGeneration": int64(1), "artifact": map[string]any{
			"url": "http://source-controller/a.tar.gz", "revision": revision,
			"digest": "sha256:" + strings.Repeat(digit, 64),
		}},
	}}
}

// TestRotatedArtifact checks that a plan shows the old and the new revision of an artifact that was replaced after it
// was deployed.
func TestRotatedArtifact(t *testing.T) {
	name := func(digit string) string { return "GitRepository/shop#sha256:" + strings.Repeat(digit, 64) }
	rotated := diff.Changes{
		{Path: "code.revision", Old: `"main@sha1:1"`, New: `"main@sha1:2"`},
		{Path: "code.source", Old: `"` + name("a") + `"`, New: `"` + name("b") + `"`},
	}
	cases := map[string]struct {
		reason   string
		cluster  []client.Object
		refresh  bool
		want     diff.Changes
		unknowns []string
	}{
		"Rotated": {
			reason:  "The source has another artifact.",
			cluster: []client.Object{repositoryAt("main@sha1:2", "b")},
			want:    rotated,
		},
		"Refreshed": {
			reason:  "AWS is read.",
			cluster: []client.Object{repositoryAt("main@sha1:2", "b")},
			refresh: true,
			want:    rotated,
		},
		"Same": {
			reason:  "The source has the deployed artifact.",
			cluster: []client.Object{repositoryAt("main@sha1:1", "a")},
		},
		"SameRefreshed": {
			reason:  "The source has the deployed artifact.",
			cluster: []client.Object{repositoryAt("main@sha1:1", "a")},
			refresh: true,
		},
		"NoCluster": {
			reason: "Without a cluster, nobody knows which artifact the source has.",
			unknowns: []string{
				"which artifact GitRepository shop/shop has: its revision is known once Flux has fetched it",
			},
		},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			w := testenv.NewAWS(t, awsdouble.Options{})
			w.AddFunction("checkout")
			o := Options{Scheme: scheme(t), ClusterID: "c1", Now: func() time.Time { return start }}
			if tc.cluster != nil {
				o.Cluster = fake.NewClientBuilder().WithScheme(o.Scheme).WithObjects(tc.cluster...).Build()
			}
			f := function(created, func(f *v1beta1.Function) {
				f.Annotations["lambda.aws.m.crossplane.io/adopt"] = "true"
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
					SourceRef: &v1beta1.SourceReference{Kind: "GitRepository", Name: "shop"},
				}
				f.Status.AtProvider.DeployedCode = &v1beta1.DeployedCode{
					Source:     name("a"),
					CodeSHA256: "sum",
					Revision:   "main@sha1:1",
				}
			})
			if tc.refresh {
				o.Now = w.Now
				c, _ := w.Double.Function("checkout")
				f.Status.AtProvider.DeployedCode.CodeSHA256 = c.CodeSha256
				o.Resolver = resolving(w)
			}
			p := New(o).Plan(t.Context(), f, f.DeepCopy())
			changes := slices.DeleteFunc(
				slices.Clone(p.Changes),
				func(c diff.Change) bool { return !strings.HasPrefix(c.Path, "code.") },
			)
			if diff := cmp.Diff(tc.want, changes); diff != "" {
				t.Errorf("%s %s: %s: -want, +got:\n%s", tc.reason, p.Action, p.Message, diff)
			}
			if diff := cmp.Diff(tc.unknowns, p.Unknowns); diff != "" && !tc.refresh {
				t.Errorf("%s unknowns: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRotatedArtifactOfALayer checks that a LayerVersion's plan shows the old and the new revision as well.
func TestRotatedArtifactOfALayer(t *testing.T) {
	l := &v1beta1.LayerVersion{}
	l.Namespace, l.Name, l.UID, l.Generation, l.Status.ReconciledGeneration = "shop", "lib", "u2", 1, 1
	l.Spec.ForProvider = v1beta1.LayerVersionParameters{
		Regional: v1beta1.Regional{Region: "eu-central-1"}, LayerName: ptr.To("lib"),
		Content: &v1beta1.LayerContent{SourceRef: &v1beta1.SourceReference{Kind: "GitRepository", Name: "shop"}},
	}
	l.Status.AtProvider = v1beta1.LayerVersionObservation{
		LayerName: ptr.To(
			"lib",
		),
		Version:         ptr.To[int64](4),
		LayerVersionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:layer:lib:4"),
		PublishedContent: &v1beta1.DeployedCode{
			Source: "GitRepository/shop#sha256:" + strings.Repeat("a", 64), CodeSHA256: "sum", Revision: "main@sha1:1",
		},
	}
	meta.SetExternalName(l, *l.Status.AtProvider.LayerVersionArn)
	SetDefaults(l)
	for digit, want := range map[string]diff.Changes{
		"a": nil, "b": {{Path: "content.revision", Old: `"main@sha1:1"`, New: `"main@sha1:2"`}},
	} {
		o := Options{Scheme: scheme(t), ClusterID: "c1", Now: func() time.Time { return start }}
		o.Cluster = fake.NewClientBuilder().WithScheme(o.Scheme).WithObjects(repositoryAt("main@sha1:2", digit)).Build()
		p := New(o).Plan(t.Context(), l, l.DeepCopy())
		changes := slices.DeleteFunc(
			slices.Clone(p.Changes),
			func(c diff.Change) bool { return c.Path != "content.revision" },
		)
		if diff := cmp.Diff(want, changes); diff != "" {
			t.Errorf("artifact %s: %s: -want, +got:\n%s", digit, p.Summary(), diff)
		}
	}
}
