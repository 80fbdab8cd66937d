// Package samples tests what the repository has for other tools: admission policies of the API server and of Kyverno,
// kro's ResourceGraphDefinition, and views of k9s. Policies and kro's graph are tried on a real API server.
package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// root is the repository.
const root = "../../.."

var suite devcluster.Suite

func TestMain(m *testing.M) {
	kyverno, err := module(filepath.Join("testdata", "kyverno"), "github.com/kyverno/api")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	kro, err := module(".", "github.com/kubernetes-sigs/kro")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flux, err := module(filepath.Join(root, "cluster", "flux"), "github.com/fluxcd/source-controller")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	suite.Options.CRDs = []string{
		filepath.Join(root, "package", "crds"),
		filepath.Join(kyverno, "config", "crds", "policies.kyverno.io_validatingpolicies.yaml"),
		filepath.Join(kro, "helm", "crds", "kro.run_resourcegraphdefinitions.yaml"),
		filepath.Join(flux, "config", "crd", "bases"),
	}
	suite.Main(m)
}

// module returns the folder of a Go module, in the version that the go.mod of a folder requires. It downloads the
// module if the module cache lacks it.
func module(folder, path string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", "mod", "download", "-json", path)
	cmd.Dir, cmd.Stderr = folder, &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot download %s: %w: %s%s", path, err, out, stderr.String())
	}
	var m struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("cannot tell where %s is: %w", path, err)
	}
	return m.Dir, nil
}

// strict returns a client whose requests fail if they contain unknown fields.
func strict(t *testing.T) client.Client {
	t.Helper()
	c, err := client.New(suite.Cluster(t).Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(c, metav1.FieldValidationStrict)
}

// examples returns the objects in the files of examples that match a pattern.
func examples(t *testing.T, pattern ...string) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(append([]string{root, "examples"}, pattern...)...))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no files %v: %v", pattern, err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parse(t, string(b))...)
	}
	return all
}

// parse returns the objects of a YAML text.
func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	all, err := manifests.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return all
}
