package engine

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// listable reports whether AWS's lists may show that a resource is unchanged: it is steady, and nothing is to be done
// that the lists do not show, such as what was only planned. A resource that requests to be polled more often than
// lists are read is read by itself.
func (r *reconciler) listable(mg reconcile.Managed) bool {
	requested, _ := meta.GetPollInterval(mg)
	return r.Lists != nil && r.kind.Listed != nil && reconcile.Steady(mg) && !r.makesNoCall(mg) &&
		mg.GetCondition(v1beta1.TypePlanned).Status != corev1.ConditionTrue &&
		(requested <= 0 || requested >= r.poll().Interval)
}

// watchLists watches the resource by lists if this reconcile has found it up to date, so that nothing
// but its poll interval makes the next one due.
func (p *pass) watchLists() {
	if p.Lists == nil || p.kind.Listed == nil {
		return
	}
	mg := p.read
	if p.session == nil || p.out.State != reconcile.UpToDate || p.did != "" || p.out.After > 0 ||
		p.err != nil ||
		p.ready.Status != corev1.ConditionTrue {
		p.Lists.Forget(mg.GetUID())
		return
	}
	p.Lists.Watch(mg.GetUID(), p.session, p.listed, p.Now(), p.enqueue(mg))
	p.states.RecordWatched(client.ObjectKeyFromObject(mg), p.known)
}

func (r *reconciler) enqueue(mg reconcile.Managed) func() {
	key := client.ObjectKeyFromObject(mg)
	return func() { r.queue.Add(key, 0) }
}

// unchanged reports whether lists show that a resource is what the last reconcile found up to
// date, and when it is polled next. What lists have shown counts also while the circuit breaker is open.
func (p *pass) unchanged(ctx context.Context) (time.Duration, bool) {
	mg, s, r := p.read, p.resolved, p.reconciler
	if s == nil || !p.known.Watched || !p.known.Idle() || !r.listable(mg) {
		return 0, false
	}
	result := r.Lists.Check(mg.GetUID(), s)
	switch {
	case result.State == listpoll.Unknown:
		return 0, false
	case p.session != nil && r.Breakers.IsOpen(s.BreakerKey()): // A probe has to make a call.
		return 0, false
	case result.State == listpoll.Pending:
		return max(result.Until.Sub(r.Now()), reconcile.MinPending), true
	case result.Unlisted == nil:
	case p.session == nil:
		open, _ := asCircuitOpen(p.unusable)
		return open.after, true
	case !r.sameUnlisted(ctx, s, result):
		return 0, false
	}
	r.readFields(ctx, mg)
	requested, _ := meta.GetPollInterval(mg)
	return r.poll().Jittered(requested, r.Random()), true
}

// readFields reads the fields of other providers' objects that spec refers to, which are not watched if the provider
// may only get the objects. It does so for no resource, so that the field reader enqueues all that have read another
// value.
func (r *reconciler) readFields(ctx context.Context, mg reconcile.Managed) {
	ctx, cancel := context.WithTimeout(refs.WithUser(ctx, refs.User{}), timeout)
	defer cancel()
	for _, s := range reconcile.Values(r.kind.Fields, mg) {
		_, _ = r.Fields.Get(ctx, mg.GetNamespace(), s) // The reconcile of a resource that is enqueued reports an error.
	}
}

// sameUnlisted reports whether what the list of a resource does not show is still the same. Resources share what was
// looked up for half a poll interval.
func (r *reconciler) sameUnlisted(ctx context.Context, s *session.Session, result listpoll.Result) bool {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	now := r.Now()
	return result.Unlisted(ctx, s, readcache.Freshness{Now: now, Since: now.Add(-r.poll().Interval / 2)}) //nolint:mnd // A half.
}
