package plan

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// identifying are fields that say what a resource manages. Another value is another external resource.
var identifying = []string{
	"region", "functionName", "layerName", "layerVersionArn", "resourceArn",
	"capacityProviderName", "qualifier", "name",
}

// identifies reports whether a field says what a resource manages, or refers to it.
func identifies(field string) bool {
	return slices.Contains(identifying, field) || strings.HasSuffix(field, "Ref") ||
		strings.HasSuffix(field, "Selector") || strings.HasSuffix(field, "From")
}

// variants returns copies of a resource, each with another value of one field that its spec.forProvider has.
func variants(mg reconcile.Managed) []reconcile.Managed {
	original := contentOf(mg)
	var out []reconcile.Managed
	spec, _, _ := unstructured.NestedMap(original, "spec", "forProvider")
	for _, fields := range altered(spec) {
		m := runtime.DeepCopyJSON(original)
		if unstructured.SetNestedMap(m, fields, "spec", "forProvider") != nil {
			continue
		}
		c := copyOf(mg)
		clearField(c, "Spec")
		if runtime.DefaultUnstructuredConverter.FromUnstructured(m, c) == nil {
			out = append(out, c)
		}
	}
	return out
}

// altered returns copies of an object, each with one of its values changed, removed or, if it is a list or an object,
// changed in one place.
func altered(fields map[string]any) []map[string]any {
	var out []map[string]any
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if identifies(key) {
			continue
		}
		with := func(v any) {
			c := runtime.DeepCopyJSON(fields)
			c[key] = v
			if v == nil {
				delete(c, key)
			}
			out = append(out, c)
		}
		with(nil)
		switch v := fields[key].(type) {
		case string:
			with(v + "x")
		case bool:
			with(!v)
		case int64:
			with(v + 1)
		case map[string]any:
			with(extended(v))
			for _, inner := range altered(v) {
				with(inner)
			}
		}
	}
	return out
}

// extended returns an object with a further key. It has an effect if the object is a map, such as tags.
func extended(v map[string]any) map[string]any {
	if v["inline"] == nil && v["imageUri"] == nil && isCode(v) {
		return map[string]any{"inline": map[string]any{"another": "value"}}
	}
	c := runtime.DeepCopyJSON(v)
	c["another"] = "value"
	return c
}

// isCode reports whether an object is the code of a function or the content of a layer.
func isCode(v map[string]any) bool {
	for key := range v {
		if strings.HasPrefix(key, "zip") || strings.HasPrefix(key, "s3") || strings.HasPrefix(key, "configMap") ||
			key == "sourceRef" || key == "oci" {
			return true
		}
	}
	return false
}
