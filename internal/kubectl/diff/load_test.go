package diff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestKubectlApply plans what an apply by kubectl would leave of the annotations of an object that kubectl has applied.
func TestKubectlApply(t *testing.T) {
	cluster := suite.Cluster(t)
	kube, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	object := func(annotations string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{` + annotations + `"name":"a"}}`
	}
	cases := map[string]struct {
		reason         string
		last, manifest string
		want           map[string]string
	}{
		"None": {
			reason: "A manifest without annotations leaves those of others.",
			last:   object(`"annotations":{},`), manifest: object(""), want: map[string]string{"others": "1"},
		},
		"Removed": {
			reason: "Those that the manifest no longer has are removed, the last one too.",
			last:   object(`"annotations":{"own":"1"},`), manifest: object(""), want: map[string]string{"others": "1"},
		},
		"Set": {
			reason: "Those of the manifest are set.",
			last:   object(`"annotations":{},`), manifest: object(`"annotations":{"own":"2"},`),
			want: map[string]string{"others": "1", "own": "2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live, manifest := &unstructured.Unstructured{}, &unstructured.Unstructured{}
			namespace := cluster.Namespace(t)
			for u, text := range map[*unstructured.Unstructured]string{live: tc.last, manifest: tc.manifest} {
				if err := u.UnmarshalJSON([]byte(text)); err != nil {
					t.Fatal(err)
				}
				u.SetNamespace(namespace)
			}
			annotations := live.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations["others"], annotations[corev1.LastAppliedConfigAnnotation] = "1", tc.last
			live.SetAnnotations(annotations)
			if err := kube.Create(t.Context(), live); err != nil {
				t.Fatal(err)
			}
			out, err := (&options{cluster: kube}).patched(t.Context(), manifest, live)
			if err != nil {
				t.Fatal(err)
			}
			got := out.GetAnnotations()
			delete(got, corev1.LastAppliedConfigAnnotation)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
