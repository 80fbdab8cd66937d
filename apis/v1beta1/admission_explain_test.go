package v1beta1

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
)

// explanation is the part of an OpenAPI schema that kubectl explain shows, with what it should mention.
type explanation struct {
	Description string                 `json:"description"`
	Properties  map[string]explanation `json:"properties"`
	Items       *explanation           `json:"items"`
	Minimum     *int64                 `json:"minimum"`
	Maximum     *int64                 `json:"maximum"`
	Enum        []string               `json:"enum"`
}

// crossplanes are the fields that Crossplane documents.
var crossplanes = []string{
	".apiVersion",
	".kind",
	".metadata",
	".spec.managementPolicies",
	".spec.providerConfigRef",
	".spec.writeConnectionSecretToRef",
	".status.conditions",
	".status.lastHandledReconcileAt",
	".status.observedGeneration",
}

// TestExplain checks that kubectl explain shows each field's meaning, its range and its values, since it is the
// reference that every user has at hand.
func TestExplain(t *testing.T) {
	function := explained(t, FunctionKind)
	fields := 0
	walk(function, "", func(path string, e explanation) {
		fields++
		if !strings.HasSuffix(e.Description, ".") {
			t.Errorf("%s: %q is no sentence", path, e.Description)
		}
		for _, bound := range []*int64{e.Minimum, e.Maximum} {
			if bound != nil && *bound != math.MinInt32 && *bound != math.MaxInt32 &&
				!strings.Contains(e.Description, fmt.Sprint(*bound)) {
				t.Errorf("%s: %q does not speak of its bound %d", path, e.Description, *bound)
			}
		}
		for _, value := range e.values() {
			if !strings.Contains(e.Description, value) {
				t.Errorf("%s: %q does not speak of its value %s", path, e.Description, value)
			}
		}
	})
	if fields < 250 {
		t.Errorf("only %d fields were looked at", fields)
	}

	want := `MemorySize is the memory that the function may use, in MB: 128 to 10240 (32768 on Lambda Managed Instances).
AWS's default is 128. CPU grows with it.`
	got := function.Properties["spec"].Properties["forProvider"].Properties["memorySize"].Description
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kubectl explain function.spec.forProvider.memorySize: -want, +got:\n%s", diff)
	}
}

// values returns the values of an enum field, or of its items.
func (e explanation) values() []string {
	if e.Items != nil {
		return e.Items.Enum
	}
	return e.Enum
}

// refers reports whether a field is a reference to another resource, or a selector of one: Crossplane documents the
// fields within it.
func (e explanation) refers() bool {
	_, policy := e.Properties["policy"]
	_, namespace := e.Properties["namespace"]
	return policy && namespace
}

// walk visits every field below e that is not Crossplane's.
func walk(e explanation, path string, visit func(string, explanation)) {
	if e.refers() {
		return
	}
	for name, p := range e.Properties {
		at := path + "." + name
		if slices.Contains(crossplanes, at) {
			continue
		}
		visit(at, p)
		walk(p, at, visit)
		if p.Items != nil {
			walk(*p.Items, at+"[]", visit)
		}
	}
}

// explained returns the API server's explanation of a kind. The API server publishes it shortly after a kind is
// created.
func explained(t *testing.T, kind string) explanation {
	t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(suite.Cluster(t).Config)
	if err != nil {
		t.Fatal(err)
	}
	found := explanation{}
	published := func(context.Context) (bool, error) {
		kinds, err := published(d)
		if err != nil {
			return false, err
		}
		for name, e := range kinds {
			if strings.HasSuffix(name, "."+APIVersion+"."+kind) {
				found = e
				return true, nil
			}
		}
		return false, nil
	}
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, published); err != nil {
		t.Fatalf("the API server does not explain %s: %v", kind, err)
	}
	return found
}

// published returns the explanations of this group's version, or none if they are not published yet.
func published(d discovery.DiscoveryInterface) (map[string]explanation, error) {
	paths, err := d.OpenAPIV3().Paths()
	if err != nil {
		return nil, err
	}
	group, found := paths["apis/"+SchemeGroupVersion.String()]
	if !found {
		return nil, nil
	}
	document, err := group.Schema("application/json")
	if err != nil {
		return nil, err
	}
	parsed := struct {
		Components struct {
			Schemas map[string]explanation `json:"schemas"`
		} `json:"components"`
	}{}
	err = json.Unmarshal(document, &parsed)
	return parsed.Components.Schemas, err
}
