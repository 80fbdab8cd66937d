package campaign

import (
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestLostAnnotationsAndStatus removes all annotations and the status of resources that
// AWS names, while the provider runs and while it does not. It checks that what they have
// created is found by its tags, used, and deleted in the end.
func TestLostAnnotationsAndStatus(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if !slices.Contains([]string{"CodeSigningConfig", "EventSourceMapping"}, k.Kind) {
			continue
		}
		for name, running := range map[string]bool{"running": true, "stopped": false} {
			t.Run(k.Name()+" "+name, func(t *testing.T) {
				Run(t, awsdouble.Options{}, func(_ *testing.T, s *Simulation) { s.strips(k, running) })
			})
		}
	}
}

// strips removes the annotations and the status of a resource.
func (s *Simulation) strips(k Kind, running bool) {
	s.Helper()
	s.Prepare()
	p := s.Start(&Network{})
	s.Create(k.New())
	ready := func() bool { return s.ready(k.New()) }
	if !s.Until(10*time.Minute, ready) {
		s.Fatalf("does not become ready: %s", s.statuses())
	}
	before := s.Resources()
	time.Sleep(time.Hour)
	if !running {
		_ = p.Stop()
	}
	u := s.stored(k.New())
	u.SetAnnotations(nil)
	if err := s.Kube.Update(s.Context(), u); err != nil {
		s.Fatal(err)
	}
	u = s.stored(k.New())
	delete(u.Object, "status")
	if err := s.Kube.Status().Update(s.Context(), u); err != nil && client.IgnoreNotFound(err) != nil {
		s.Fatal(err)
	}
	if !running {
		s.Start(&Network{})
	}
	time.Sleep(time.Hour)
	if !ready() {
		s.Errorf("does not become ready again: %s", s.statuses())
	}
	if after := s.Resources(); !slices.Equal(before, after) || s.accepted(k.Creates) != 1 {
		s.Errorf("AWS has %v, it had %v, and has accepted %s %d times", after, before, k.Creates, s.accepted(k.Creates))
	}
	s.checkNoWrites(25 * time.Minute)
	s.remove(k.New())
	if !s.Until(time.Hour, func() bool { return s.gone(k.New()) }) || slices.Equal(before, s.Resources()) {
		s.Errorf("is not deleted: %s", s.statuses())
	}
}
