package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// checkDeletion decides whether the deletion of a resource that exists in AWS waits until a person confirms it, and
// sets the condition DeletionHeld. If it waits, the result says why, and when it is considered again. It returns a
// LaterError if CloudWatch has yet to answer, or if the deletion cannot be recorded at once.
func (p *pass) checkDeletion(ctx context.Context, mg reconcile.Managed) (res reconcile.Result, waits bool, err error) {
	decision, err := p.decideDeletion(ctx, mg, p.DeletionLimiter.Admit)
	switch {
	case err != nil:
		return reconcile.Result{}, false, err
	case decision.Reason == "":
		return proceeding(mg, decision.Confirmed), false, nil
	}
	mg.SetConditions(reconcile.NewCondition(v1beta1.TypeDeletionHeld, corev1.ConditionTrue, decision.Reason,
		mg.GetGeneration(), decision.Message))
	return reconcile.Result{
		Ready: reconcile.Deleting(mg.GetGeneration(), decision.Message),
		Effects: reconcile.Effects{
			Events: []event.Event{event.Warning(v1beta1.EventDeletionHeld, errors.New(decision.Message))},
			After:  protection.Delay(p.Now().Sub(mg.GetDeletionTimestamp().Time)),
		},
	}, true, nil
}

// decideDeletion decides whether the deletion of a resource waits. admit returns whether the limit allows the deletion:
// it may record the deletion. If that is not known now, decideDeletion returns a LaterError.
func (p *pass) decideDeletion(ctx context.Context, mg reconcile.Managed,
	admit func(context.Context, session.Ref, string, types.UID, time.Time) (bool, error),
) (protection.Decision, error) {
	now, s := p.Now(), p.session
	state := protection.State{
		Now: now, DeletedAt: mg.GetDeletionTimestamp().Time,
		Confirmation: mg.GetAnnotations()[v1beta1.AnnotationConfirmDeletion],
		Begun:        reconcile.DeletionAccepted(mg), Held: reconcile.PendingReason(mg),
		Config: s.Ref.String(),
		Admit: func() (bool, error) {
			ok, err := admit(ctx, s.Ref, mg.GetNamespace(), mg.GetUID(), now)
			if kerrors.IsConflict(err) { // Another shard records deletions of the config at the same time.
				return false, reconcile.WaitFor(reconcile.BusyDelay)
			}
			return ok, err
		},
	}
	if s.Ref.Namespace == "" {
		state.Config += fmt.Sprintf(" in namespace %q", mg.GetNamespace())
	}
	if p.kind.Invocations != nil {
		state.Measure = func() (protection.Invocations, error) {
			n, wait, err := p.kind.Invocations(ctx, mg, s, p.DeletionPolicy.InvokedWithin)
			if wait > 0 {
				return protection.Invocations{}, reconcile.WaitFor(wait)
			}
			return protection.Invocations{Count: n, Err: err}, nil
		}
	}
	return p.DeletionPolicy.Decide(state)
}

// proceeding reports that a deletion that has waited is sent.
func proceeding(mg reconcile.Managed, confirmed bool) reconcile.Result {
	if reconcile.PendingReason(mg) == "" {
		return reconcile.Result{}
	}
	mg.SetConditions(reconcile.NewCondition(v1beta1.TypeDeletionHeld, corev1.ConditionFalse,
		v1beta1.ReasonDeletionProceeds, mg.GetGeneration(), ""))
	if !confirmed {
		return reconcile.Result{}
	}
	return reconcile.Result{Effects: reconcile.Effects{Events: []event.Event{
		event.Normal(v1beta1.EventDeletionConfirmed,
			"The deletion was confirmed by the annotation "+v1beta1.AnnotationConfirmDeletion),
	}}}
}

// A DeletionLimiter records the deletions of a config's resources in an annotation of the config, as long as they are
// within a limit for each namespace. All kinds share it. A config that was changed meanwhile, also by another shard, is
// read again, so that the limit holds for all of them together.
type DeletionLimiter struct {
	kube  client.Client
	live  client.Reader
	limit protection.Limit

	// lock is held by the caller that records a deletion. It is a channel, so that a caller whose context is done stops
	// waiting.
	lock chan struct{}
}

// NewDeletionLimiter returns a DeletionLimiter. kube reads configs from a cache and writes them, and live reads them
// from the API server.
func NewDeletionLimiter(kube client.Client, live client.Reader, l protection.Limit) *DeletionLimiter {
	return &DeletionLimiter{kube: kube, live: live, limit: l, lock: make(chan struct{}, 1)}
}

// Admit records the deletion of a resource of a config in a namespace. It returns false if the limit does not allow it.
func (l *DeletionLimiter) Admit(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	if ok, err := l.Allows(ctx, ref, namespace, uid, now); !ok {
		return false, err // What the cache has lacks deletions at most.
	}
	select {
	case l.lock <- struct{}{}:
		defer func() { <-l.lock }()
	case <-ctx.Done():
		return false, errors.Wrap(ctx.Err(), cannotRecord)
	}
	ok, err := l.record(ctx, l.kube, ref, namespace, uid, now)
	if kerrors.IsConflict(err) { // The cache is outdated.
		ok, err = l.record(ctx, l.live, ref, namespace, uid, now)
	}
	return ok, errors.Wrap(err, cannotRecord)
}

// Allows reports whether Admit would allow the deletion, by what the cache has of the config.
func (l *DeletionLimiter) Allows(
	ctx context.Context, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	_, record, err := read(ctx, l.kube, ref)
	if err != nil {
		return false, errors.Wrap(err, "cannot read the deletions that the provider config has recorded")
	}
	_, ok, _ := record.Admit(namespace, string(uid), now, l.limit)
	return ok, nil
}

const cannotRecord = "cannot record the deletion in the provider config, which counts deletions for --deletion-limit"

// record records a deletion. It returns a conflict if the config is not as the reader has it. The caller holds the
// lock.
func (l *DeletionLimiter) record(
	ctx context.Context, from client.Reader, ref session.Ref, namespace string, uid types.UID, now time.Time,
) (bool, error) {
	config, record, err := read(ctx, from, ref)
	if err != nil {
		return false, err
	}
	next, ok, before := record.Admit(namespace, string(uid), now, l.limit)
	if !ok || before {
		return ok, nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": ref.UID, "resourceVersion": config.GetResourceVersion(),
		"annotations": map[string]string{v1beta1.AnnotationRecentDeletions: next.String()},
	}})
	if err != nil {
		return false, err
	}
	err = l.kube.Patch(ctx, config, client.RawPatch(types.MergePatchType, patch))
	return err == nil, err
}

// read returns a config, and the deletions that it has recorded.
func read(ctx context.Context, from client.Reader, ref session.Ref) (client.Object, protection.Record, error) {
	var config client.Object = &v1beta1.ProviderConfig{}
	if ref.Kind == v1beta1.ClusterProviderConfigKind {
		config = &v1beta1.ClusterProviderConfig{}
	}
	if err := from.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, config); err != nil {
		return nil, nil, err
	}
	return config, protection.ParseRecord(config.GetAnnotations()[v1beta1.AnnotationRecentDeletions]), nil
}
