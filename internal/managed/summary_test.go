package managed

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// What status says in plain fields is written with the conditions that it comes from.
func TestSummaryIsWritten(t *testing.T) {
	h := newHarness(t, newThing())
	h.cloud.fail["Create"] = errInput
	h.reconcile()
	if got := h.stored().Status.Summary; got.Phase != v1beta1.PhaseError || got.Message == "" {
		t.Errorf("a failed creation: %+v", got)
	}
	delete(h.cloud.fail, "Create")
	h.settle()
	if diff := cmp.Diff(v1beta1.Summary{Phase: v1beta1.PhaseAvailable, SettledGeneration: 1}, h.stored().Status.Summary); diff != "" {
		t.Errorf("once it is there, -want +got: %s", diff)
	}
	h.delete()
	h.cloud.fail["Delete"] = errors.New("boom")
	h.reconcile()
	if got := h.stored().Status.Summary; got.Phase != v1beta1.PhaseDeleting || got.Message == "" {
		t.Errorf("a failed deletion: %+v", got)
	}
}
