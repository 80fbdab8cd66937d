package v1beta1

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An acceptance is a change that keeps a valid manifest valid.
type acceptance struct {
	reason string

	// change is a merge patch in YAML.
	change string
}

// testAcceptances creates each changed manifest in a dry run.
func testAcceptances(t *testing.T, base string, cases map[string]acceptance) {
	t.Helper()
	c := strictClient(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := complaints(c.Create(t.Context(), manifest(t, base, tc.change), client.DryRunAll)); got != "" {
				t.Errorf("\n%s\nCreate(): %s", tc.reason, got)
			}
		})
	}
}

// An update is a change of a created manifest.
type update struct {
	reason string

	// first changes the manifest before it is created, then the created one. They are merge patches in YAML. The status
	// that first sets is written after the creation.
	first, then string

	// want is the complete message to the user, a line each.
	want string
}

// testUpdates creates each manifest and changes it in a dry run.
func testUpdates(t *testing.T, base string, cases map[string]update) {
	t.Helper()
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := manifest(t, base, tc.first)
			status := o.Object["status"]
			create(t, c, ns, o)
			writeStatus(t, o, status)
			if diff := cmp.Diff(tc.want, complaintsOfUpdate(t, c, o, tc.then)); diff != "" {
				t.Errorf("\n%s\nPatch(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// create creates a manifest in a namespace, under a name that is generated from its own.
func create(t *testing.T, c client.Client, namespace string, o *unstructured.Unstructured) {
	t.Helper()
	o.SetNamespace(namespace)
	o.SetGenerateName(o.GetName() + "-")
	o.SetName("")
	if err := c.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// complaintsOfUpdate changes a created manifest by a merge patch in YAML, in a dry run. It returns the complete message
// to the user, a line each, empty if the change is accepted.
func complaintsOfUpdate(t *testing.T, c client.Client, o *unstructured.Unstructured, then string) string {
	t.Helper()
	patch := client.RawPatch("application/merge-patch+json", toJSON(t, then))
	return complaints(c.Patch(t.Context(), o, patch, client.DryRunAll))
}

// writeStatus writes the status of a created manifest, unless it is nil.
func writeStatus(t *testing.T, o *unstructured.Unstructured, status any) {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		t.Fatal(err)
	}
	if status == nil {
		return
	}
	raw := client.RawPatch("application/merge-patch+json", patch)
	if err := strictClient(t).Status().Patch(t.Context(), o, raw); err != nil {
		t.Fatal(err)
	}
}

// numberedName returns a name of n characters.
func numberedName(n int) string { return strings.Repeat("n", n) }
