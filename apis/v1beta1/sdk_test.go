package v1beta1

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// An sdkKind describes how a kind's API contains the fields of the SDK's inputs. A field is named by its path in the
// input, such as VpcConfig.SubnetIds; if two inputs have the same field but it is not treated alike, the path starts
// with the operation's name, such as UpdateAlias/Name.
type sdkKind struct {
	// kind as in manifests.
	kind string

	// inputs of the operations that set what spec contains: those that create, update, put, publish, add or invoke.
	inputs []any

	// elsewhere are the fields that are not at their own path below spec.forProvider, with their path.
	elsewhere map[string]string

	// lacking fields are not in the API. Each has its reason.
	lacking map[string]string

	// open fields accept more values than the SDK knows. Each has its reason.
	open map[string]string
}

// sdkKinds are the kinds that sdkCoverage has registered.
var sdkKinds []sdkKind

// sdkCoverage registers a kind to be compared with the SDK by TestEveryFieldOfTheSDK. A kind's <kind>_sdk_test.go
// calls it:
//
//	var _ = sdkCoverage(sdkKind{kind: AliasKind, inputs: []any{lambda.CreateAliasInput{}, ...}})
func sdkCoverage(k sdkKind) sdkKind {
	sdkKinds = append(sdkKinds, k)
	return k
}

// TestEveryFieldOfTheSDK checks that every input field of a resource is in the API, under AWS's name and with AWS's
// values, unless there is a reason why not.
func TestEveryFieldOfTheSDK(t *testing.T) {
	for _, k := range sdkKinds {
		t.Run(k.kind, func(t *testing.T) { compareWithSDK(t, k) })
	}
}

// An sdkField is the location of a field of an SDK's input in a kind's API.
type sdkField struct {
	// operation that has the field, such as CreateAlias.
	operation string

	// path of the field in the input.
	path string

	// at is its path below spec.forProvider, empty if the API lacks it.
	at string

	// reason why the API lacks it.
	reason string
}

// compareWithSDK fails the test for each field that differs without a reason, and returns all fields in the SDK's
// order.
func compareWithSDK(t *testing.T, k sdkKind) []sdkField {
	t.Helper()
	c := &sdkComparison{t: t, kind: k, schema: forProviderSchema(t, k.kind), used: map[string]bool{}}
	for _, input := range k.inputs {
		of := reflect.TypeOf(input)
		c.operation = strings.TrimSuffix(of.Name(), "Input")
		c.compare("", "", of, c.schema)
	}
	for _, exceptions := range []map[string]string{k.lacking, k.elsewhere, k.open} {
		for key := range exceptions {
			if !c.used[key] {
				t.Errorf("the SDK has no %s any more: no exception is needed", key)
			}
		}
	}
	return c.fields
}

type sdkComparison struct {
	t         *testing.T
	kind      sdkKind
	schema    apiextensionsv1.JSONSchemaProps
	operation string
	used      map[string]bool
	fields    []sdkField
}

// exception returns the exception of a field, for this operation or for all of them.
func (c *sdkComparison) exception(in map[string]string, path string) (string, bool) {
	for _, key := range []string{c.operation + "/" + path, path} {
		if v, ok := in[key]; ok {
			c.used[key] = true
			return v, true
		}
	}
	return "", false
}

// compare looks for each of the SDK's fields in the schema at a path of spec.
func (c *sdkComparison) compare(path, at string, of reflect.Type, s apiextensionsv1.JSONSchemaProps) {
	for f := range of.Fields() {
		if f.IsExported() && f.Name != "ResultMetadata" {
			c.compareField(join(path, f.Name), at, f, s)
		}
	}
}

func (c *sdkComparison) compareField(path, at string, f reflect.StructField, s apiextensionsv1.JSONSchemaProps) {
	reason, lacks := c.exception(c.kind.lacking, path)
	place, moved := c.exception(c.kind.elsewhere, path)
	name, p, ok := property(s, f.Name)
	if _, otherwise := c.kind.lacking[c.operation+"/"+path]; otherwise {
		// The field of the same name has another meaning.
		ok = false
	}
	at = join(at, name)
	if moved {
		at = place
		p, ok = c.lookup(place)
	}
	if ok == lacks {
		c.t.Errorf("%s.%s: in the API: %t, an exception: %t", c.operation, path, ok, lacks)
	}
	if !ok {
		c.fields = append(c.fields, sdkField{operation: c.operation, path: path, reason: reason})
		return
	}
	if !moved && strings.ToUpper(name[:1])+name[1:] != f.Name && !strings.Contains(f.Name, "KMS") && f.Name != "UUID" &&
		f.Name != "URI" {
		c.t.Errorf("%s.%s is spelled %s in the API", c.operation, path, name)
	}
	c.fields = append(c.fields, sdkField{operation: c.operation, path: path, at: at})
	c.compareType(path, at, f.Type, p)
}

// compareType compares blocks, lists and maps, and the values of enums.
func (c *sdkComparison) compareType(path, at string, of reflect.Type, p apiextensionsv1.JSONSchemaProps) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		if of.Kind() != reflect.Pointer {
			p = items(p)
		}
		of = of.Elem()
	}
	if of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]() {
		c.compare(path, at, of, p)
		return
	}
	values := reflect.New(of).Elem().MethodByName("Values")
	if !values.IsValid() {
		return
	}
	if _, open := c.exception(c.kind.open, path); open {
		return
	}
	var want, got []string
	for _, v := range values.Call(nil)[0].Seq2() {
		want = append(want, v.String())
	}
	for _, v := range p.Enum {
		got = append(got, strings.Trim(string(v.Raw), `"`))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("%s.%s: -values of the SDK, +values of the API:\n%s", c.operation, path, diff)
	}
}

// lookup returns the schema at a path below spec.forProvider.
func (c *sdkComparison) lookup(at string) (apiextensionsv1.JSONSchemaProps, bool) {
	s := c.schema
	for name := range strings.SplitSeq(at, ".") {
		p, ok := s.Properties[name]
		if !ok {
			return s, false
		}
		s = p
	}
	return s, true
}

// items returns the schema of a list's or map's elements.
func items(p apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	switch {
	case p.Items != nil && p.Items.Schema != nil:
		return *p.Items.Schema
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		return *p.AdditionalProperties.Schema
	}
	return p
}

// property returns a field by its name, ignoring case.
func property(s apiextensionsv1.JSONSchemaProps, name string) (string, apiextensionsv1.JSONSchemaProps, bool) {
	for n, p := range s.Properties {
		if strings.EqualFold(n, name) {
			return n, p, true
		}
	}
	return "", apiextensionsv1.JSONSchemaProps{}, false
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// forProviderSchema returns the schema of a kind's spec.forProvider.
func forProviderSchema(t *testing.T, kind string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	for _, crd := range definitions(t) {
		if crd.Spec.Names.Kind == kind {
			return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["forProvider"]
		}
	}
	t.Fatalf("there is no CustomResourceDefinition of %s", kind)
	return apiextensionsv1.JSONSchemaProps{}
}

// definitions returns the package's CustomResourceDefinitions.
func definitions(t *testing.T) []apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := filepath.Glob("../../package/crds/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crds := make([]apiextensionsv1.CustomResourceDefinition, len(files))
	for i, file := range files {
		b, err := os.ReadFile(file) //nolint:gosec // A file of this repository.
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(b, &crds[i]); err != nil {
			t.Fatal(err)
		}
	}
	return crds
}
