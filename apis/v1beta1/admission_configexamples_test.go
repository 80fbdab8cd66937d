package v1beta1

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The examples of configs show every field and every source, besides being applied with
// all others.
func TestConfigExamplesAreComplete(t *testing.T) {
	files, err := filepath.Glob("../../examples/providerconfig/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	shown, sources := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for _, o := range example(t, file) {
			if !strings.HasSuffix(o.GetKind(), "ProviderConfig") {
				continue
			}
			markShown("", o.Object["spec"], shown)
			source, _, _ := unstructured.NestedString(o.Object, "spec", "credentials", "source")
			sources[source] = true
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s must begin by saying what it is for: %v", file, err)
		}
	}
	for _, kind := range []string{"providerconfigs", "clusterproviderconfigs"} {
		spec := specSchema(t, kind)
		all := map[string]bool{}
		markLeaves("", spec, all)
		for _, path := range slices.Sorted(maps.Keys(all)) {
			// Accepted without effect.
			if path != ".endpoint.source" && !shown[path] {
				t.Errorf("%s: spec%s is in no example", kind, path)
			}
		}
		for _, v := range spec.Properties["credentials"].Properties["source"].Enum {
			var source string
			if err := json.Unmarshal(v.Raw, &source); err != nil {
				t.Fatal(err)
			}
			if !sources[source] {
				t.Errorf("%s: no example has the source %s", kind, source)
			}
		}
	}
}

// specSchema of a kind.
func specSchema(t *testing.T, plural string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	b, err := os.ReadFile("../../package/crds/lambda.aws.m.crossplane.io_" + plural + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(b, crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}
