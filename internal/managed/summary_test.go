package managed

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

func TestSummarize(t *testing.T) {
	failed := func(message string) xpv2.Condition { return xpv2.ReconcileError(errors.New(message)) }
	await := func(mg *thing) { Await(mg, errors.New("Thing shop/basket does not exist")) }
	set := func(cs ...xpv2.Condition) func(*thing) { return func(mg *thing) { mg.SetConditions(cs...) } }
	cases := map[string]struct {
		reason string
		edit   []func(*thing)
		want   v1beta1.Summary
	}{
		"Unknown": {
			reason: "Nothing is known of it.",
			want:   v1beta1.Summary{Phase: v1beta1.PhasePending},
		},
		"Awaiting": {
			reason: "What is waited for is told, and is no failure.",
			edit:   []func(*thing){await, set(failed("cannot resolve references: Thing shop/basket does not exist"))},
			want:   v1beta1.Summary{Phase: v1beta1.PhasePending, Message: "cannot resolve references: Thing shop/basket does not exist"},
		},
		"AwaitingSomethingElse": {
			reason: "It is what is waited for now that counts.",
			edit: []func(*thing){set(condition.Creating(1, "Thing shop/basket does not exist")), func(mg *thing) {
				Await(mg, errors.New("Thing shop/basket is not there in AWS yet"))
			}, set(failed("cannot resolve references: Thing shop/basket is not there in AWS yet"))},
			want: v1beta1.Summary{Phase: v1beta1.PhasePending, Message: "cannot resolve references: Thing shop/basket is not there in AWS yet"},
		},
		"CreateFailed": {
			reason: "AWS refused it.",
			edit:   []func(*thing){set(condition.Creating(1, ""), failed("create failed: no such role"))},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseError, Message: "create failed: no such role"},
		},
		"Creating": {
			reason: "AWS's account of what it is at is no obstacle.",
			edit:   []func(*thing){set(condition.Creating(1, "The function is being created. (Creating)"), xpv2.ReconcileSuccess())},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseCreating},
		},
		"Available": {
			reason: "A remark on what is served is no obstacle.",
			edit:   []func(*thing){set(condition.Available(1).WithMessage("last result: no records"), xpv2.ReconcileSuccess())},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseAvailable},
		},
		"Updating": {
			reason: "It is on its way.",
			edit:   []func(*thing){set(condition.Updating(1, "changing memorySize"), xpv2.ReconcileSuccess())},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseUpdating},
		},
		"UpdateRefused": {
			reason: "AWS took no change.",
			edit:   []func(*thing){set(condition.Updating(1, "changing role"), failed("update failed: no such role"))},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseError, Message: "update failed: no such role"},
		},
		"UpdateFailed": {
			reason: "AWS took the change and failed.",
			edit:   []func(*thing){set(condition.Unavailable(1, "update failed: no such subnet"), xpv2.ReconcileSuccess())},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseError, Message: "update failed: no such subnet"},
		},
		"Unreadable": {
			reason: "What was available may not be any more.",
			edit:   []func(*thing){set(condition.Available(1), failed("observe failed: no credentials"))},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseError, Message: "observe failed: no credentials"},
		},
		"AvailableReferenceGone": {
			reason: "What was there once waits for nothing: something is broken.",
			edit:   []func(*thing){set(condition.Available(1)), await, set(failed("cannot resolve references: Thing shop/basket does not exist"))},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseError, Message: "cannot resolve references: Thing shop/basket does not exist"},
		},
		"Paused": {
			reason: "Nothing failed.",
			edit:   []func(*thing){set(condition.Available(1), xpv2.ReconcilePaused())},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseAvailable},
		},
		"Deleting": {
			reason: "The user wants it gone.",
			edit:   []func(*thing){set(condition.Deleting(1, ""), xpv2.ReconcileSuccess())},
			want:   v1beta1.Summary{Phase: v1beta1.PhaseDeleting},
		},
		"DeletionFailed": {
			reason: "It is still to go, and why it does not is told.",
			edit: []func(*thing){set(condition.Deleting(1, ""), failed("delete failed: not allowed")), func(mg *thing) {
				mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}},
			want: v1beta1.Summary{Phase: v1beta1.PhaseDeleting, Message: "delete failed: not allowed"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := newThing()
			for _, edit := range tc.edit {
				edit(mg)
			}
			if diff := cmp.Diff(tc.want, summarize(mg)); diff != "" {
				t.Errorf("%s\n-want +got: %s", tc.reason, diff)
			}
		})
	}
}

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
	if diff := cmp.Diff(v1beta1.Summary{Phase: v1beta1.PhaseAvailable}, h.stored().Status.Summary); diff != "" {
		t.Errorf("once it is there, -want +got: %s", diff)
	}
	h.delete()
	h.cloud.fail["Delete"] = errors.New("boom")
	h.reconcile()
	if got := h.stored().Status.Summary; got.Phase != v1beta1.PhaseDeleting || got.Message == "" {
		t.Errorf("a failed deletion: %+v", got)
	}
}
