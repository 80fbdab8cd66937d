package docs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// own are the columns that a kind has beyond those of every kind, in the standard width.
var own = map[string][]string{
	"Alias":                        {"FUNCTION", "VERSION", "WEIGHTS", "ROLLOUT", "STEP"},
	"CapacityProvider":             {},
	"CodeSigningConfig":            {"POLICY"},
	"EventSourceMapping":           {"FUNCTION"},
	"Function":                     {"RUNTIME", "MEMORY", "VERSION"},
	"Permission":                   {"FUNCTION", "PRINCIPAL", "SOURCE"},
	"ProvisionedConcurrencyConfig": {"REQUESTED", "AVAILABLE"},
}

// TestColumns compares the columns of each managed kind: its readiness first, what tells it
// apart next, the message where there is room, and its name in AWS and its age last.
func TestColumns(t *testing.T) {
	for _, crd := range definitions(t) {
		if !slices.Contains(crd.Spec.Names.Categories, "managed") {
			continue
		}
		kind := crd.Spec.Names.Kind
		var standard []string
		message := apiextensionsv1.CustomResourceColumnDefinition{}
		for _, c := range crd.Spec.Versions[0].AdditionalPrinterColumns {
			if c.Priority == 0 {
				standard = append(standard, c.Name)
			}
			if c.Name == "MESSAGE" {
				message = c
			}
		}
		if want := (apiextensionsv1.CustomResourceColumnDefinition{
			Name: "MESSAGE", Type: "string",
			JSONPath: ".status.message", Priority: 1,
		}); message != want {
			t.Errorf("%s: the column MESSAGE is %+v, want %+v", kind, message, want)
		}
		last := []string{"EXTERNAL-NAME", "AGE"}
		if kind == "Invocation" {
			last = []string{"AGE"}
		}
		first := []string{"READY", "SYNCED", "STATE"}
		if n := len(standard); n < len(first)+len(last) || !slices.Equal(standard[:len(first)], first) ||
			!slices.Equal(standard[n-len(last):], last) {
			t.Errorf("%s: the columns are %v, want %v first and %v last", kind, standard, first, last)
			continue
		}
		want, known := own[kind]
		if got := standard[len(first) : len(standard)-len(last)]; known {
			if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Errorf("%s: -want, +got columns:\n%s", kind, diff)
			}
		}
	}
}
