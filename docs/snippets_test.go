package docs

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	pkgv1beta1 "github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"

	"github.com/crossplane-contrib/provider-lambda/internal/devcluster"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../package/crds"}}}

func TestMain(m *testing.M) { suite.Main(m) }

// TestManifestsAreAccepted sends every YAML of the documents to the API server,
// which checks it as if it were applied. The second word after the opening
// backquotes says of which part of a manifest it is, if it is not a whole one.
func TestManifestsAreAccepted(t *testing.T) {
	c, err := client.New(suite.Cluster(t).Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c = client.WithFieldValidation(c, metav1.FieldValidationStrict)
	for _, f := range fences(t, "yaml") {
		for document := range strings.SplitSeq(f.text, "\n---\n") {
			var content map[string]any
			if err := yaml.UnmarshalStrict([]byte(document), &content); err != nil {
				t.Errorf("%s:%d: %v", f.file, f.line, err)
				continue
			}
			if err := accept(t, c, whole(content, f.hint)); err != nil {
				t.Errorf("%s:%d: %v", f.file, f.line, err)
			}
		}
	}
}

// whole is the manifest that a part of one belongs to.
func whole(content map[string]any, part string) *unstructured.Unstructured {
	switch part {
	case "forProvider":
		return function(map[string]any{}, content)
	case "metadata":
		return function(content, map[string]any{})
	case "ProviderConfig", "ClusterProviderConfig":
		content = map[string]any{
			"apiVersion": "lambda.aws.m.crossplane.io/v1beta1",
			"kind":       part,
			"metadata":   map[string]any{"name": "part"},
			"spec":       content["spec"],
		}
		if part == "ProviderConfig" {
			content["metadata"] = map[string]any{"name": "part", "namespace": "shop"}
		}
	}
	return &unstructured.Unstructured{Object: content}
}

// function is one with the given settings, and with those that it needs besides.
func function(metadata, settings map[string]any) *unstructured.Unstructured {
	meta := map[string]any{"name": "part", "namespace": "shop"}
	maps.Copy(meta, metadata)
	p := map[string]any{"region": "eu-central-1", "role": "arn:aws:iam::123456789012:role/part"}
	if settings["packageType"] != "Image" {
		p["runtime"], p["handler"] = "python3.13", "index.handler"
		p["code"] = map[string]any{"inline": map[string]any{"index.py": "pass"}}
	}
	if _, ok := settings["roleFrom"]; ok {
		delete(p, "role")
	}
	maps.Copy(p, settings)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "lambda.aws.m.crossplane.io/v1beta1",
		"kind":       "Function",
		"metadata":   meta,
		"spec":       map[string]any{"forProvider": p},
	}}
}

// accept tells why the API server would refuse a manifest. What is Crossplane's
// own, it does not know: the types are asked instead.
func accept(t *testing.T, c client.Client, u *unstructured.Unstructured) error {
	t.Helper()
	switch u.GroupVersionKind() {
	case pkgv1.ProviderGroupVersionKind:
		return decode(u, &pkgv1.Provider{})
	case pkgv1beta1.DeploymentRuntimeConfigGroupVersionKind:
		return decode(u, &pkgv1beta1.DeploymentRuntimeConfig{})
	}
	if ns := u.GetNamespace(); ns != "" {
		err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}})
		if err != nil && !kerrors.IsAlreadyExists(err) {
			return err
		}
	}
	return c.Create(t.Context(), u, client.DryRunAll)
}

func decode(u *unstructured.Unstructured, into any) error {
	b, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(b, into)
}

func TestJSONIsWellFormed(t *testing.T) {
	for _, f := range fences(t, "json") {
		if !json.Valid([]byte(f.text)) {
			t.Errorf("%s:%d: this is no JSON", f.file, f.line)
		}
	}
}
