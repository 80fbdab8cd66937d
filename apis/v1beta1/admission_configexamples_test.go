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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestConfigExamplesAreComplete checks that the examples of configs show every field and every source. TestExamples
// applies them.
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

// TestConfigsOfAnotherProvider checks that a complete config of the AWS provider from which users migrate is accepted
// unchanged.
func TestConfigsOfAnotherProvider(t *testing.T) {
	c := strictClient(t)
	const chain = `
assumeRoleChain:
- roleARN: arn:aws:iam::111111111111:role/hub
  externalID: blue-7f3a
  tags: [{key: cluster, value: blue}]
  transitiveTagKeys: [cluster]
- roleARN: arn:aws:iam::222222222222:role/deploy
endpoint:
  url: {type: Dynamic, dynamic: {protocol: https, host: aws.example.org}}
  services: [lambda, s3]
  hostnameImmutable: true
  partitionId: aws
  signingName: lambda
  signingRegion: eu-central-1
  signingMethod: v4
  source: Custom
skip_credentials_validation: true
skip_region_validation: true
skip_metadata_api_check: true
skip_requesting_account_id: true
s3_use_path_style: true
`
	for name, credentials := range map[string]string{
		"secret":       "{source: Secret, secretRef: {namespace: crossplane-system, name: aws, key: creds}}",
		"irsa":         "{source: IRSA}",
		"pod-identity": "{source: PodIdentity}",
		"web-identity": "{source: WebIdentity, webIdentity: {roleARN: 'arn:aws:iam::111111111111:role/web', roleSessionName: blue, tokenConfig: {source: Filesystem, fs: {path: /token}}}}",
		"web-secret":   "{source: WebIdentity, webIdentity: {roleARN: 'arn:aws:iam::111111111111:role/web', tokenConfig: {source: Secret, secretRef: {namespace: crossplane-system, name: aws, key: token}}}}",
		"none":         "{source: None}",
	} {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		spec := map[string]any{}
		if err := yaml.Unmarshal([]byte("credentials: "+credentials+chain), &spec); err != nil {
			t.Fatal(err)
		}
		o.Object["spec"] = spec
		o.SetGroupVersionKind(ClusterProviderConfigGroupVersionKind)
		o.SetName(name)
		if got := complaints(c.Create(t.Context(), o, client.DryRunAll)); got != "" {
			t.Errorf("%s: refused:\n%s", name, got)
		}
	}
}

// specSchema returns the schema of a kind's spec.
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
