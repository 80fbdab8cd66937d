package reconcile

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
)

// A reconciler decides when the managed reconciler of the runtime runs, and when a resource is
// reconciled next.
type reconciler[T Managed] struct {
	kind     Kind[T]
	kube     *kube.Client
	inner    reconcile.Reconciler
	limiter  Limiter
	resolver Resolver
	recorder *recorder
	states   *stateStore
	traces   *traces
	fields   *refs.FieldReader
	tenants  *tenancy.Registry
	poll     Poll
	metrics  *Metrics
	inFlight *inFlight
	breakers *breaker.Breakers
	events   DriftEvents
	referral *referral[T]
	lists    *listpoll.Poller
	shard    sharding.Shard
	handover *handover
	queue    workQueue
	policies bool
	delay    time.Duration
	timeout  time.Duration
	now      func() time.Time
	random   func() float64
	log      logging.Logger
}

// reconcile reconciles a resource, unless it has to wait. It returns no error: a failure is
// retried after a delay that depends on the error, which the queue's rate limiter would
// override.
func (r *reconciler[T]) reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	mg := r.kind.New()
	if err := r.kube.Get(ctx, req.NamespacedName, mg); err != nil {
		if kerrors.IsNotFound(err) {
			r.forget(req.NamespacedName)
			endSpan(ctx, outcomeGone)
			return reconcile.Result{}, nil
		}
		return r.failedResult(ctx, req.NamespacedName, &Attempt{}, errors.Wrap(err, "cannot get managed resource")), nil
	}
	annotateSpan(ctx, mg)
	if r.shard.Drains(mg) {
		return r.drain(ctx, mg), nil
	}
	if wait := r.handover.delay(mg); wait > 0 {
		endSpan(ctx, outcomeWaiting)
		return r.waitingResult(wait), nil
	}
	ctx = r.registerFields(ctx, mg)

	if awaitsFinalizers(mg) {
		endSpan(ctx, outcomeWaiting)
		return r.waitingResult(MaxPending), nil
	}
	release, wait := r.enter(mg)
	defer release()
	if wait > 0 {
		endSpan(ctx, outcomeWaiting)
		return r.waitingResult(wait), nil
	}

	known, first := r.states.begin(mg)
	a := &Attempt{AnnotateFn: r.kube.Annotate, IntentRecorder: r.kube.AnnotateIfUnchanged, Calls: known.calls, cause: known.cause(mg), origin: known.originOf(mg), readyBefore: mg.GetCondition(xpv2.TypeReady), throttlesBefore: known.throttled}
	defer a.end()
	ctx = WithAttempt(kube.WithRead(ctx, mg), a)
	ctx = r.resolve(ctx, mg, a, known)
	if spread := r.startDelay(ctx, mg, known, first); spread > 0 {
		endSpan(ctx, outcomeWaiting)
		return r.waitingResult(spread), nil
	}
	if next, ok := r.unchanged(ctx, mg, known); ok {
		endSpan(ctx, outcomeUnchanged)
		r.metrics.recordReconcile(r.kind.GVK.Kind, resultOK)
		return reconcile.Result{RequeueAfter: next}, nil
	}
	if wait = r.reserve(ctx, mg, a, known); wait > 0 {
		endSpan(ctx, outcomeDeferred)
		return r.waitingResult(wait), nil
	}

	if open, ok := asCircuitOpen(resolveError(ctx)); ok && reports(mg, open) {
		return r.failedResult(ctx, req.NamespacedName, a, open), nil
	}

	r.recordDetection(mg)
	r.recorder.begin(req.NamespacedName, a)
	res, err := r.inner.Reconcile(ctx, req)
	r.recorder.end(req.NamespacedName)
	a.release()
	if _, aborted := a.Aborted(); !aborted {
		r.states.markHandled(req.NamespacedName, known.changeMarks)
		r.states.markEventHandled(req.NamespacedName, known.events.received, r.now())
		r.recordMetrics(mg, a, known)
		r.watch(ctx, mg, a, known)
		r.endClaim(mg, a)
	}
	return r.result(ctx, mg, a, res, err), nil
}

// resolve returns a context with the session of a resource, whose calls are the resource's. A
// session that cannot be resolved is for the runtime to report.
func (r *reconciler[T]) resolve(ctx context.Context, mg T, a *Attempt, known resourceState) context.Context {
	if r.makesNoCall(mg) {
		r.tenants.Release(r.kind.GVK.Kind, client.ObjectKeyFromObject(mg))
		return ctx
	}
	s, err := r.resolver.Resolve(ctx, mg, r.kind.Region(mg))
	if err == nil {
		err = r.checkCircuit(mg, s, a)
	}
	ctx = withSession(ctx, s, err)
	if err != nil {
		return ctx
	}
	h := quota.Requester{ID: string(mg.GetUID()), Tenant: mg.GetNamespace(), Priority: r.priority(mg, known)}
	a.Freshness, a.session = r.fresh(mg, h.Priority, known), s
	r.states.recordSession(client.ObjectKeyFromObject(mg), s, h.ID)
	a.ReserveFn = func(ops ...string) time.Duration { return r.limiter.Reserve(s.Scope, h, ops...) }
	a.releaseFn = func() { r.limiter.Release(s.Scope, h.ID) }
	return quota.WithRequester(ctx, h)
}

