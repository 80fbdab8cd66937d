package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
)

const definitions = "apiextensions.crossplane.io/v1alpha1"

// TestSafeStart starts with one kind, and activates another one while the provider runs.
func TestSafeStart(t *testing.T) {
	e := newEnv(t)
	before := e.states()
	if before[atFirst] != "Active" || before["aliases."+group] != "Inactive" || len(before) < 15 {
		t.Fatalf("want %s alone to be active, got %v", atFirst, before)
	}
	pid := e.provider()
	ns := e.namespace()
	e.apply(ns, function("cart"))
	e.ready("Function", ns, "cart")

	e.activate("aliases." + group)
	e.apply(ns, fmt.Sprintf(`
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata:
  name: live
spec:
  forProvider:
    region: %s
    functionNameRef:
      name: cart
    functionVersion: $LATEST
`, region))
	e.ready("Alias", ns, "live")
	if got := e.provider(); got != pid {
		t.Errorf("the provider was started anew for another kind: process %d, then %d", pid, got)
	}
	if got := e.states()["permissions."+group]; got != "Inactive" {
		t.Errorf("a kind that nobody activated is %s", got)
	}
}

// TestHardened gives the provider the hardened runtime configuration of the examples, as a user does, without the
// settings of this platform. It reaches AWS as before.
func TestHardened(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.restarts()
	file := filepath.Join(e.Root, "examples", "runtimeconfig", "hardened.yaml")
	manifest, err := os.ReadFile(file) //nolint:gosec // It is one of ours.
	if err != nil {
		t.Fatal(err)
	}
	e.apply("", string(manifest))
	defer e.configureProvider(platform.Provider)
	e.configureProvider("provider-lambda-hardened")
	ns := e.namespace()
	e.apply(ns, function("hardened"))
	e.ready("Function", ns, "hardened")
}

// configureProvider gives the provider a runtime configuration, and waits until it runs with it.
func (e *env) configureProvider(config string) {
	e.Helper()
	pid := e.provider()
	u := object("pkg.crossplane.io/v1", "Provider")
	u.SetName(platform.Provider)
	patch := fmt.Sprintf(`{"spec":{"runtimeConfigRef":{"name":%q}}}`, config)
	if err := e.Kube.Patch(e.Context(), u, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		e.Fatal(err)
	}
	e.until("the provider runs with "+config, func(context.Context) error {
		if running := e.Providers(); len(running) != 1 || running[0].PID() == pid {
			return fmt.Errorf("%d processes run, or the one before", len(running))
		}
		return nil
	})
	if err := e.Healthy(e.Context(), "Provider", platform.Provider, shared.image); err != nil {
		e.Fatal(err)
	}
}

// states returns the provider's managed resource definitions, and whether they are active.
func (e *env) states() map[string]string {
	e.Helper()
	states := map[string]string{}
	for _, d := range e.list(definitions, "ManagedResourceDefinition") {
		if g, _, _ := unstructured.NestedString(d.Object, "spec", "group"); g == group {
			states[d.GetName()], _, _ = unstructured.NestedString(d.Object, "spec", "state")
		}
	}
	return states
}

// activate activates a definition, or all with an asterisk, and waits until they are established.
func (e *env) activate(definition string) {
	e.Helper()
	name := "all"
	if definition != "*" {
		name = definition
	}
	e.apply("", fmt.Sprintf(`
apiVersion: apiextensions.crossplane.io/v1alpha1
kind: ManagedResourceActivationPolicy
metadata:
  name: %s
spec:
  activate:
  - "%s"
`, name, definition))
	e.until(definition+" is established", func(context.Context) error {
		for _, d := range e.list(definitions, "ManagedResourceDefinition") {
			if definition != "*" && d.GetName() != definition {
				continue
			}
			if err := platform.ConditionTrue(&d, "Established"); err != nil {
				return fmt.Errorf("%s: %w", d.GetName(), err)
			}
		}
		return nil
	})
}
