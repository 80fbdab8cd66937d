package campaign

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestObserveReportsDifferences has resources of every kind only observe, and changes
// their spec. It checks that each reports in which fields AWS differs, until the spec is
// as before.
func TestObserveReportsDifferences(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		for _, name := range k.UpdateNames() {
			if k.Kind == "Invocation" {
				continue // AWS stores nothing of an invocation that could differ.
			}
			t.Run(strings.TrimSuffix(k.Name()+"/"+name, "/"), func(t *testing.T) {
				Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) { s.observes(k, k.Updates[name]) })
			})
		}
	}
}

func (s *Simulation) observes(k Kind, update map[string]any) {
	s.Helper()
	s.Prepare()
	p := s.Start(&Network{})
	u := k.New()
	s.Create(u)
	until := func(what string, so func(u *unstructured.Unstructured) bool) {
		s.Helper()
		if !s.Until(time.Hour, func() bool {
			return s.Kube.Get(s.Context(), client.ObjectKeyFromObject(u), u) == nil && so(u)
		}) {
			s.Fatalf("%s: %v", what, u.Object["status"])
		}
	}
	ready := func(status, reason string, generation int64) func(u *unstructured.Unstructured) bool {
		return func(u *unstructured.Unstructured) bool {
			c := conditionOf(u, "Ready")
			return c["status"] == status && c["reason"] == reason && c["observedGeneration"] == generation &&
				u.GetGeneration() == generation
		}
	}
	until("it is not created", ready("True", "Available", u.GetGeneration()))
	s.Patch(u, map[string]any{"spec": map[string]any{"managementPolicies": []string{"Observe"}}})
	until("it is not observed", ready("True", "Available", u.GetGeneration()))
	before := len(s.writes())

	s.Patch(u, map[string]any{"spec": map[string]any{"forProvider": update}})
	until("it does not differ", ready("False", "Differs", u.GetGeneration()))
	ds, _, _ := unstructured.NestedSlice(u.Object, "status", "differences")
	if c := conditionOf(u, "Planned"); c["reason"] != "ChangesPlanned" || c["observedGeneration"] != u.GetGeneration() {
		s.Errorf("the update %v is not planned: %v", update, c)
	}
	s.checkSteady(u)
	text, err := json.Marshal(u.Object["status"])
	if err != nil || len(ds) == 0 || strings.Contains(string(text), "hunter2canary") {
		s.Errorf("differences of %v: %v", update, ds)
	}
	if again := s.writes()[before:]; len(again) > 0 {
		s.Errorf("it only observes, and calls %v", again)
	}

	s.Patch(u, map[string]any{"spec": map[string]any{"managementPolicies": []string{"*"}}})
	until("it is not changed", ready("True", "Available", u.GetGeneration()))
	if ds, ok, _ := unstructured.NestedSlice(u.Object, "status", "differences"); ok {
		s.Errorf("nothing differs any more: %v", ds)
	}
	if err := p.Stop(); err != nil {
		s.Error(err)
	}
}
