package samples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// TestK9sViews checks that the views are of kinds that this provider has, and that each column is one of the kind's,
// or a path to a field of its schema. k9s itself does not run.
func TestK9sViews(t *testing.T) {
	var config struct {
		Views map[string]struct {
			Columns []string `json:"columns"`
		} `json:"views"`
	}
	b, err := os.ReadFile(filepath.Join(root, "observability", "k9s-views.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(b, &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Views) == 0 {
		t.Fatal("there are no views")
	}
	for resource, view := range config.Views {
		parts := strings.Split(resource, "/") // group, version, resource
		if len(parts) != 3 {
			t.Errorf("%s is not group/version/resource", resource)
			continue
		}
		version := servedVersion(t, parts[0]+"_"+parts[2]+".yaml", parts[1])
		for _, column := range view.Columns {
			if err := columnError(version, column); err != "" {
				t.Errorf("%s: column %s %s", resource, column, err)
			}
		}
	}
}

// servedVersion returns a version of the CustomResourceDefinition in a file of package/crds.
func servedVersion(t *testing.T, file, name string) apiextensionsv1.CustomResourceDefinitionVersion {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "package", "crds", file))
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(b, &crd); err != nil {
		t.Fatal(err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == name && v.Served {
			return v
		}
	}
	t.Fatalf("%s has no version %s", file, name)
	return apiextensionsv1.CustomResourceDefinitionVersion{}
}

// columnError returns why a column, as NAME, NAME:path, or either with |attributes, cannot be shown.
func columnError(version apiextensionsv1.CustomResourceDefinitionVersion, column string) string {
	column, attributes, _ := strings.Cut(column, "|")
	if strings.Trim(attributes, "TNWSHLR") != "" {
		return "has an unknown attribute"
	}
	name, path, hasPath := strings.Cut(column, ":")
	if !hasPath {
		if name == "NAMESPACE" || name == "NAME" {
			return ""
		}
		for _, c := range version.AdditionalPrinterColumns {
			if c.Name == name {
				return ""
			}
		}
		return "is not a column of the kind"
	}
	if err := jsonpath.New(name).Parse("{" + path + "}"); err != nil {
		return err.Error()
	}
	schema := *version.Schema.OpenAPIV3Schema
	for field := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		field, index, isList := strings.Cut(field, "[")
		property, ok := schema.Properties[field]
		if !ok || isList != (property.Items != nil) {
			return "has no field " + field + index
		}
		schema = property
		if isList {
			schema = *property.Items.Schema
		}
	}
	return ""
}
