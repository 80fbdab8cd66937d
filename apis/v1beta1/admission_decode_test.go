package v1beta1

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRefusesWhatCannotBeDecoded creates objects and writes status that Go cannot decode. The API server has to refuse
// them: with one such object, nobody can list or watch its kind any more, in any namespace.
func TestRefusesWhatCannotBeDecoded(t *testing.T) {
	testRefusals(t, zipFunction, map[string]refusal{
		"NumberBeyondInt32": {
			reason: "The API server accepts any number for the format int32.",
			change: "spec: {forProvider: {reservedConcurrentExecutions: 3000000000}}",
			want:   "spec.forProvider.reservedConcurrentExecutions: Invalid value: 3000000000: spec.forProvider.reservedConcurrentExecutions in body should be less than or equal to 2147483647",
		},
	})
	times := map[string]string{
		"LowerCase":   "2026-01-02t03:04:05z",
		"LargeOffset": "2026-01-02T03:04:05+99:99",
		"OddFraction": "2026-01-02T03:04:05x5Z",
	}
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	mapping := manifest(t, queueMapping, "metadata: {name: times}")
	create(t, c, ns, mapping)
	for name, value := range times {
		t.Run(name, func(t *testing.T) {
			if err := json.Unmarshal([]byte(`"`+value+`"`), &metav1.Time{}); err == nil {
				t.Fatalf("Go decodes %s: nothing is tested", value)
			}
			created := manifest(
				t,
				kinesisMapping,
				"spec: {forProvider: {startingPosition: AT_TIMESTAMP, startingPositionTimestamp: '"+value+"'}}",
			)
			if got := complaints(
				c.Create(t.Context(), created, client.DryRunAll),
			); !strings.Contains(
				got,
				"startingPositionTimestamp in body should match",
			) {
				t.Errorf("Create(): %s", got)
			}
			patch := `{"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "` + value + `"}]}}`
			got := complaints(
				c.Status().
					Patch(t.Context(), mapping.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(patch))),
			)
			if !strings.Contains(got, "lastTransitionTime in body should match") {
				t.Errorf("Status().Patch(): %s", got)
			}
		})
	}
}

// TestSchemasAdmitOnlyWhatDecodes checks that the schema of each field of a Go type that cannot hold all values of its
// JSON type restricts it to those that it can hold.
func TestSchemasAdmitOnlyWhatDecodes(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, crd := range definitions(t) {
		for _, v := range crd.Spec.Versions {
			o, err := scheme.New(
				schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
			)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"spec", "status"} {
				field, ok := reflect.TypeOf(o).Elem().FieldByName(strings.ToUpper(name[:1]) + name[1:])
				if ok {
					checkDecodes(t, field.Type, v.Schema.OpenAPIV3Schema.Properties[name], crd.Spec.Names.Kind+" "+name)
				}
			}
		}
	}
}

// checkDecodes checks the schema of a Go type, at a path.
func checkDecodes(t *testing.T, of reflect.Type, s apiextensionsv1.JSONSchemaProps, path string) {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	ok := true
	switch of {
	case reflect.TypeFor[metav1.Time]():
		ok = s.Format == "date-time" && s.Pattern != ""
	case reflect.TypeFor[metav1.Duration]():
		ok = len(s.XValidations) > 0 && strings.Contains(s.XValidations[0].Rule, "duration(self)")
	case reflect.TypeFor[apiextensionsv1.JSON](), reflect.TypeFor[runtime.RawExtension]():
	default:
		if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			t.Errorf("%s: no rule is known for %s, which decodes itself", path, of)
		}
		ok = checkKind(t, of, s, path)
	}
	if !ok {
		t.Errorf("%s: the schema admits values that %s cannot hold", path, of)
	}
}

// checkKind reports whether a schema admits only what a type without a decoder of its own can hold, and checks what is
// in it.
func checkKind(t *testing.T, of reflect.Type, s apiextensionsv1.JSONSchemaProps, path string) bool {
	t.Helper()
	switch of.Kind() {
	case reflect.Struct:
		for f := range of.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" && strings.Contains(options, "inline") {
				checkDecodes(t, f.Type, s, path)
			} else if p, ok := s.Properties[name]; ok {
				checkDecodes(t, f.Type, p, path+"."+name)
			} else if name != "-" {
				t.Errorf("%s has no schema of %s", path, f.Name)
			}
		}
	case reflect.Slice:
		checkDecodes(t, of.Elem(), *s.Items.Schema, path+"[]")
	case reflect.Map:
		checkDecodes(t, of.Elem(), *s.AdditionalProperties.Schema, path+"[*]")
	case reflect.Int32:
		return ptr.Deref(s.Minimum, math.Inf(-1)) >= math.MinInt32 && ptr.Deref(s.Maximum, math.Inf(1)) <= math.MaxInt32
	case reflect.Int64: // The API server's own decoder has no others.
		return s.Type == "integer"
	case reflect.String, reflect.Bool:
	default:
		return false
	}
	return true
}
