package engine

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
)

// Reconcile reconciles a resource. It treats a panic as an error: the resource reports it,
// releases its reservations, and is retried with increasing delays. A call that was sent to
// AWS before the panic counts as unanswered, as if the process had ended.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (res ctrl.Result, err error) {
	ctx, span := r.Tracer.Start(ctx, "Reconcile "+r.kind.GVK.Kind, trace.WithNewRoot(), r.identifying(req))
	defer span.End()
	defer func() {
		if p := recover(); p != nil {
			res, err = r.panicked(ctx, req.NamespacedName, panics.New()), nil
		}
		if res.RequeueAfter > 0 {
			span.SetAttributes(keyRequeue.Float64(res.RequeueAfter.Seconds()))
		}
	}()
	return r.boundDeferral(ctx, req.NamespacedName, r.reconcile(ctx, req)), nil
}

// reconcile reconciles a resource, unless it has to wait. It returns no error: a failure is retried after a delay that
// depends on the error, which the queue's rate limiter would override.
func (r *reconciler) reconcile(ctx context.Context, req ctrl.Request) ctrl.Result {
	mg := r.kind.New()
	if err := r.kube.Get(ctx, req.NamespacedName, mg); err != nil {
		if kerrors.IsNotFound(err) {
			r.forget(req.NamespacedName)
			endSpan(ctx, outcomeGone)
			return ctrl.Result{}
		}
		return r.failedResult(ctx, req.NamespacedName, failed{err: errors.Wrap(err, "cannot get managed resource")})
	}
	annotateSpan(ctx, mg)
	if r.Shard.Drains(mg) {
		return r.drain(ctx, mg)
	}
	if wait := r.handover.Delay(mg); wait > 0 {
		return r.waits(ctx, outcomeWaiting, wait)
	}
	ctx = r.registerFields(ctx, mg)
	if awaitsFinalizers(mg) {
		return r.waits(ctx, outcomeWaiting, reconcile.MaxPending)
	}
	release, wait := r.enter(mg)
	defer release()
	if wait > 0 {
		return r.waits(ctx, outcomeWaiting, wait)
	}

	if known, _ := r.states.Get(req.NamespacedName); known.UID != "" && known.UID != mg.GetUID() {
		r.forgetEarlier(req.NamespacedName)
	}
	known := r.states.Begin(mg)
	p := r.newPass(mg, known)
	defer p.end()
	ctx = p.resolve(ctx)
	if spread := p.startDelay(ctx); spread > 0 {
		return r.waits(ctx, outcomeWaiting, spread)
	}
	if next, ok := p.unchanged(ctx); ok {
		endSpan(ctx, outcomeUnchanged)
		r.Metrics.RecordReconcile(r.kind.GVK.Kind, reporting.ResultOK)
		return ctrl.Result{RequeueAfter: next}
	}
	if r.kind.Outdate != nil && !known.Events.Received.IsZero() {
		r.kind.Outdate(mg.GetUID())
	}
	if wait = p.reserveReads(ctx); wait > 0 {
		return r.waits(ctx, outcomeDeferred, wait)
	}
	if open, ok := asCircuitOpen(p.unusable); ok && reportsOpen(mg, open) {
		return r.failedResult(ctx, req.NamespacedName, failed{err: open})
	}

	if mg.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionUnknown &&
		r.states.RecordDetection(req.NamespacedName) {
		r.Metrics.RecordDetection(r.kind.GVK.String(), r.Now().Sub(mg.GetCreationTimestamp().Time))
	}
	res, err := p.runtime(ctx).Reconcile(ctx, req)
	p.releaseQuota()
	if p.later == nil {
		r.states.MarkHandled(req.NamespacedName, known, r.Now())
		p.recordMetrics()
		p.watchLists()
		p.endClaim()
	}
	return p.outcome(ctx, res, err)
}

// resolve resolves the session of the resource, and returns a context in which calls are the resource's. A
// session that cannot be resolved is for the runtime to report.
func (p *pass) resolve(ctx context.Context) context.Context {
	mg := p.read
	if p.makesNoCall(mg) {
		p.Tenants.Release(p.kind.GVK.Kind, client.ObjectKeyFromObject(mg))
		return ctx
	}
	s, err := p.Resolver.Resolve(ctx, mg, p.kind.Region(mg))
	switch {
	case err != nil:
		err = p.pause(err)
	case s != nil:
		p.resolved = s
		p.Accounts.RecordUse(s)
		p.states.RecordSession(client.ObjectKeyFromObject(mg), s, string(mg.GetUID()))
		err = p.checkCircuit(mg, s)
	}
	if p.unusable = err; err != nil || s == nil {
		return ctx
	}
	q := quota.Caller{ID: string(mg.GetUID()), Tenant: mg.GetNamespace(), Priority: p.priority()}
	p.session, p.facts.Fresh = s, p.fresh(q.Priority)
	p.facts.ReserveFn = func(ops ...string) time.Duration { return p.Limiter.Reserve(s.Scope, q, ops...) }
	return quota.WithCaller(ctx, q)
}

