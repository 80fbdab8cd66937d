package engine

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
)

// completeStatus completes each status that the runtime is about to write. The status is dropped if the reconcile
// leaves no trace, and may be deferred for a while.
func (p *pass) completeStatus(obj client.Object) kube.StatusAction {
	if p.dropsStatus() {
		return kube.DropStatus
	}
	mg := obj.(reconcile.Managed) //nolint:forcetypeassert // A View completes the status of no other object.
	if p.leavesNoTrace() {
		mg.SetConditions(p.read.GetCondition(xpv2.TypeSynced)) // That a call is made later is no error.
	}
	if p.retries() {
		p.ready = p.read.GetCondition(xpv2.TypeReady)
		mg.SetConditions(p.read.GetCondition(xpv2.TypeSynced), p.ready)
		return kube.WriteStatus
	}
	if p.concludes() {
		mg.SetConditions(p.result.Ready)
	}
	if missing := p.missing(mg); missing != "" {
		mg.SetConditions(xpv2.ReconcileError(errors.New(missing)).WithObservedGeneration(mg.GetGeneration()))
	}
	setStalled(p.states, mg, p.err, p.Now())
	f := p.decisionInput(mg)
	d := reconcile.Decide(f)
	if d.Ready.Type != "" {
		mg.SetConditions(d.Ready)
	}
	mg.SetObservedGeneration(d.Observed)
	mg.SetSummary(v1beta1.Summary{
		Phase: d.Phase, Message: d.Message, Differences: p.differences(mg), ReconciledGeneration: d.Reconciled,
		ReferencesFingerprint: cmp.Or(p.fingerprint, mg.GetSummary().ReferencesFingerprint),
		AccountID:             cmp.Or(p.usedAccount(mg), mg.GetSummary().AccountID),
	})
	if !f.Paused {
		reconcile.SetAdvisory(mg, p.out.Sizes, p.Now())
	}
	p.ready = mg.GetCondition(xpv2.TypeReady)
	if p.StatusDelay > 0 && p.mayDefer(mg, f, d) {
		return kube.DeferStatus
	}
	return kube.WriteStatus
}

// decisionInput returns what the status of a resource is derived from.
func (p *pass) decisionInput(mg reconcile.Managed) reconcile.Input {
	f := reconcile.Input{
		Generation: mg.GetGeneration(),
		Deleted:    meta.WasDeleted(mg),
		Paused:     mg.GetCondition(xpv2.TypeSynced).Reason == xpv2.ReasonReconcilePaused,
		Ready:      mg.GetCondition(xpv2.TypeReady),
		Changed:    p.did != "" && !p.concludes(),
		Unseen:     reconcile.Unseen(mg),
		WaitsFor:   p.result.Ready.Message,
		Observed:   mg.GetObservedGeneration(),
		Reconciled: reconcile.ReconciledGeneration(mg),
	}
	if d := p.out.Differences; d != nil {
		f.Differs = reconcile.WithOrigin(d.Message, p.facts.Origin, p.facts.ReadyBefore.Message)
	}
	if f.Ready.Status == corev1.ConditionUnknown {
		f.Ready = xpv2.Condition{} // GetCondition returns an Unknown condition if there is none.
	}
	f.Failure, f.Error = failureOf(mg, p.err, p.awaits)
	return f
}

// failureOf returns the kind of failure of a reconcile, and its error. Some errors of the
// runtime are only in the condition Synced.
func failureOf(mg reconcile.Managed, err error, awaits bool) (reconcile.Failure, string) {
	synced, stalled := mg.GetCondition(xpv2.TypeSynced), mg.GetCondition(v1beta1.TypeStalled)
	switch {
	case err == nil && synced.Reason == xpv2.ReasonReconcileError:
		return reconcile.Refused, synced.Message
	case err == nil:
		return reconcile.Succeeded, ""
	case stalled.Status == corev1.ConditionTrue && stalled.ObservedGeneration == mg.GetGeneration():
		return reconcile.Stuck, err.Error()
	case awaits:
		return reconcile.Awaited, err.Error()
	case backoff.Classify(err) == backoff.Transient:
		return reconcile.Passing, err.Error()
	}
	return reconcile.Refused, err.Error()
}