// reserve reserves the calls of one observation, and those that the last reconcile was aborted
// for. It returns how long to wait for them.
func (r *reconciler[T]) reserve(ctx context.Context, mg T, a *Attempt, known resourceState) time.Duration {
	if a.ReserveFn == nil || a.circuitWait > 0 {
		return a.circuitWait
	}
	ops := append(slices.Clone(r.kind.Reads(mg)), known.deferredOps...)
	wait := a.ReserveFn(ops...)
	if wait > 0 {
		addDeferredEvent(ctx, wait, ops...)
	}
	return wait
}

// awaitsFinalizers returns whether a resource that is being deleted waits for finalizers of others.
// It is enqueued when another controller removes its finalizer.
func awaitsFinalizers(mg Managed) bool { return meta.WasDeleted(mg) && len(mg.GetFinalizers()) > 1 }

// startDelay returns how long not to reconcile a resource yet after a start. Settled resources are
// polled as if the provider had not stopped, unless what they refer to may have changed meanwhile.
func (r *reconciler[T]) startDelay(ctx context.Context, mg T, known resourceState, first bool) time.Duration {
	s, err := sessionOf(ctx)
	if !first || err != nil || known.isChanged() || !known.events.received.IsZero() || known.backoffReset || !settled(mg) || !r.referral.unchanged(ctx, mg, s) {
		return 0
	}
	if r.listable(mg) {
		r.lists.Watch(mg.GetUID(), s, r.kind.Listed(mg), time.Time{}, r.enqueue(mg))
		r.states.recordWatched(client.ObjectKeyFromObject(mg), known)
	}
	requested, _ := meta.GetPollInterval(mg)
	return delay.Spread(string(mg.GetUID()), r.poll.Effective(requested))
}

// makesNoCall returns whether the runtime will make no AWS call at all.
func (r *reconciler[T]) makesNoCall(mg T) bool {
	p := managed.NewManagementPoliciesResolver(r.policies, mg.GetManagementPolicies())
	return meta.IsPaused(mg) || p.IsPaused() || p.Validate() != nil || (meta.WasDeleted(mg) && !p.ShouldDelete())
}

// priority returns the priority of a resource's calls: changes by the user take precedence
// over polls, unless they have failed so often that nobody is waiting for the next attempt.
func (r *reconciler[T]) priority(mg T, known resourceState) quota.Priority {
	waiting := known.isChanged() || meta.WasDeleted(mg) || requested(mg) || !Settled(mg)
	if waiting && known.failures < priorityFailures {
		return quota.User
	}
	return quota.Poll
}

// recent is the maximum age of a cached answer that counts as current.
const recent = 2 * time.Second

// fresh returns how old a cached answer that another resource requested may be. It is not from before the last event about
// the resource.
func (r *reconciler[T]) fresh(mg T, p quota.Priority, known resourceState) readcache.Freshness {
	age := r.poll.Interval / 2 //nolint:mnd // Drift is seen after one and a half intervals at most.
	switch {
	case requested(mg):
		age = 0
	case p == quota.User, !settled(mg):
		age = min(age, recent)
	}
	now := r.now()
	f := readcache.Freshness{Now: now, Since: now.Add(-age)}
	if known.events.received.After(f.Since) {
		f.Since = known.events.received
	}
	return f
}

// result returns when the resource is reconciled next.
func (r *reconciler[T]) result(ctx context.Context, mg T, a *Attempt, res reconcile.Result, err error) reconcile.Result {
	key := client.ObjectKeyFromObject(mg)
	endSpan(ctx, a.outcome())
	if wait, aborted := a.Aborted(); aborted {
		r.states.recordDeferred(key, a.deferredOps)
		if a.throttled {
			wait = max(wait, throttled(r.states.countThrottle(key)))
		}
		return r.waitingResult(wait)
	}
	if r.outdated(key, a, res) {
		return r.waitingResult(minRequeueAfter)
	}
	r.recorder.finish(mg, a)
	if err == nil { // The runtime has written the status.
		a.Stored(ctx)
	}

	if failure := r.failure(a, res, err); failure != nil {
		return r.failedResult(ctx, key, a, failure)
	}
	r.states.recordSuccess(key, a.action != actionNone || a.ready.Status == corev1.ConditionTrue)
	r.metrics.recordReconcile(r.kind.GVK.Kind, resultOK)
	return r.pollResult(mg, a, res)
}

// outdated returns whether a reconcile has ended without an action because the resource
// changed after it was read. The next reconcile reads it live.
func (r *reconciler[T]) outdated(key types.NamespacedName, a *Attempt, res reconcile.Result) bool {
	return res.Requeue && a.action == actionNone && a.failure() == nil && r.kube.Outdated(key) //nolint:staticcheck // The runtime still uses it.
}

