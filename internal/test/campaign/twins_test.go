package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

// twins are two resources that differ in namespace and spec, and have one external resource.
type twins struct {
	*Simulation

	kind         Kind
	name         string
	copied       bool
	owner, other *unstructured.Unstructured
}

// TestTwins has two resources create or adopt one external resource at once. It checks that one of them owns it, that
// the other one says so, changes nothing and deletes nothing, and that it takes over once the owner is gone.
func TestTwins(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	begins := map[string]func(w *twins){
		"Created":             func(w *twins) { w.begin(Config) },
		"CreatedByTwoConfigs": func(w *twins) { w.begin("second") },
		"Adopted":             func(w *twins) { w.leave(); w.begin(Config) },
		"Copied":              func(w *twins) { w.copied = true; w.begin(Config) },
	}
	ends := map[string]func(w *twins){
		"OtherDeleted": func(w *twins) {
			w.end(w.other)
			w.quiet()
		},
		"OwnerDeleted":  func(w *twins) { w.end(w.owner); w.takesOver() },
		"OwnerOrphaned": func(w *twins) { w.orphan(w.owner); w.takesOver() },
	}
	for _, k := range kinds {
		for begin, b := range begins {
			switch {
			case k.Kind == "Invocation", k.Variant != "", strings.HasPrefix(begin, "Created") && k.isNamed():
				continue
			case begin == "Adopted" && k.Kind == "LayerVersion":
				continue // Each publishes a version of its own.
			}
			for end, e := range ends {
				if *figures.Sample > 1 && !chosen(k.Name()+begin+end, 3) { // They are slow.
					continue
				}
				t.Run(k.Name()+begin+end, func(t *testing.T) {
					Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) {
						s.Prepare()
						w := &twins{Simulation: s, kind: k}
						b(w)
						e(w)
					})
				})
			}
		}
	}
}

// isNamed reports whether AWS names the external resources of the kind.
func (k Kind) isNamed() bool {
	return slices.Contains([]string{"Version", "EventSourceMapping", "LayerVersion", "CodeSigningConfig"}, k.Kind)
}

// leave leaves an external resource in AWS that no resource has any more.
func (w *twins) leave() {
	w.Helper()
	p := w.Start(&Network{})
	u := w.kind.New()
	w.Create(u)
	if !w.Until(10*time.Minute, func() bool { return w.ready(u) }) {
		w.Fatalf("does not become ready: %s", w.statuses())
	}
	w.orphan(u)
	_ = p.Stop()
	w.name = u.GetAnnotations()[meta.AnnotationKeyExternalName]
}

// begin creates the resources, the second one with a config, and reconciles both in step.
func (w *twins) begin(config string) {
	w.Helper()
	c := &v1beta1.ClusterProviderConfig{}
	if err := w.Kube.Get(w.Context(), client.ObjectKey{Name: Config}, c); err != nil {
		w.Fatal(err)
	}
	w.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "stock"}},
		&v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "second"}, Spec: c.Spec})
	first, second := w.kind, w.kind
	first.ForProvider, second.ForProvider = maps.Clone(first.ForProvider), maps.Clone(second.ForProvider)
	maps.Copy(first.ForProvider, map[string]map[string]any{ // Where AWS's value would do.
		"Alias":       {"description": "old"},
		"FunctionURL": {"cors": map[string]any{"allowOrigins": []any{"https://example.com"}}},
	}[w.kind.Kind])
	for _, update := range w.kind.UpdateNames()[:min(len(w.kind.Updates), 1)] {
		maps.Copy(second.ForProvider, w.kind.Updates[update])
	}
	a, b := first.New(), second.New()
	b.SetNamespace("stock")
	spec, _ := b.Object["spec"].(map[string]any)
	spec["providerConfigRef"] = map[string]any{"kind": v1beta1.ClusterProviderConfigKind, "name": config}
	if w.copied {
		p := w.Start(&Network{})
		w.Create(a)
		if !w.Until(10*time.Minute, func() bool { return w.ready(a) }) {
			w.Fatalf("does not become ready: %s", w.statuses())
		}
		_ = p.Stop()
		w.name = a.GetAnnotations()[meta.AnnotationKeyExternalName]
	}
	for _, u := range []*unstructured.Unstructured{a, b} {
		switch {
		case w.copied && u == a:
			continue
		case w.copied: // As a backup is restored.
			u.SetAnnotations(a.GetAnnotations())
			u.SetFinalizers(a.GetFinalizers())
		case w.name != "":
			u.SetAnnotations(map[string]string{meta.AnnotationKeyExternalName: w.name, v1beta1.AnnotationAdopt: "true"})
		}
		w.Create(u)
	}
	w.Start(&Network{Do: func(_ context.Context, c Call, side Side) error {
		if side == Before &&
			(c.API == AWS || c.Writes() && strings.Contains(c.Path, v1beta1.SchemeGroupVersion.Group)) {
			time.Sleep(time.Second) // Two reconciles that begin at the same time go on in step.
		}
		return nil
	}})
	time.Sleep(2 * time.Hour)
	if w.owner, w.other = a, b; w.kind.Kind == "Version" && !w.copied {
		return // Both are Ready, because neither has anything to change.
	}
	if !w.ready(a) {
		w.owner, w.other = b, a
	}
	message := fmt.Sprint(conditionOf(w.stored(w.other), "Synced")["message"])
	owner := fmt.Sprintf("belongs to %s %s/%s ", w.kind.Kind, w.owner.GetNamespace(), w.owner.GetName())
	if !w.ready(w.owner) || !is(w.other, "Synced", "False") || !strings.Contains(message, owner) {
		w.Fatalf("not one owner: %s\n%s", w.statuses(), w.history())
	}
	w.name = w.owner.GetAnnotations()[meta.AnnotationKeyExternalName]
	w.quiet()
}

// quiet checks that AWS is not changed.
func (w *twins) quiet() {
	w.Helper()
	w.checkNoWrites(2 * time.Hour)
	if !w.ready(w.owner) {
		w.Errorf("the owner is not ready: %s", w.statuses())
	}
}

// end deletes a resource.
func (w *twins) end(u *unstructured.Unstructured) {
	w.Helper()
	w.remove(u)
	if !w.Until(10*time.Minute, func() bool { return w.gone(u) }) {
		w.Errorf("does not go: %s", w.statuses())
	}
}

// orphan deletes a resource, and leaves its external resource in AWS.
func (w *twins) orphan(u *unstructured.Unstructured) {
	w.Helper()
	w.Patch(u, map[string]any{"spec": map[string]any{"managementPolicies": []any{"Observe", "Create", "Update"}}})
	w.end(u)
}

// takesOver checks that the other resource has the external resource once the owner is gone, and deletes it.
func (w *twins) takesOver() {
	w.Helper()
	w.Patch(w.other, map[string]any{"metadata": map[string]any{"annotations": map[string]any{
		meta.AnnotationKeyExternalName: w.name, v1beta1.AnnotationAdopt: "true", // As the message says.
	}}})
	if !w.Until(2*time.Hour, func() bool { return w.ready(w.other) }) {
		w.Errorf("does not take over: %s\n%s", w.statuses(), w.history())
	}
	before := w.history()
	w.end(w.other)
	if before == w.history() {
		w.Errorf("deletes nothing")
	}
}
