package managed

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/kube"
)

// completeStatus is called with each status that the runtime is about to write. It
// returns false where the reconcile was held, so that nothing is to be said.
func completeStatus(m *memory, now func() time.Time) func(ctx context.Context, obj client.Object) bool {
	return func(ctx context.Context, obj client.Object) bool {
		t := turnOf(ctx)
		if _, held := t.Held(); held {
			return false
		}
		mg, ok := obj.(Managed)
		if !ok {
			return true
		}
		if t.deletion.Type != "" {
			mg.SetConditions(t.deletion)
		}
		if before, ok := kube.Read(ctx, client.ObjectKeyFromObject(obj)).(resource.Conditioned); ok {
			speakOfPresent(mg, before)
		}
		stall(m, mg, t, now())
		unknownYet(mg, t)
		if concluded(mg, t) {
			mg.SetObservedGeneration(mg.GetGeneration())
		}
		mg.SetSummary(summarize(mg))
		t.observe(mg.GetCondition(xpv2.TypeReady))
		return true
	}
}

// stall says that only the user can help, once an error has shown to be of that
// kind, and takes it back when there is none any more, when another spec fails for
// another reason, or when errors that pass by themselves have shown to be all that is left.
func stall(m *memory, mg Managed, t *Turn, now time.Time) {
	err, generation := t.failure(), mg.GetGeneration()
	c, shown := mg.GetCondition(condition.TypeStalled), func(c class) bool {
		return m.failures(client.ObjectKeyFromObject(mg), c)+1 >= stalledFailures
	}
	stalled := c.Status == corev1.ConditionTrue
	switch {
	case err != nil && classify(err) == terminal:
		if stalled || shown(terminal) {
			mg.SetConditions(condition.Stalled(generation, err.Error()))
		}
	case err != nil && classify(err) == ambiguous && overdue(m, mg, err, now):
		mg.SetConditions(condition.Stalled(generation, err.Error()))
	case stalled && (err == nil || c.ObservedGeneration != generation || shown(classify(err))):
		mg.SetConditions(condition.Proceeding(generation))
	}
}

// overdue says that an ambiguous error has had the time that it may take to pass, or
// that this generation has stalled before, as after a restart.
func overdue(m *memory, mg Managed, err error, now time.Time) bool {
	c := mg.GetCondition(condition.TypeStalled)
	if c.Status == corev1.ConditionTrue && c.ObservedGeneration == mg.GetGeneration() {
		return true
	}
	return m.doubt(client.ObjectKeyFromObject(mg), now) >= passesWithin(err)
}

// unknownYet says that a resource is not Ready which failed before its kind could say
// anything. Without a Ready condition, kstatus would take it for one that is.
func unknownYet(mg Managed, t *Turn) {
	if t.failure() != nil && mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionUnknown {
		mg.SetConditions(condition.Unavailable(mg.GetGeneration(), "nothing is known of it yet: see the condition Synced"))
	}
}

// concluded tells whether this generation has come to its end: AWS serves it, or
// says that it does not and waiting is of no use, or only the user can help.
func concluded(mg Managed, t *Turn) bool {
	if t.failure() != nil {
		c := mg.GetCondition(condition.TypeStalled)
		return c.Status == corev1.ConditionTrue && c.ObservedGeneration == mg.GetGeneration()
	}
	ready, synced := mg.GetCondition(xpv2.TypeReady), mg.GetCondition(xpv2.TypeSynced)
	if t.did != nothing || synced.Status != corev1.ConditionTrue || ready.ObservedGeneration != mg.GetGeneration() {
		return false
	}
	return ready.Status == corev1.ConditionTrue || ready.Reason == xpv2.ReasonUnavailable
}

// observe notes the Ready condition that is written.
func (t *Turn) observe(ready xpv2.Condition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready = ready
}
