package testenv

// This file is for kinds that have no Observer yet. It goes with the last of them.

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// NewEnv returns an env that reconciles with external clients.
func NewEnv[T reconcile.Managed](w *AWS, external func() managed.TypedExternalClient[T]) *Env[T] {
	return &Env[T]{AWS: w, External: external}
}

func (r *Env[T]) reconcileLegacy(mg T) (Outcome, trace, error) {
	o, attempt, err := r.attempt(mg)
	t := trace{after: attempt.RequeueDelay(), events: attempt.Events(), summary: attempt.ChangeSummary()}
	if wait, aborted := attempt.Aborted(); aborted {
		t.aborted, t.after = true, wait
	}
	return o, t, err
}

func (r *Env[T]) attempt(mg T) (Outcome, *reconcile.Attempt, error) {
	attempt := &reconcile.Attempt{}
	if r.NextAttempt != nil {
		attempt = r.NextAttempt()
	}
	now := r.Now()
	attempt.Freshness = readcache.Freshness{Now: now, Since: now.Add(-r.Age)}
	attempt.Calls = r.repeatsOf(mg)
	ctx := reconcile.WithAttempt(r.Context(), attempt)
	e := r.External()
	obs, err := e.Observe(ctx, mg)
	if err != nil {
		return "", attempt, err
	}
	if _, aborted := attempt.Aborted(); aborted {
		return Aborted, attempt, nil
	}
	if r.between != nil {
		r.between()
	}
	o, err := r.act(ctx, e, mg, obs, attempt)
	if _, aborted := attempt.Aborted(); !aborted {
		attempt.Stored(ctx)
	}
	return o, attempt, err
}

func (r *Env[T]) act(ctx context.Context, e managed.TypedExternalClient[T], mg T, obs managed.ExternalObservation, attempt *reconcile.Attempt) (Outcome, error) {
	var err error
	switch {
	case meta.WasDeleted(mg) && !obs.ResourceExists:
		mg.SetFinalizers(nil)
		return Gone, nil
	case meta.WasDeleted(mg):
		_, err = e.Delete(ctx, mg)
		return Deleted, err
	case !obs.ResourceExists && obs.ResourceUpToDate:
		return Absent, nil
	case !obs.ResourceExists:
		meta.SetExternalCreatePending(mg, r.Now())
		_, err = e.Create(ctx, mg)
		if _, aborted := attempt.Aborted(); err == nil && !aborted {
			meta.SetExternalCreateSucceeded(mg, r.Now())
		} else {
			meta.SetExternalCreateFailed(mg, r.Now())
		}
		return Created, err
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, mg)
		return Updated, err
	case mg.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue:
		return Waits, nil
	}
	mg.SetObservedGeneration(mg.GetGeneration())
	return Settled, nil
}

// CallsFail observes a resource, and checks that the errors of its creation, update and deletion contain the failed
// action and its cause if AWS rejects the operations.
func (r *Env[T]) CallsFail(mg T, create, update, remove string, operations ...string) {
	r.Helper()
	r.Break(operations...)
	e := r.External()
	if _, err := e.Observe(r.Context(), mg); err != nil {
		r.Fatal(err)
	}
	_, created := e.Create(r.Context(), mg)
	_, updated := e.Update(r.Context(), mg)
	_, removed := e.Delete(r.Context(), mg)
	for want, err := range map[string]error{create: created, update: updated, remove: removed} {
		if awserr.Message(err) != "boom" || !strings.Contains(err.Error(), want) {
			r.Errorf("got %v, want %q and why", err, want)
		}
	}
}
