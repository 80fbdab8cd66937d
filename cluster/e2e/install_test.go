package e2e

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
