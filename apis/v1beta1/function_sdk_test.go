package v1beta1

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Every field of the inputs that a function is made of has to be in the API, under
// AWS's name and with AWS's values, but for these.
func TestEveryFieldOfTheSDK(t *testing.T) {
	lacking := map[string]string{
		"FunctionName": "The external name, or else metadata.name.",
		"RevisionId":   "The provider's own guard against a change that it has not seen.",
		"Qualifier":    "Scaling is that of $LATEST.PUBLISHED; other versions are other resources.",
		"DryRun":       "The provider means what it sends.",
		"ZipFile":      "The bytes come from inline, configMapRef or zipFileFrom.",
		"Code.ZipFile": "The bytes come from inline, configMapRef or zipFileFrom.",
	}
	open := map[string]string{
		"Runtime": "AWS adds runtimes faster than providers are released, so the API knows families.",
	}
	s := settingsSchema(t)
	c := &sdkComparison{t: t, seen: map[string]bool{}, lacking: lacking, open: open}
	for _, input := range []any{
		lambda.CreateFunctionInput{},
		lambda.UpdateFunctionConfigurationInput{},
		lambda.PutFunctionConcurrencyInput{},
		lambda.PutFunctionCodeSigningConfigInput{},
		lambda.PutFunctionRecursionConfigInput{},
		lambda.PutFunctionScalingConfigInput{},
	} {
		c.compare("", reflect.TypeOf(input), s)
	}

	// UpdateFunctionCode takes the code's fields beside others.
	flat := apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for _, of := range []apiextensionsv1.JSONSchemaProps{s, s.Properties["code"]} {
		maps.Copy(flat.Properties, of.Properties)
	}
	c.compare("", reflect.TypeFor[lambda.UpdateFunctionCodeInput](), flat)

	for path := range lacking {
		if !c.seen[path] {
			t.Errorf("the SDK has no %s any more: no exception is needed", path)
		}
	}
}

type sdkComparison struct {
	t *testing.T

	// lacking fields are not in the API, open ones have more values than the SDK
	// knows. Each has its reason.
	lacking, open map[string]string

	seen map[string]bool
}

// compare looks for each of the SDK's fields in the schema.
func (c *sdkComparison) compare(path string, of reflect.Type, s apiextensionsv1.JSONSchemaProps) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	for f := range of.Fields() {
		if !f.IsExported() || f.Name == "ResultMetadata" {
			continue
		}
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		_, lacks := c.lacking[at]
		c.seen[at] = true
		name, p, ok := property(s, f.Name)
		if ok == lacks {
			c.t.Errorf("%s.%s: in the API: %t, an exception: %t", of, f.Name, ok, lacks)
		}
		if !ok {
			continue
		}
		if strings.ToUpper(name[:1])+name[1:] != f.Name && !strings.HasPrefix(name, "kms") && !strings.HasPrefix(name, "sourceKms") {
			c.t.Errorf("%s.%s is spelled %s in the API", of, f.Name, name)
		}
		c.compareField(at, f.Type, p)
	}
}

func (c *sdkComparison) compareField(at string, of reflect.Type, p apiextensionsv1.JSONSchemaProps) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
		if p.Items != nil {
			p = *p.Items.Schema
		}
	}
	if of.Kind() == reflect.Struct {
		c.compare(at, of, p)
		return
	}
	if c.open[at] != "" {
		return
	}
	values := reflect.New(of).Elem().MethodByName("Values")
	if !values.IsValid() {
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
		c.t.Errorf("%s: -values of the SDK, +values of the API:\n%s", at, diff)
	}
}

// property finds a field by its name, whatever the case.
func property(s apiextensionsv1.JSONSchemaProps, name string) (string, apiextensionsv1.JSONSchemaProps, bool) {
	for n, p := range s.Properties {
		if strings.EqualFold(n, name) {
			return n, p, true
		}
	}
	return "", apiextensionsv1.JSONSchemaProps{}, false
}

// settingsSchema is the schema of spec.forProvider.
func settingsSchema(t *testing.T) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	b, err := os.ReadFile("../../package/crds/lambda.aws.m.crossplane.io_functions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(b, crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["forProvider"]
}
