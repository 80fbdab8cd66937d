package engine

import (
	"errors"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestSummaryIsWritten checks that the plain fields of status are written together with the
// conditions that they summarize.
func TestSummaryIsWritten(t *testing.T) {
	e := newEnv(t, samples.New())
	e.cloud.fail["Create"] = errInput
	e.reconcile()
	if got := e.stored().Status.Summary; got.Phase != v1beta1.PhaseError || got.Message == "" {
		t.Errorf("a failed creation: %+v", got)
	}
	delete(e.cloud.fail, "Create")
	e.settle()
	if diff := cmp.Diff(v1beta1.Summary{Phase: v1beta1.PhaseAvailable, SettledGeneration: 1}, e.stored().Status.Summary); diff != "" {
		t.Errorf("once it is there, -want +got: %s", diff)
	}
	e.delete()
	e.cloud.fail["Delete"] = errors.New("boom")
	e.reconcile()
	if got := e.stored().Status.Summary; got.Phase != v1beta1.PhaseDeleting || got.Message == "" {
		t.Errorf("a failed deletion: %+v", got)
	}
}