// releaseQuota releases the calls that were reserved and not made.
func (p *pass) releaseQuota() {
	if p.session != nil {
		p.Limiter.Release(p.session.Scope, string(p.read.GetUID()))
	}
}

// reserveReads reserves the calls of one observation, and those that earlier reconciles waited
// for. It returns how long to wait for them.
func (p *pass) reserveReads(ctx context.Context) time.Duration {
	if p.facts.ReserveFn == nil || p.circuitWait > 0 {
		return p.circuitWait
	}
	ops := append(slices.Clone(p.kind.Reads(p.read)), p.known.DeferredOps...)
	wait := p.facts.ReserveFn(ops...)
	if wait > 0 {
		addDeferredEvent(ctx, wait, ops...)
	}
	return wait
}

// awaitsFinalizers reports whether a resource that is being deleted waits for finalizers of others.
// It is enqueued when another controller removes its finalizer.
func awaitsFinalizers(mg reconcile.Managed) bool {
	return meta.WasDeleted(mg) && len(mg.GetFinalizers()) > 1
}

// startDelay returns how long not to reconcile a resource yet after a start. Steady resources are
// polled as if the provider had not stopped, unless what they refer to may have changed meanwhile.
// A resource without a session, as while many wait for STS, has not started.
func (p *pass) startDelay(ctx context.Context) time.Duration {
	mg, known, s := p.read, p.known, p.resolved
	if known.Requester != "" || s == nil || known.Changes > 0 || !known.Events.Received.IsZero() ||
		!reconcile.Steady(mg) || !p.references.unchanged(ctx, mg, s) {
		return 0
	}
	if p.listable(mg) {
		p.Lists.Watch(mg.GetUID(), s, p.kind.Listed(mg), time.Time{}, p.enqueue(mg))
		p.states.RecordWatched(client.ObjectKeyFromObject(mg), known)
	}
	requested, _ := meta.GetPollInterval(mg)
	return delay.Spread(string(mg.GetUID()), p.poll().Effective(requested))
}

// priority returns the priority of a resource's calls: changes by the user take precedence
// over polls, unless they have failed so often that nobody is waiting for the next attempt.
func (p *pass) priority() quota.Priority {
	mg, known := p.read, p.known
	waiting := known.IsChanged() || meta.WasDeleted(mg) || reconcile.Requested(mg) || !reconcile.IsReconciled(mg)
	if waiting && known.Failures < backoff.PriorityFailures {
		return quota.User
	}
	return quota.Poll
}

// recent is the maximum age of a cached answer that counts as current.
const recent = 2 * time.Second

// fresh returns how old a cached answer that another resource requested may be: at most half the interval that the
// resource requests itself, and not from before the last event about it.
func (p *pass) fresh(priority quota.Priority) readcache.Freshness {
	mg, known := p.read, p.known
	age := max(p.poll().Interval/2, p.kind.PollAge) //nolint:mnd // So drift is seen after 1.5 intervals as a rule.
	if requested, ok := meta.GetPollInterval(mg); ok {
		age = min(age, p.poll().Effective(requested)/2) //nolint:mnd // As above.
	}
	switch {
	case reconcile.Requested(mg):
		age = 0
	case priority == quota.User, !reconcile.Steady(mg):
		age = min(age, recent)
	}
	now := p.Now()
	f := readcache.Freshness{Now: now, Since: now.Add(-age)}
	if known.Events.Received.After(f.Since) {
		f.Since = known.Events.Received
	}
	return f
}

