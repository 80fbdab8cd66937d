package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// TestGuidesBesideTheDemo checks that the functions of the guides that are followed beside the demo are not among its
// own: two functions of one name in an account are a conflict.
func TestGuidesBesideTheDemo(t *testing.T) {
	root := filepath.Join("..", "..")
	own := map[string]bool{signedOf: true}
	for _, file := range exampleFiles(filepath.Join(root, "examples")) {
		for _, name := range functionsIn(t, read(t, file)) {
			own[name] = true
		}
	}
	for page, heading := range map[string]string{
		"README.md": "# provider-lambda", "docs/rollouts.md": "## A first rollout",
	} {
		_, text, found := strings.Cut(read(t, filepath.Join(root, page)), heading)
		_, text, fenced := strings.Cut(text, "```yaml\n")
		text, _, ended := strings.Cut(text, "\n```")
		names := functionsIn(t, text)
		if !found || !fenced || !ended || len(names) == 0 {
			t.Errorf("%s has no function below %q", page, heading)
		}
		for _, name := range names {
			if own[name] {
				t.Errorf("the function %s of %s is also one of the demo", name, page)
			}
		}
	}
}

// TestExamplesApart checks that all examples can be applied beside the demo or `make dev`: none replaces their config,
// with which resources without a providerConfigRef reach the double of AWS, and no two make a function of one name.
func TestExamplesApart(t *testing.T) {
	maker := map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", "..", "examples"), func(file string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".yaml" {
			return err
		}
		objects, err := manifests.Parse([]byte(read(t, file)))
		for _, u := range objects {
			if u.GetKind() == "ClusterProviderConfig" && u.GetName() == "default" {
				t.Errorf("%s replaces the ClusterProviderConfig default: give its own another name", file)
			}
			// A Release is about a Function of its name.
			composite := strings.HasPrefix(u.GetAPIVersion(), "serverless.example.com/") && u.GetKind() != "Release"
			if !composite && u.GetKind() != "Function" {
				continue
			}
			if other := maker[u.GetName()]; other != "" {
				t.Errorf(
					"%s and %s make a function %s: two of one name in an account are a conflict",
					other,
					file,
					u.GetName(),
				)
			}
			maker[u.GetName()] = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// functionsIn returns the names of the Functions in YAML.
func functionsIn(t *testing.T, text string) []string {
	t.Helper()
	objects, err := manifests.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, u := range objects {
		if u.GetKind() == "Function" {
			names = append(names, u.GetName())
		}
	}
	return names
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file) //nolint:gosec // It is one of ours.
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