// failure returns the error of a reconcile. The runtime reports some errors only by asking to
// requeue.
func (r *reconciler[T]) failure(a *Attempt, res reconcile.Result, err error) error {
	switch {
	case a.failure() != nil:
		return a.failure()
	case err != nil:
		return err
	case !res.Requeue: //nolint:staticcheck // The runtime still uses it.
		return nil
	case a.action != actionNone:
		return nil
	}
	return errors.New("the runtime could not finish the reconcile")
}

// pollResult returns when a resource without an error is reconciled next.
func (r *reconciler[T]) pollResult(mg T, a *Attempt, res reconcile.Result) reconcile.Result {
	switch {
	case res.IsZero():
		return res
	case a.requeueAfter > 0:
		return reconcile.Result{RequeueAfter: a.requeueAfter}
	case meta.WasDeleted(mg):
		return reconcile.Result{RequeueAfter: PendingDelay(r.now().Sub(mg.GetDeletionTimestamp().Time))}
	case a.action != actionNone, res.Requeue: //nolint:staticcheck // As above.
		return reconcile.Result{RequeueAfter: MinPending}
	case InMotion(a.ready):
		return reconcile.Result{RequeueAfter: PendingDelay(r.now().Sub(a.ready.LastTransitionTime.Time))}
	}
	requested, _ := meta.GetPollInterval(mg)
	return reconcile.Result{RequeueAfter: r.poll.Jittered(r.pollInterval(mg, a, requested), r.random())}
}

// failedResult records the error of a reconcile, and returns when to retry it.
func (r *reconciler[T]) failedResult(ctx context.Context, key types.NamespacedName, a *Attempt, err error) reconcile.Result {
	c := classify(err)
	r.metrics.recordReconcile(r.kind.GVK.Kind, c.result())
	after := r.backoff(key, a, c, err)
	if a.retryWithin > 0 {
		after = min(after, a.retryWithin)
	}
	endSpanWithError(ctx, c, err)
	r.logPanic(key, err)
	r.log.WithValues("request", reconcile.Request{NamespacedName: key}).Debug("Reconcile failed", "error", err, "requeue-after", after)
	return reconcile.Result{RequeueAfter: after}
}

// waitingResult returns the result of a reconcile that has to wait.
func (r *reconciler[T]) waitingResult(wait time.Duration) reconcile.Result {
	r.metrics.recordReconcile(r.kind.GVK.Kind, resultWaiting)
	return reconcile.Result{RequeueAfter: wait}
}

// recordMetrics records the result of a reconcile in the metrics.
func (r *reconciler[T]) recordMetrics(mg T, a *Attempt, known resourceState) {
	kind, key := r.kind.GVK.Kind, client.ObjectKeyFromObject(mg)
	if r.makesNoCall(mg) || meta.WasDeleted(mg) {
		r.states.forgetDrift(key)
		return
	}
	c, _ := a.SyncState()
	r.recordDrift(mg, c)
	r.metrics.recordDrift(kind, r.states.recordComparison(mg, a, known))
	if a.ready.Status == corev1.ConditionTrue && a.failure() == nil && r.states.recordReady(key) {
		r.metrics.recordReady(r.kind.GVK, r.now().Sub(mg.GetCreationTimestamp().Time))
	}
}

// forget removes all state of a resource that does not exist any more.
func (r *reconciler[T]) forget(key types.NamespacedName) {
	known, ok := r.states.forget(key)
	if ok && known.requester != "" {
		r.limiter.Forget(known.scope, known.requester)
	}
	if ok && r.kind.Forget != nil {
		r.kind.Forget(known.uid)
	}
	r.lists.Forget(known.uid)
	r.kube.Forget(key)
	r.handover.forget(key)
	r.tenants.Forget(r.kind.GVK.Kind, key)
	if r.kind.Fields != nil {
		r.fields.Refer(r.user(key), nil)
	}
	r.recorder.forget(key)
}

// settled returns whether the resource was Ready and up to date in its last reconcile, and the
// user has requested nothing since.
func settled(mg Managed) bool {
	return !meta.WasDeleted(mg) && !requested(mg) &&
		Settled(mg) && mg.GetCondition(xpv2.TypeReady).ObservedGeneration == mg.GetGeneration() &&
		mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue &&
		mg.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue
}

// requested returns whether the user has requested a reconcile that is yet to happen.
func requested(mg Managed) bool {
	token, ok := meta.GetReconcileRequest(mg)
	return ok && token != mg.GetLastHandledReconcileAt()
}

type sessionKey struct{}

type resolved struct {
	session *session.Session
	err     error
}

// withSession returns a context that carries the resolved session, or the error, to the
// connector.
func withSession(ctx context.Context, s *session.Session, err error) context.Context {
	return context.WithValue(ctx, sessionKey{}, resolved{session: s, err: err})
}

// sessionOf returns the session that the reconciler has resolved.
func sessionOf(ctx context.Context) (*session.Session, error) {
	r, ok := ctx.Value(sessionKey{}).(resolved)
	if !ok {
		return nil, errors.New("no AWS configuration was resolved for this reconcile")
	}
	return r.session, r.err
}
