package engine

import (
	"testing"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestAttemptsOfAGeneration checks that calls made for one spec do not count for another, nor for another annotation of
// Crossplane, and that they still count when another tool has changed its annotation.
func TestAttemptsOfAGeneration(t *testing.T) {
	s, mg := memory.New(), samples.New()
	known := s.Begin(mg)
	known.Calls.Record("UpdateThing", "value", time.Unix(1e9, 0))
	if again := s.Begin(mg); again.Calls != known.Calls {
		t.Error("the same generation starts anew")
	}
	meta.AddAnnotations(mg, map[string]string{"example.org/checked-at": "now", "plain": "now"})
	if again := s.Begin(mg); again.Calls != known.Calls {
		t.Error("another tool's annotation starts anew")
	}
	meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationAdopt: "true"})
	if next := s.Begin(mg); next.Calls == known.Calls {
		t.Error("the user's annotation does not start anew")
	}
	known = s.Begin(mg)
	mg.SetGeneration(mg.GetGeneration() + 1)
	if next := s.Begin(mg); next.Calls == nil || next.Calls == known.Calls {
		t.Error("another generation does not start anew")
	}
}
