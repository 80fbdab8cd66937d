package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// protection returns the usages of a file of examples/deletion.
func (e *env) protection(file string) []*unstructured.Unstructured {
	e.Helper()
	text, err := os.ReadFile(filepath.Join(e.Root, "examples", "deletion", file))
	if err != nil {
		e.Fatal(err)
	}
	all, err := manifests.Parse(text)
	if err != nil {
		e.Fatal(err)
	}
	return all
}

// TestUsages applies the examples of docs/deletion.md, and checks that Crossplane rejects the deletion of what they
// protect, and allows it afterwards.
func TestUsages(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ns := e.namespace()
	e.apply(ns, function("checkout"))
	e.ready("Function", ns, "checkout")
	for _, file := range []string{"usage.yaml", "clusterusage.yaml"} {
		for _, usage := range e.protection(file) {
			if usage.GetNamespace() != "" {
				usage.SetNamespace(ns)
			}
			e.protects(usage)
		}
	}
	u, err := e.get(group+"/v1beta1", "Function", ns, "checkout")
	if err != nil {
		t.Fatal(err)
	}
	e.until("the Function is deleted without its Usage", func(ctx context.Context) error {
		if err := client.IgnoreNotFound(e.Kube.Delete(ctx, u)); err != nil {
			return err
		}
		_, err := e.get(group+"/v1beta1", "Function", ns, "checkout")
		if !kerrors.IsNotFound(err) {
			return fmt.Errorf("it is still there: %w", err)
		}
		return nil
	})
}

// protects checks that a usage protects an object until the usage is deleted.
func (e *env) protects(usage *unstructured.Unstructured) {
	e.Helper()
	if err := e.Kube.Create(e.Context(), usage); err != nil {
		e.Fatal(err)
	}
	field := func(path ...string) string {
		s, _, _ := unstructured.NestedString(usage.Object, append([]string{"spec"}, path...)...)
		return s
	}
	of := object(field("of", "apiVersion"), field("of", "kind"))
	of.SetNamespace(usage.GetNamespace())
	of.SetName(field("of", "resourceRef", "name"))
	e.until("the usage "+usage.GetName()+" is in effect", func(ctx context.Context) error {
		if err := e.Kube.Get(ctx, client.ObjectKeyFromObject(of), of); err != nil {
			return err
		}
		if of.GetLabels()["crossplane.io/in-use"] != "true" {
			return fmt.Errorf("%s %s has the labels %v", of.GetKind(), of.GetName(), of.GetLabels())
		}
		return nil
	})
	// A dry run is enough: the API server asks Crossplane for it, too.
	if err := e.Kube.Delete(e.Context(), of, client.DryRunAll); err == nil ||
		!strings.Contains(err.Error(), field("reason")) {
		e.Errorf("%s %s: want the deletion to be rejected for %q, got %v", of.GetKind(), of.GetName(), field("reason"),
			err)
	}
	if err := e.Kube.Delete(e.Context(), usage); err != nil {
		e.Fatal(err)
	}
	e.until("the usage "+usage.GetName()+" ends",
		func(ctx context.Context) error { return e.Kube.Delete(ctx, of, client.DryRunAll) })
}
