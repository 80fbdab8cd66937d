package managed

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
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/cadence"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// A gate decides when the managed reconciler behind it runs, and when it runs next.
type gate[T Managed] struct {
	kind     Kind[T]
	kube     *kube.Client
	inner    reconcile.Reconciler
	limiter  Limiter
	resolver Resolver
	recorder *recorder
	memory   *memory
	traces   *traces
	fields   *fields.Reader
	tenants  *tenancy.Book
	poll     cadence.Poll
	metrics  *Metrics
	inFlight *inFlight
	breakers *breaker.Breakers
	policies bool
	now      func() time.Time
	random   func() float64
	log      logging.Logger
}

// reconcile a resource, if it is its turn. It returns no error: what failed is
// tried again at the time that the error is worth, which the queue must not change.
func (g *gate[T]) reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	mg := g.kind.New()
	if err := g.kube.Get(ctx, req.NamespacedName, mg); err != nil {
		if kerrors.IsNotFound(err) {
			g.forget(req.NamespacedName)
			ended(ctx, outcomeGone)
			return reconcile.Result{}, nil
		}
		return g.failed(ctx, req.NamespacedName, &Turn{}, errors.Wrap(err, "cannot get managed resource")), nil
	}
	looked(ctx, mg)
	ctx = g.refer(ctx, mg)

	known, first := g.memory.look(mg)
	if wait := g.waits(mg, known, first); wait > 0 {
		ended(ctx, outcomeWaiting)
		return g.waiting(wait), nil
	}

	leave, wait := g.enter(mg)
	defer leave()
	if wait > 0 {
		ended(ctx, outcomeWaiting)
		return g.waiting(wait), nil
	}

	t := &Turn{Annotator: g.kube.Annotate, Intender: g.kube.Intend, Attempts: known.attempts, cause: known.because(mg), throttles: known.throttled}
	defer t.left()
	ctx = WithTurn(kube.WithRead(ctx, mg), t)
	ctx, wait = g.admit(ctx, mg, t, known)
	if wait > 0 {
		ended(ctx, outcomeDeferred)
		return g.waiting(wait), nil
	}

	if open, ok := asOpen(unresolved(ctx)); ok && says(mg, open) {
		return g.failed(ctx, req.NamespacedName, t, open), nil
	}

	g.detect(mg)
	g.recorder.begin(req.NamespacedName, t)
	res, err := g.inner.Reconcile(ctx, req)
	g.recorder.end(req.NamespacedName)
	t.release()
	if _, held := t.Held(); !held {
		g.memory.served(req.NamespacedName, known.pokes)
		g.measure(mg, t, known)
	}
	return g.next(ctx, mg, t, res, err), nil
}

// admit resolves the configuration of a resource and reserves the calls of one look
// at it, and of what the last look was held for. It returns how long to wait for
// them. A configuration that cannot be resolved is for the runtime to report.
func (g *gate[T]) admit(ctx context.Context, mg T, t *Turn, known record) (context.Context, time.Duration) {
	if g.free(mg) {
		return ctx, 0
	}
	s, err := g.resolver.Resolve(ctx, mg, g.kind.Region(mg))
	if err == nil {
		err = g.reach(s, t)
	}
	ctx = withSession(ctx, s, err)
	if err != nil {
		return ctx, 0
	}
	h := quota.Holder{ID: string(mg.GetUID()), Tenant: mg.GetNamespace(), Priority: g.priority(mg, known)}
	t.Fresh = g.fresh(mg, h.Priority)
	g.memory.holds(client.ObjectKeyFromObject(mg), s.Scope, h.ID)
	t.Reserver = func(ops ...string) time.Duration { return g.limiter.Reserve(s.Scope, h, ops...) }
	t.releaser = func() { g.limiter.Release(s.Scope, h.ID) }
	ops := append(slices.Clone(g.kind.Reads(mg)), known.wanted...)
	wait := t.Reserver(ops...)
	if wait > 0 {
		deferred(ctx, wait, ops...)
	}
	return quota.WithHolder(ctx, h), wait
}

