package diff

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

const repository = `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: shop}
spec: {url: "https://example.org/shop", ref: {branch: main}}
`

const ofRepository = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: sourced, annotations: {crossplane.io/external-name: sourced}}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::123456789012:role/r
    code: {sourceRef: {kind: GitRepository, name: shop}}
`

// TestFluxSource plans files with a Function and its Flux source, which has an artifact in the cluster that was not
// deployed yet.
func TestFluxSource(t *testing.T) {
	const (
		fetched = "~ code.revision: \"main@sha1:1\" -> \"main@sha1:2\""
		unknown = "its revision is known once Flux has fetched it"
	)
	cases := map[string]struct {
		reason    string
		absent    bool
		forbidden bool
		manifests string
		want      string
	}{
		"Same": {
			reason:    "An unchanged source keeps its artifact, and its defaults are no change.",
			manifests: repository + "---" + ofRepository, want: fetched,
		},
		"NotAmongTheFiles": {reason: "The source of the cluster is read.", manifests: ofRepository, want: fetched},
		"StatusInTheManifest": {
			reason:    "What a manifest says about status counts for nothing, since applying it does not write it.",
			manifests: repository + `status: {artifact: {revision: "main@sha1:3"}}` + "\n---" + ofRepository,
			want:      fetched,
		},
		"Changed": {
			reason:    "A source with another branch will have another artifact.",
			manifests: strings.Replace(repository, "main", "next", 1) + "---" + ofRepository, want: unknown,
		},
		"FieldRemoved": {
			reason: "A field that the manifest no longer has is a change.",
			manifests: strings.Replace(
				repository,
				", ref: {branch: main}",
				"",
				1,
			) + "---" + ofRepository,
			want: unknown,
		},
		"Forbidden": {
			reason:    "Only the API server can tell whether the spec changes, and the user may not ask it.",
			forbidden: true, manifests: repository + "---" + ofRepository, want: unknown,
		},
		"New": {
			reason: "A source that the cluster does not have yet has no artifact.", absent: true,
			manifests: repository + "---" + ofRepository, want: unknown,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := suite.Cluster(t)
			namespace := cluster.Namespace(t)
			apply(
				t,
				cluster,
				namespace,
				ofRepository,
				`{atProvider: {functionName: sourced, deployedCode: {codeSha256: sum,
				revision: "main@sha1:1", source: "GitRepository/shop#sha256:`+strings.Repeat("a", 64)+`"}}}`,
			)
			if !tc.absent {
				apply(t, cluster, namespace, repository, `{artifact: {url: "http://source-controller/a.tar.gz",
					revision: "main@sha1:2", digest: "sha256:`+strings.Repeat("b", 64)+`"}}`)
			}
			config := rest.CopyConfig(cluster.Config)
			if tc.forbidden {
				config.Wrap(func(next http.RoundTripper) http.RoundTripper {
					return &plugintest.Network{To: next, Forbidden: []string{"gitrepositories/shop"}}
				})
			}
			code, out, errOut := run(t, config, tc.manifests, "-f", "-", "-n", namespace)
			if code != 1 || !strings.Contains(out, tc.want) || !strings.Contains(out, "1 to update") ||
				strings.Contains(out, "Skipped") ||
				strings.Contains(out, unknown) != (tc.want == unknown) {
				t.Errorf("%s\nexit code %d, want 1, and %q in:\n%s%s", tc.reason, code, tc.want, out, errOut)
			}
		})
	}
}

// apply applies an object as Argo CD does, and sets its status.
func apply(t *testing.T, cluster *devcluster.Cluster, namespace, text, status string) {
	t.Helper()
	c, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), u); err != nil {
		t.Fatal(err)
	}
	u.SetNamespace(namespace)
	//nolint:staticcheck // An unstructured object has no apply configuration.
	if err := c.Patch(t.Context(), u, client.Apply, client.FieldOwner("argocd-controller")); err != nil {
		t.Fatal(err)
	}
	var value map[string]any
	if err := yaml.Unmarshal([]byte(status), &value); err != nil {
		t.Fatal(err)
	}
	u.Object["status"] = value
	if err := c.Status().Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}
