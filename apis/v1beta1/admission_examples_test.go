package v1beta1

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// TestExamples applies every example, alone and together with the others.
func TestExamples(t *testing.T) {
	c := strictClient(t)
	withNamespaces(t, c, "crossplane-system", "argocd")
	names := map[string]string{}
	elsewhere := kindsElsewhere(t)
	for _, file := range exampleFiles(t) {
		t.Run(file, func(t *testing.T) {
			for _, o := range example(t, file) {
				if elsewhere[o.GroupVersionKind().GroupKind()] {
					continue
				}
				id := o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
				if other, taken := names[id]; taken {
					t.Errorf("%s is in %s already", id, other)
				}
				names[id] = file
				if got := complaints(c.Create(t.Context(), o, client.DryRunAll)); got != "" {
					t.Errorf("%s: refused:\n%s", id, got)
				}
			}
		})
	}
}

// kindsElsewhere returns the kinds of examples that this API server does not serve. The tests of cluster/e2e are of
// them: those that the examples define for Crossplane and kro to serve, those of kro, Kyverno and Flux, and the one of
// a package's metadata.
func kindsElsewhere(t *testing.T) map[schema.GroupKind]bool {
	t.Helper()
	kinds := map[schema.GroupKind]bool{
		{Group: "kro.run", Kind: "ResourceGraphDefinition"}:        true,
		{Group: "policies.kyverno.io", Kind: "ValidatingPolicy"}:   true,
		{Group: "source.toolkit.fluxcd.io", Kind: "GitRepository"}: true,
		{Group: "meta.pkg.crossplane.io", Kind: "Configuration"}:   true,
	}
	defined := 0
	for _, file := range exampleFiles(t) {
		for _, o := range example(t, file) {
			var group, kind string
			switch o.GetKind() {
			case "CompositeResourceDefinition":
				group, _, _ = unstructured.NestedString(o.Object, "spec", "group")
				kind, _, _ = unstructured.NestedString(o.Object, "spec", "names", "kind")
			case "ResourceGraphDefinition":
				group, _, _ = unstructured.NestedString(o.Object, "spec", "schema", "group")
				kind, _, _ = unstructured.NestedString(o.Object, "spec", "schema", "kind")
			default:
				continue
			}
			kinds[schema.GroupKind{Group: group, Kind: kind}] = true
			defined++
		}
	}
	if defined == 0 {
		t.Error("no example defines a kind")
	}
	return kinds
}

// withNamespaces creates the namespaces of other products that examples are for.
func withNamespaces(t *testing.T, c client.Client, names ...string) {
	t.Helper()
	for _, name := range names {
		ns := &unstructured.Unstructured{}
		ns.SetAPIVersion("v1")
		ns.SetKind("Namespace")
		ns.SetName(name)
		if err := client.IgnoreAlreadyExists(c.Create(t.Context(), ns)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExamplesAreWhole checks that the objects which a function of an example references are in the same file, unless
// they are optional or of another provider.
func TestExamplesAreWhole(t *testing.T) {
	for _, file := range exampleFiles(t) {
		objects := example(t, file)
		for _, o := range objects {
			visitReferences(o.Object["spec"], "spec", func(path, kind, name, key string) {
				if !holds(objects, kind, name, key) {
					t.Errorf("%s: %s of %s: there is no %s %s with %q", file, path, o.GetName(), kind, name, key)
				}
			})
		}
	}
}

// namesAnother reports whether a function names another resource of this group by a field. The examples of that kind
// show it.
func namesAnother(path string) bool {
	return strings.HasSuffix(path, "ArnRef") || strings.HasSuffix(path, ".layerRefs") ||
		strings.Contains(path, "Selector.")
}

// TestFullExample checks that full.yaml shows every setting.
func TestFullExample(t *testing.T) {
	shown := map[string]bool{}
	for _, o := range example(t, "../../examples/function/full.yaml") {
		if settings, found, _ := unstructured.NestedMap(o.Object, "spec", "forProvider"); found {
			markShown("", settings, shown)
		}
	}
	all := map[string]bool{}
	markLeaves("", forProviderSchema(t, FunctionKind), all)

	for _, path := range slices.Sorted(maps.Keys(all)) {
		either := path == ".code.zipFileFrom.configMapKeyRef" ||
			path == ".code.oci.verify.cosign.keyless.subjectRegExp" ||
			strings.HasPrefix(path, ".code.oci.verify.") && strings.HasSuffix(path, ".secretKeyRef")
		if !shown[path] && !either && !namesAnother(path) {
			t.Errorf("forProvider%s is not shown", path)
		}
	}
}

// exampleFiles returns all example files, in all folders.
func exampleFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir("../../examples", func(path string, d fs.DirEntry, err error) error {
		switch ext := filepath.Ext(path); {
		case err != nil || d.IsDir():
			return err
		case ext == ".yaml":
			files = append(files, path)
		case ext == ".yml" || ext == ".json":
			t.Errorf("%s: manifests end in .yaml", path)
		}
		return nil
	})
	if err != nil || len(files) < 10 {
		t.Fatalf("found only %v: %v", files, err)
	}
	return files
}

// example returns all objects of a file.
func example(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := manifests.Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// visitReferences visits all references to a Secret or ConfigMap, with the required key.
func visitReferences(v any, path string, visit func(path, kind, name, key string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			visitReferences(item, path, visit)
		}
	case map[string]any:
		for field, value := range v {
			at := path + "." + field
			ref, isMap := value.(map[string]any)
			kind := referredKind(field)
			if !isMap || ref["optional"] == true || kind == "" {
				visitReferences(value, at, visit)
				continue
			}
			name, _ := ref["name"].(string)
			key, _ := ref["key"].(string)
			visit(at, kind, name, key)
		}
		if path, ok := v["fieldPath"].(string); ok && v["kind"] == "ConfigMap" {
			visit(path, "ConfigMap", v["name"].(string), strings.TrimPrefix(path, "data."))
		}
	}
}

// referredKind returns the kind that a field of this name references.
func referredKind(field string) string {
	switch field {
	case "secretRef", "secretKeyRef":
		return "Secret"
	case "configMapRef", "configMapKeyRef":
		return "ConfigMap"
	}
	return ""
}

// holds reports whether an object exists and has the key, if the key is not empty.
func holds(objects []*unstructured.Unstructured, kind, name, key string) bool {
	for _, o := range objects {
		if o.GetKind() != kind || o.GetName() != name {
			continue
		}
		for _, field := range []string{"data", "stringData", "binaryData"} {
			data, _, _ := unstructured.NestedMap(o.Object, field)
			if _, found := data[key]; found || (key == "" && len(data) > 0) {
				return true
			}
		}
	}
	return false
}

// markShown marks each path that a manifest has, through lists.
func markShown(path string, v any, shown map[string]bool) {
	shown[path] = true
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			markShown(path, item, shown)
		}
	case map[string]any:
		for field, value := range v {
			markShown(path+"."+field, value, shown)
		}
	}
}

// markLeaves marks each leaf of a schema. References are leaves.
func markLeaves(path string, s apiextensionsv1.JSONSchemaProps, leaves map[string]bool) {
	if s.Items != nil {
		s = *s.Items.Schema
	}
	_, named := s.Properties["name"]
	if _, valued := s.Properties["valueFrom"]; len(s.Properties) == 0 || (named && !valued) {
		leaves[path] = true
		return
	}
	for field, p := range s.Properties {
		markLeaves(path+"."+field, p, leaves)
	}
}