// waits is how long a resource is not to be looked at for reasons of its own.
func (g *gate[T]) waits(mg T, known record, first bool) time.Duration {
	if meta.WasDeleted(mg) && len(mg.GetFinalizers()) > 1 {
		// Others have to finish first. Their going is an event.
		return cadence.MaxPending
	}
	if first && !known.poked() && !known.renewed && settled(mg) && g.refersToNothing(mg) {
		// After a start, what was in order is polled at the pace at which it would have
		// been, had the provider not stopped. What it refers to may have changed
		// meanwhile, so those that refer to anything do not wait.
		asked, _ := meta.GetPollInterval(mg)
		return cadence.Spread(string(mg.GetUID()), g.poll.Effective(asked))
	}
	return 0
}

func (g *gate[T]) refersToNothing(mg T) bool {
	return (g.kind.Refs == nil || len(g.kind.Refs(mg)) == 0) && (g.kind.Fields == nil || len(g.kind.Fields(mg)) == 0)
}

// free tells whether the runtime will make no AWS call at all.
func (g *gate[T]) free(mg T) bool {
	p := xpmanaged.NewManagementPoliciesResolver(g.policies, mg.GetManagementPolicies())
	return meta.IsPaused(mg) || p.IsPaused() || p.Validate() != nil || (meta.WasDeleted(mg) && !p.ShouldDelete())
}

// priority of a resource: the user's changes go before polls, unless they have
// failed so often that nobody is waiting for the next try.
func (g *gate[T]) priority(mg T, known record) quota.Priority {
	waiting := known.poked() || meta.WasDeleted(mg) || requested(mg) || !Settled(mg)
	if waiting && known.failures < hurriedFailures {
		return quota.User
	}
	return quota.Poll
}

// recent is how old an answer may be that goes for one that was asked for now.
const recent = 2 * time.Second

// fresh is how old an answer may be that another resource asked for.
func (g *gate[T]) fresh(mg T, p quota.Priority) inventory.Fresh {
	age := g.poll.Interval / 2 //nolint:mnd // Drift is seen after one and a half intervals at most.
	switch {
	case requested(mg):
		age = 0
	case p == quota.User, !settled(mg):
		age = min(age, recent)
	}
	now := g.now()
	return inventory.Fresh{Now: now, Since: now.Add(-age)}
}

// next is when the resource is reconciled next.
func (g *gate[T]) next(ctx context.Context, mg T, t *Turn, res reconcile.Result, err error) reconcile.Result {
	key := client.ObjectKeyFromObject(mg)
	ended(ctx, t.outcome())
	if wait, held := t.Held(); held {
		g.memory.held(key, t.wanted)
		if t.throttled {
			wait = max(wait, throttled(g.memory.throttle(key)))
		}
		return g.waiting(wait)
	}
	if g.outdated(key, t, res) {
		return g.waiting(minComeBack)
	}
	g.recorder.finish(mg, t)

	if failure := g.failure(mg, t, res, err); failure != nil {
		return g.failed(ctx, key, t, failure)
	}
	g.memory.succeed(key, t.did != nothing || t.ready.Status == corev1.ConditionTrue)
	g.metrics.reconciled(g.kind.GVK.Kind, resultOK)
	return g.calm(mg, t, res)
}

// outdated tells whether a reconcile has ended with nothing done, since the resource has
// changed after it was read. It is read live next.
func (g *gate[T]) outdated(key types.NamespacedName, t *Turn, res reconcile.Result) bool {
	return res.Requeue && t.did == nothing && t.failure() == nil && g.kube.Outdated(key) //nolint:staticcheck // The runtime still uses it.
}

// failure is the error of a reconcile, whichever way the runtime tells of it.
func (g *gate[T]) failure(mg T, t *Turn, res reconcile.Result, err error) error {
	switch {
	case t.failure() != nil:
		return t.failure()
	case err != nil:
		return err
	case !res.Requeue: //nolint:staticcheck // The runtime still uses it.
		return nil
	case t.did != nothing, t.absent && meta.ExternalCreateSucceededDuring(mg, g.kind.CreationGrace):
		return nil
	}
	return errors.New("the runtime could not finish the reconcile")
}

