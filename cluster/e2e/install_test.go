package e2e

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
)

const definitions = "apiextensions.crossplane.io/v1alpha1"

// TestSafeStart starts with one kind, and activates another while the provider works.
func TestSafeStart(t *testing.T) {
	r := newRig(t)
	before := r.states()
	if before[atFirst] != "Active" || before["aliases."+group] != "Inactive" || len(before) < 15 {
		t.Fatalf("want %s alone to be active, got %v", atFirst, before)
	}
	pid := r.provider()
	ns := r.namespace()
	r.apply(ns, function("cart"))
	r.ready("Function", ns, "cart")

	r.activate("aliases." + group)
	r.apply(ns, fmt.Sprintf(`
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
	r.ready("Alias", ns, "live")
	if got := r.provider(); got != pid {
		t.Errorf("the provider was started anew for another kind: process %d, then %d", pid, got)
	}
	if got := r.states()["permissions."+group]; got != "Inactive" {
		t.Errorf("a kind that nobody activated is %s", got)
	}
}

// states are the provider's managed resource definitions, and whether they are active.
func (r *rig) states() map[string]string {
	r.Helper()
	states := map[string]string{}
	for _, d := range r.list(definitions, "ManagedResourceDefinition") {
		if g, _, _ := unstructured.NestedString(d.Object, "spec", "group"); g == group {
			states[d.GetName()], _, _ = unstructured.NestedString(d.Object, "spec", "state")
		}
	}
	return states
}

// activate a definition, or all with an asterisk, and wait until they are established.
func (r *rig) activate(definition string) {
	r.Helper()
	name := "all"
	if definition != "*" {
		name = definition
	}
	r.apply("", fmt.Sprintf(`
apiVersion: apiextensions.crossplane.io/v1alpha1
kind: ManagedResourceActivationPolicy
metadata:
  name: %s
spec:
  activate:
  - "%s"
`, name, definition))
	r.until(definition+" is established", func(context.Context) error {
		for _, d := range r.list(definitions, "ManagedResourceDefinition") {
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
