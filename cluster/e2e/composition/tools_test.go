// Package composition tests the examples of compositions with Crossplane's CLI, without a control plane: what they
// are rendered to, and what their schemas accept. Package e2e tests them in a cluster.
package composition

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// script builds Crossplane. It is a path from the repository's root.
const script = "cluster/crossplane/ensure.sh"

// tools are Crossplane's programs, and the composition function, which runs.
type tools struct {
	root, programs, function string

	folder  *process.Folder
	process *process.Process
}

var shared struct {
	once  sync.Once
	tools tools
	err   error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := shared.tools.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func theTools(t *testing.T) tools {
	t.Helper()
	// The function outlives the test that starts it.
	ctx := context.WithoutCancel(t.Context())
	shared.once.Do(func() { shared.err = shared.tools.start(ctx) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.tools
}

func (x *tools) start(ctx context.Context) (err error) {
	if x.root, err = process.Root(script); err != nil {
		return err
	}
	if x.programs, err = process.Programs(ctx, script, os.Stderr); err != nil {
		return err
	}
	if x.folder, err = process.NewFolder(); err != nil {
		return err
	}
	if x.function, err = process.FreeAddress(); err != nil {
		return err
	}
	x.process, err = process.Start(x.folder, process.Command{
		Path: filepath.Join(x.programs, "function-patch-and-transform"),
		Args: []string{"--insecure", "--address=" + x.function},
	})
	if err != nil {
		return err
	}
	return x.process.WaitReady(ctx, func(ctx context.Context) error {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", x.function)
		if err != nil {
			return err
		}
		return c.Close()
	})
}

func (x *tools) stop() error {
	if x.process != nil {
		x.process.Kill()
	}
	if x.folder != nil {
		return x.folder.Remove()
	}
	return nil
}

// cli runs `crossplane` and returns its output, even if it fails.
func (x *tools) cli(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(x.programs, "crossplane"), args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("crossplane %s: %w: %s", strings.Join(args, " "), err, complaints.String())
	}
	return out.Bytes(), nil
}

// example returns the path of a file of an example.
func (x *tools) example(parts ...string) string {
	return filepath.Join(append([]string{x.root, "examples", "composition"}, parts...)...)
}

// render renders a composite resource with an example's Composition and the observed composed resources. The first
// result is the composite.
func (x *tools) render(
	t *testing.T, name string, composite *unstructured.Unstructured, observed ...*unstructured.Unstructured,
) []*unstructured.Unstructured {
	t.Helper()
	args := []string{
		"composition", "render", write(t, composite), x.example(name, "composition.yaml"), x.functions(name),
		"--xrd=" + x.example(name, "definition.yaml"), "--include-full-xr", "--crossplane-binary=" +
			filepath.Join(x.programs, "crossplane-core"),
		"--function-annotations=render.crossplane.io/runtime=Development",
		"--function-annotations=render.crossplane.io/runtime-development-target=" + x.function,
	}
	if len(observed) > 0 {
		args = append(args, "--observed-resources="+write(t, observed...))
	}
	out, err := x.cli(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, out)
}

// functions returns the path of the composition functions of an example: its own, or those that examples share.
func (x *tools) functions(name string) string {
	own := x.example(name, "functions.yaml")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	return x.example("functions", "patch-and-transform.yaml")
}

// A finding is the result of `crossplane resource validate` for one resource.
type finding struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// validate checks files or folders against the provider's CRDs, the examples' definitions, and the schemas of
// Crossplane, of its packages and of the composition function. Of the AWS providers' kinds, it knows a reduced copy.
func (x *tools) validate(t *testing.T, paths ...string) []finding {
	t.Helper()
	schemas := []string{
		filepath.Join(x.root, "package", "crds"), filepath.Join(x.programs, "crds"),
		filepath.Join(x.programs, "function"), filepath.Join("testdata", "provider-aws"), x.packages(t),
	}
	definitions, err := filepath.Glob(x.example("*", "definition.yaml"))
	if err != nil || len(definitions) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	out, err := x.cli(t.Context(), "resource", "validate", strings.Join(append(schemas, definitions...), ","),
		strings.Join(paths, ","),
		// Crossplane's own schemas are on disk, so that nothing is downloaded.
		"--crossplane-image=", "--cache-dir="+t.TempDir(), "--error-on-missing-schemas", "--output=json")
	var answer struct {
		Resources []finding `json:"resources"`
	}
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil {
		t.Fatalf("cannot read %q: %v", out, errors.Join(err, jsonErr))
	}
	return answer.Resources
}

// packages returns the folder of the schemas of crossplane.yaml. Only Crossplane's Go module has them, since no API
// server serves these kinds.
func (x *tools) packages(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/crossplane/crossplane/v2")
	cmd.Dir = filepath.Join(x.root, "cluster", "crossplane")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot find the schemas of packages: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "cluster", "meta")
}

// write writes objects to a file.
func write(t *testing.T, objects ...*unstructured.Unstructured) string {
	t.Helper()
	var text bytes.Buffer
	for _, o := range objects {
		b, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "---\n%s", b)
	}
	file, err := os.CreateTemp(t.TempDir(), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// read reads the objects in a file of an example.
func read(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, b)
}

func parse(t *testing.T, text []byte) []*unstructured.Unstructured {
	t.Helper()
	all, err := manifests.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return all
}

// object parses one object.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	all := parse(t, []byte(text))
	if len(all) != 1 {
		t.Fatalf("%d objects in %q", len(all), text)
	}
	return all[0]
}

// composite returns the nth composite resource of an example.
func (x *tools) composite(t *testing.T, name string, n int) *unstructured.Unstructured {
	t.Helper()
	return read(t, x.example(name, "xr.yaml"))[n]
}
