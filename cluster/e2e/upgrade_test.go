package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/packages"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
)

const nextVersion = "v0.2.0"

// TestUpgradeAndBack upgrades to a package with one more field of Function, and downgrades, while there are
// resources.
func TestUpgradeAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.restarts()
	ns := e.namespace()
	const count = 5
	for i := range count {
		e.apply(ns, function(fmt.Sprintf("keep-%d", i)))
	}
	was := map[string]string{}
	for i := range count {
		name := fmt.Sprintf("keep-%d", i)
		was[name] = string(e.ready("Function", ns, name).GetUID())
	}
	changes := e.changes()

	next, err := packages.PushProvider(t.Context(), e.Registry.Host, e.nextSource(), t.TempDir(), nextVersion)
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{next, shared.image} {
		pid := e.provider()
		if err := e.UpdateProvider(t.Context(), image); err != nil {
			t.Fatal(err)
		}
		e.until("the new process has taken over", func(context.Context) error {
			if e.provider() == pid {
				return errors.New("the old one still runs")
			}
			return nil
		})
		// Once the new process has reconciled a new resource, it has made all its changes.
		witness := fmt.Sprintf("witness-%d", pid)
		e.apply(ns, function(witness))
		e.ready("Function", ns, witness)

		got := map[string]string{}
		for name := range was {
			got[name] = string(e.ready("Function", ns, name).GetUID())
		}
		if diff := cmp.Diff(was, got); diff != "" {
			t.Errorf("resources after the move to %s: -before, +after:\n%s", image, diff)
		}
		if served := e.serves("addedField"); served != (image == next) {
			t.Errorf("%s: the new field is served: %t", image, served)
		}
	}
	if diff := cmp.Diff([]string{"CreateFunction", "CreateFunction"}, e.changes()[len(changes):]); diff != "" {
		t.Errorf("changes in AWS besides the two witnesses: -want, +got:\n%s", diff)
	}
}

// changes returns the operations so far that change the test's functions in AWS.
func (e *env) changes() []string {
	reads, own := regexp.MustCompile("^(Get|List|Head)"), regexp.MustCompile("(keep|witness)-[0-9]+$")
	var changes []string
	for _, c := range e.Double.Calls() {
		if !reads.MatchString(c.Operation) && own.MatchString(c.Resource) {
			changes = append(changes, c.Operation)
		}
	}
	return changes
}

// nextSource returns a copy of the repository with one more field of Function.
func (e *env) nextSource() string {
	e.Helper()
	return e.copySource(func(name string, b []byte) []byte {
		if name == "package/crds/"+group+"_functions.yaml" {
			return addField(e, b)
		}
		return b
	})
}

// copySource copies the repository without its tests, and edits the copy.
func (e *env) copySource(edit func(name string, b []byte) []byte) string {
	e.Helper()
	to := e.TempDir()
	cmd := exec.CommandContext(e.Context(), "git", "-C", e.Root, "ls-files", "-z", "--cached", "--others",
		"--exclude-standard")
	names, err := cmd.Output()
	if err != nil {
		e.Fatalf("cannot list the repository's files: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(e.Root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // It is deleted, but the deletion is not committed yet.
		}
		if err != nil {
			e.Fatal(err)
		}
		file := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750),
			os.WriteFile(file, edit(name, b), 0o600)); err != nil {
			e.Fatal(err)
		}
	}
	return to
}

func addField(e *env, crd []byte) []byte {
	e.Helper()
	const before = "              forProvider:\n"
	i := strings.Index(string(crd), before)
	j := strings.Index(string(crd[max(i, 0):]), "                properties:\n")
	if i < 0 || j < 0 {
		e.Fatal("the definition of Function is not as expected")
	}
	at := i + j + len("                properties:\n")
	return []byte(string(crd[:at]) + "                  addedField:\n                    type: string\n" +
		string(crd[at:]))
}

// serves reports whether Functions have a field in spec.forProvider.
func (e *env) serves(field string) bool {
	e.Helper()
	for _, d := range e.list("apiextensions.k8s.io/v1", "CustomResourceDefinition") {
		if d.GetName() != atFirst {
			continue
		}
		versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
		_, found, _ := unstructured.NestedMap(versions[0].( //nolint:forcetypeassert // The API server says so.
		map[string]any),
			"schema", "openAPIV3Schema", "properties", "spec", "properties", "forProvider", "properties", field)
		return found
	}
	return false
}

// conditionMessage returns an error unless a condition's message contains a text.
func conditionMessage(u *unstructured.Unstructured, condition, text string) error {
	err := platform.ConditionTrue(u, condition)
	if err == nil {
		return fmt.Errorf("%s is True", condition)
	}
	if !strings.Contains(err.Error(), text) {
		return fmt.Errorf("it does not say %q: %w", text, err)
	}
	return nil
}