// differences returns the differences found by this reconcile, or those of the last one if this one did not compare.
func (p *pass) differences(mg reconcile.Managed) []v1beta1.Difference {
	switch {
	case meta.WasDeleted(mg):
		return nil
	case p.out.Differences != nil:
		return p.out.Differences.List
	}
	return mg.GetSummary().Differences
}

// setStalled sets the condition Stalled to True once enough consecutive errors show that only the user can help, or
// after a rollout has failed. It sets it to False when there is no error, when a new spec fails for another reason, or
// when enough consecutive errors of another class have occurred.
func setStalled(s *memory.Store, mg reconcile.Managed, err error, now time.Time) {
	generation := mg.GetGeneration()
	c, shown := mg.GetCondition(v1beta1.TypeStalled), func(c backoff.Class) bool {
		return s.FailuresOf(client.ObjectKeyFromObject(mg), c)+1 >= backoff.StalledFailures
	}
	stalled := c.Status == corev1.ConditionTrue
	switch ready := mg.GetCondition(xpv2.TypeReady); {
	case err == nil && ready.Reason == v1beta1.ReasonRolledBack && !meta.WasDeleted(mg):
		mg.SetConditions(reconcile.NewCondition(v1beta1.TypeStalled, corev1.ConditionTrue, ready.Reason, generation,
			ready.Message)) // Only the user can publish another version.
	case err != nil && backoff.Classify(err) == backoff.Terminal:
		if stalled || shown(backoff.Terminal) {
			mg.SetConditions(reconcile.Stalled(generation, err.Error()))
		}
	case err != nil && backoff.Classify(err) == backoff.Ambiguous && overdue(s, mg, err, now):
		mg.SetConditions(reconcile.Stalled(generation, err.Error()))
	case stalled && (err == nil || c.ObservedGeneration != generation || shown(backoff.Classify(err))):
		mg.SetConditions(reconcile.Proceeding(generation))
	}
}

// overdue reports whether the grace period of an ambiguous error has passed, or this
// generation was Stalled before, as after a restart.
func overdue(s *memory.Store, mg reconcile.Managed, err error, now time.Time) bool {
	c := mg.GetCondition(v1beta1.TypeStalled)
	if c.Status == corev1.ConditionTrue && c.ObservedGeneration == mg.GetGeneration() {
		return true
	}
	return s.AmbiguousFor(client.ObjectKeyFromObject(mg), now) >= backoff.GracePeriod(err)
}

// StatusDelay is the default of Options.StatusDelay. Most creations in AWS take less.
const StatusDelay = 5 * time.Second

// mayDefer reports whether a status may be deferred: it only says that the resource is being created, or what it waits
// for, and the stored one does not say more.
func (p *pass) mayDefer(mg reconcile.Managed, f reconcile.Input, d reconcile.Decision) bool {
	if f.Deleted || f.Paused || d.Ready.Reason != xpv2.ReasonCreating || p.storesNow() {
		return false
	}
	if f.Failure != reconcile.Succeeded && f.Failure != reconcile.Awaited ||
		mg.GetCondition(v1beta1.TypeStalled).Status == corev1.ConditionTrue {
		return false
	}
	return reconcile.NotCreated(p.read)
}

// boundDeferral bounds the time for which a status is deferred: it writes the status if it has been deferred long
// enough, and requeues the resource no later than that. If it cannot be written, the resource is requeued ever later,
// because each reconcile may call AWS.
func (r *reconciler) boundDeferral(ctx context.Context, key client.ObjectKey, res ctrl.Result) ctrl.Result {
	since, ok := r.kube.DeferredSince(key, r.Now())
	if !ok {
		return res
	}
	passed := r.Now().Sub(since)
	left := r.StatusDelay - passed
	if left <= 0 {
		left = reconcile.WokenDelay(passed)
		err := r.kube.WriteDeferred(ctx, key)
		if err == nil {
			return res
		}
		r.log.Info("Cannot write the status", "name", key, "error", err)
	}
	if res.RequeueAfter == 0 || res.RequeueAfter > left {
		res.RequeueAfter = max(left, reconcile.AtOnce)
	}
	return res
}
