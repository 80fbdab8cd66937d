package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	pkgv1beta1 "github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"

	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../package/crds"}, Crossplane: true}}

func TestMain(m *testing.M) { suite.Main(m) }

// TestManifestsAreAccepted sends every YAML of the documents to the API server,
// which checks it as if it were applied. The second word after the opening
// backquotes says of which part of a manifest it is, if it is not a whole one.
func TestManifestsAreAccepted(t *testing.T) {
	c := strict(t)
	for _, f := range fences(t, "yaml") {
		if strings.HasPrefix(f.hint, "examples/") {
			continue // TestQuotesAreTheExamples holds it to the example, and another test the example to its schema.
		}
		for document := range strings.SplitSeq(f.text, "\n---\n") {
			var content map[string]any
			if err := yaml.UnmarshalStrict([]byte(document), &content); err != nil {
				t.Errorf("%s:%d: %v", f.file, f.line, err)
				continue
			}
			u, err := whole(content, f.hint)
			if err == nil {
				err = accept(t, c, u)
			}
			if err != nil {
				t.Errorf("%s:%d: %v", f.file, f.line, err)
			}
		}
	}
}

// strict is a client that has unknown fields refused.
func strict(t *testing.T) client.Client {
	t.Helper()
	c, err := client.New(suite.Cluster(t).Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(c, metav1.FieldValidationStrict)
}

// ensureNamespace makes a namespace, which enforces a Pod Security Standard if one is given.
func ensureNamespace(t *testing.T, c client.Client, name, standard string) error {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if standard != "" {
		ns.Labels = map[string]string{"pod-security.kubernetes.io/enforce": standard}
	}
	err := c.Create(t.Context(), ns)
	if kerrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// whole is the manifest that a part of one belongs to.
func whole(content map[string]any, part string) (*unstructured.Unstructured, error) {
	switch part {
	case "":
	case "forProvider":
		return function(map[string]any{}, content), nil
	case "metadata":
		return function(content, map[string]any{}), nil
	case "spec":
		f := function(map[string]any{}, map[string]any{})
		maps.Copy(f.Object["spec"].(map[string]any), content)
		return f, nil
	case "rollout":
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "lambda.aws.m.crossplane.io/v1beta1",
			"kind":       "Alias",
			"metadata":   map[string]any{"name": "part", "namespace": "shop"},
			"spec": map[string]any{
				"forProvider": map[string]any{"region": "eu-central-1", "functionName": "part", "functionVersion": "1"},
				"rollout":     content,
			},
		}}, nil
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
	default:
		return nil, fmt.Errorf("%q is no part of a manifest that this test knows", part)
	}
	return &unstructured.Unstructured{Object: content}, nil
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

// accept tells why the API server would refuse a manifest.
func accept(t *testing.T, c client.Client, u *unstructured.Unstructured) error {
	t.Helper()
	if u.GetKind() == "DeploymentRuntimeConfig" {
		if err := acceptRuntime(t, c, into(t, u, &pkgv1beta1.DeploymentRuntimeConfig{})); err != nil {
			return err
		}
	}
	if ns := u.GetNamespace(); ns != "" {
		if err := ensureNamespace(t, c, ns, ""); err != nil {
			return err
		}
	}
	return c.Create(t.Context(), u, client.DryRunAll)
}

func TestJSONIsWellFormed(t *testing.T) {
	for _, f := range fences(t, "json") {
		if !json.Valid([]byte(f.text)) {
			t.Errorf("%s:%d: this is no JSON", f.file, f.line)
		}
	}
}

// languages are those that blocks of documents are in. A manifest in a block of another
// one would go unchecked.
var languages = []string{"console", "go", "json", "promql", "text", "yaml"}

func TestBlocksNameTheirLanguage(t *testing.T) {
	for _, file := range documents(t) {
		for _, f := range fencesOf(file, read(t, file)) {
			if !slices.Contains(languages, f.language) {
				t.Errorf("%s:%d: a block is in %v, not in %q", f.file, f.line, languages, f.language)
			}
			if f.language != "yaml" && strings.Contains("\n"+f.text, "\napiVersion: ") {
				t.Errorf("%s:%d: a manifest is yaml, not %s", f.file, f.line, f.language)
			}
		}
	}
}

// TestQuotesAreTheExamples finds what a document quotes of an example in that example: the same lines, however far
// they are indented there.
func TestQuotesAreTheExamples(t *testing.T) {
	for _, f := range fences(t, "yaml") {
		if !strings.HasPrefix(f.hint, "examples/") {
			continue
		}
		if quote, whole := unindented(f.text), unindented(read(t, "../"+f.hint)); !strings.Contains(whole, quote) {
			t.Errorf("%s:%d: this is not in %s", f.file, f.line, f.hint)
		}
	}
}

// unindented are the lines of a text without the space around them.
func unindented(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		lines.WriteString("\n" + strings.TrimSpace(line))
	}
	return lines.String()
}

// TestListsShowTheColumns compares the lists that kubectl prints in pages with the columns of
// the kind.
func TestListsShowTheColumns(t *testing.T) {
	columns := map[string][]string{}
	for _, crd := range definitions(t) {
		shown := []string{"NAME"}
		for _, c := range crd.Spec.Versions[0].AdditionalPrinterColumns {
			if c.Priority == 0 {
				shown = append(shown, c.Name)
			}
		}
		columns[crd.Spec.Names.Plural], columns[crd.Spec.Names.Singular] = shown, shown
		for _, short := range crd.Spec.Names.ShortNames {
			columns[short] = shown
		}
	}
	seen := 0
	for _, f := range fences(t, "console") {
		lines := strings.Split(f.text, "\n")
		for i, line := range lines[1:] {
			_, what, _ := strings.Cut(lines[i], " get ")
			what, _, _ = strings.Cut(strings.Fields(what + " .")[0], ".")
			if !strings.HasPrefix(line, "NAME ") || columns[what] == nil {
				continue
			}
			seen++
			if got := strings.Fields(line); !slices.Equal(got, columns[what]) {
				t.Errorf("%s:%d: kubectl shows %v of %s, not %v", f.file, f.line, columns[what], what, got)
			}
		}
	}
	if seen < 2 {
		t.Errorf("only %d lists were compared", seen)
	}
}

// TestShortNamesAreListed compares the short names in the index with those of the kinds.
func TestShortNamesAreListed(t *testing.T) {
	index := read(t, "README.md")
	for _, crd := range definitions(t) {
		for _, short := range crd.Spec.Names.ShortNames {
			row := "[" + crd.Spec.Names.Kind + "](" + strings.ToLower(crd.Spec.Names.Kind) + ".md) | `" + short + "` |"
			if !strings.Contains(index, row) {
				t.Errorf("README.md has no row with %q", row)
			}
		}
	}
}

// definitions of the provider's kinds.
func definitions(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := filepath.Glob("../package/crds/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict([]byte(read(t, file)), crd); err != nil {
			t.Fatal(err)
		}
		all = append(all, crd)
	}
	if len(all) < 10 {
		t.Fatalf("found only %d kinds", len(all))
	}
	return all
}