// calm is when a resource without an error is looked at next.
func (g *gate[T]) calm(mg T, t *Turn, res reconcile.Result) reconcile.Result {
	switch {
	case res.IsZero():
		return res
	case t.comeBack > 0:
		return reconcile.Result{RequeueAfter: t.comeBack}
	case meta.WasDeleted(mg):
		return reconcile.Result{RequeueAfter: cadence.Pending(g.now().Sub(mg.GetDeletionTimestamp().Time))}
	case t.did != nothing, res.Requeue: //nolint:staticcheck // As above.
		return reconcile.Result{RequeueAfter: cadence.MinPending}
	case condition.InMotion(t.ready):
		return reconcile.Result{RequeueAfter: cadence.Pending(g.now().Sub(t.ready.LastTransitionTime.Time))}
	}
	asked, _ := meta.GetPollInterval(mg)
	return reconcile.Result{RequeueAfter: g.poll.Jittered(asked, g.random())}
}

func (g *gate[T]) failed(ctx context.Context, key types.NamespacedName, t *Turn, err error) reconcile.Result {
	c := classify(err)
	g.metrics.reconciled(g.kind.GVK.Kind, c.result())
	after := g.backoff(key, t, c, err)
	endedBadly(ctx, c, err)
	g.logPanic(key, err)
	g.log.WithValues("request", reconcile.Request{NamespacedName: key}).Debug("Reconcile failed", "error", err, "requeue-after", after)
	return reconcile.Result{RequeueAfter: after}
}

// waiting says when a resource comes back whose turn it was not.
func (g *gate[T]) waiting(wait time.Duration) reconcile.Result {
	g.metrics.reconciled(g.kind.GVK.Kind, resultWaiting)
	return reconcile.Result{RequeueAfter: wait}
}

// measure what has become of a resource that was looked at.
func (g *gate[T]) measure(mg T, t *Turn, known record) {
	kind, key := g.kind.GVK.Kind, client.ObjectKeyFromObject(mg)
	if g.free(mg) || meta.WasDeleted(mg) {
		g.memory.released(key)
		return
	}
	c, _ := t.Comparison()
	g.differed(mg, c)
	g.metrics.found(kind, g.memory.compared(mg, t, known))
	if t.ready.Status == corev1.ConditionTrue && t.failure() == nil && g.memory.ready(key) {
		g.metrics.ready(g.kind.GVK, g.now().Sub(mg.GetCreationTimestamp().Time))
	}
}

func (g *gate[T]) forget(key types.NamespacedName) {
	r, ok := g.memory.forget(key)
	if ok && r.holder != "" {
		g.limiter.Forget(r.scope, r.holder)
	}
	if ok && g.kind.Forget != nil {
		g.kind.Forget(r.uid)
	}
	g.kube.Forget(key)
	g.tenants.Forget(g.kind.GVK.Kind, key)
	if g.kind.Fields != nil {
		g.fields.Refer(g.user(key), nil)
	}
	g.recorder.forget(key)
}

// settled tells whether a resource was in order when it was last looked at, and the
// user has asked for nothing since.
func settled(mg Managed) bool {
	return !meta.WasDeleted(mg) && !requested(mg) &&
		Settled(mg) && mg.GetCondition(xpv2.TypeReady).ObservedGeneration == mg.GetGeneration() &&
		mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue &&
		mg.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue
}

// requested tells whether the user has asked for a reconcile that is yet to happen.
func requested(mg Managed) bool {
	token, ok := meta.GetReconcileRequest(mg)
	return ok && token != mg.GetLastHandledReconcileAt()
}

type sessionKey struct{}

type resolved struct {
	session *config.Session
	err     error
}

// withSession hands what the gate has resolved to the connector.
func withSession(ctx context.Context, s *config.Session, err error) context.Context {
	return context.WithValue(ctx, sessionKey{}, resolved{session: s, err: err})
}

// sessionOf is what the gate has resolved.
func sessionOf(ctx context.Context) (*config.Session, error) {
	r, ok := ctx.Value(sessionKey{}).(resolved)
	if !ok {
		return nil, errors.New("no AWS configuration was resolved for this reconcile")
	}
	return r.session, r.err
}