// outcome returns when the resource is reconciled next, given what the runtime has returned.
func (p *pass) outcome(ctx context.Context, res ctrl.Result, err error) ctrl.Result {
	key := client.ObjectKeyFromObject(p.read)
	endSpan(ctx, p.spanOutcome())
	if p.later != nil {
		if !p.dropsStatus() {
			p.recorder.Finish(p.read, p.out.Events, p.ready, false)
		}
		p.states.RecordDeferred(key, p.later.Operations)
		wait := p.later.After
		if p.later.Throttled {
			wait = max(wait, backoff.ThrottledDelay(p.states.CountThrottle(key)))
		}
		return p.waitingResult(wait)
	}
	outdated := p.outdated(key, res, err)
	if !outdated || p.did != "" {
		p.recorder.Finish(p.read, p.out.Events, p.ready, p.err != nil || p.missing(p.read) != "")
	}
	if outdated {
		return p.waitingResult(p.conflictDelay())
	}
	if err == nil { // The runtime has written the status.
		for _, f := range p.out.Stored {
			f(ctx)
		}
	}
	if failure := p.failure(res, err); failure != nil {
		f := failed{err: failure, changing: p.changing}
		if err == nil { // Without its status, the next reconcile would repeat this one.
			f.within = p.out.RetryWithin
		}
		return p.failedResult(ctx, key, f)
	}
	if !p.retries() {
		p.states.RecordSuccess(key, p.did != "" || p.ready.Status == corev1.ConditionTrue)
	}
	p.Metrics.RecordReconcile(p.kind.GVK.Kind, reporting.ResultOK)
	return p.pollResult(res)
}

// outdated reports whether a reconcile has ended because the resource changed after it was read, or another process has
// written its status. The next reconcile reads it live.
func (p *pass) outdated(key types.NamespacedName, res ctrl.Result, err error) bool {
	ended := res.Requeue || kerrors.IsConflict(err) //nolint:staticcheck // The runtime still uses it.
	return ended && p.err == nil && p.kube.Outdated(key)
}

// failure returns the error of a reconcile. The runtime reports some errors only by asking to requeue.
func (p *pass) failure(res ctrl.Result, err error) error {
	switch {
	case p.err != nil:
		return p.err
	case err != nil:
		return err
	case !res.Requeue, p.did != "": //nolint:staticcheck // The runtime still uses it.
		return nil
	}
	return errors.New("the runtime could not finish the reconcile")
}

func (p *pass) recordMetrics() {
	mg := p.read
	key := client.ObjectKeyFromObject(mg)
	if p.makesNoCall(mg) || meta.WasDeleted(mg) {
		p.states.ForgetDrift(key)
		return
	}
	drift := p.states.RecordComparison(mg, memory.CompareResult{
		State: p.out.State, MayUpdate: p.out.MayUpdate, Did: p.did, UpToDate: p.upToDate(), Failed: p.err != nil,
		Since: p.facts.Fresh.Since, Now: p.Now(),
	}, p.known)
	if !drift.Compared.IsZero() {
		p.Metrics.RecordDifference(p.kind.GVK.String(), p.Now().Sub(drift.Compared))
	}
	p.Metrics.RecordDrift(p.kind.GVK.Kind, drift)
	if p.ready.Status == corev1.ConditionTrue && p.err == nil && p.states.RecordReady(key) {
		p.Metrics.RecordReady(p.kind.GVK, p.Now().Sub(mg.GetCreationTimestamp().Time))
	}
}

// forget removes all state of a resource that does not exist any more.
func (r *reconciler) forget(key types.NamespacedName) {
	r.forgetEarlier(key)
	r.kube.Forget(key)
	r.handover.Forget(key)
	if r.kind.Fields != nil {
		r.Fields.Refer(r.user(key), nil)
	}
}

// forgetEarlier removes what is remembered of a resource that does not exist any more, although another one may have
// its name.
func (r *reconciler) forgetEarlier(key types.NamespacedName) {
	known := r.states.Forget(key)
	if known.Requester != "" {
		r.Limiter.Forget(known.Scope, known.Requester)
	}
	if known.UID != "" && r.kind.Forget != nil {
		r.kind.Forget(known.UID)
	}
	r.Lists.Forget(known.UID)
	r.Tenants.Forget(r.kind.GVK.Kind, key)
	r.recorder.Forget(key)
}

// registerFields registers the fields that a resource refers to with the field reader, which
// only watches those. It returns a context in which fields are read for this resource.
func (r *reconciler) registerFields(ctx context.Context, mg reconcile.Managed) context.Context {
	if r.kind.Fields == nil {
		return ctx
	}
	u := r.user(client.ObjectKeyFromObject(mg))
	r.Fields.Refer(u, r.kind.Fields(mg))
	return refs.WithUser(ctx, u)
}

func (r *reconciler) user(name types.NamespacedName) refs.User {
	return refs.User{Kind: r.kind.GVK.Kind, NamespacedName: name}
}
