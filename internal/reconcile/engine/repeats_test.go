package engine

import (
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestAttemptsOfAGeneration checks that calls made for one spec do not count for another.
func TestAttemptsOfAGeneration(t *testing.T) {
	s, mg := memory.New(), samples.New()
	known := s.Begin(mg)
	known.Calls.Record("UpdateThing", "value", time.Unix(1e9, 0))
	if again := s.Begin(mg); again.Calls != known.Calls {
		t.Error("the same generation starts anew")
	}
	mg.SetGeneration(mg.GetGeneration() + 1)
	if next := s.Begin(mg); next.Calls == nil || next.Calls == known.Calls {
		t.Error("another generation does not start anew")
	}
}
