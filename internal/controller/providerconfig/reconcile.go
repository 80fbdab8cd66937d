package providerconfig

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpproviderconfig "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// Reconcile reconciles a config. It returns a panic as an error, and retries a conflict with another writer ever later,
// without an error.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := panics.Guard(func() (ctrl.Result, error) { return r.reconcileConfig(ctx, req) })
	if kerrors.IsConflict(err) {
		return ctrl.Result{Requeue: true}, nil //nolint:staticcheck // Nothing else uses the queue's rate limiter.
	}
	return result, err
}

func (r *Reconciler) reconcileConfig(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	release, ok := r.inFlight.Enter(req.Namespace, req.String())
	defer release()
	if !ok {
		return ctrl.Result{RequeueAfter: crowdedWait}, nil
	}
	c := r.kind.new()
	if err := r.kube.Get(ctx, req.NamespacedName, c); kerrors.IsNotFound(err) {
		return r.releaseMissing(ctx, req.NamespacedName)
	} else if err != nil {
		return ctrl.Result{}, errors.Wrapf(err, "cannot read %s", r.kind.gvk.Kind)
	}
	if !r.shard.Has(c) || r.shard.Drains(c) {
		return ctrl.Result{}, r.leave(ctx, c)
	}
	if meta.IsPaused(c) && !meta.WasDeleted(c) {
		return ctrl.Result{}, nil
	}
	u, err := r.usages(ctx, c)
	if err != nil {
		return ctrl.Result{}, err
	}
	result, err := r.reconcile(ctx, c, u)
	if u.going > 0 || u.again {
		result.RequeueAfter = earlier(result.RequeueAfter, recheckUsages)
	}
	return result, err
}

// releaseMissing releases what a config that does not exist must not keep. Its usages are those of resources that are
// gone: a resource that names no config of the cluster would leave a usage behind, which keeps its namespace from being
// deleted. So would a Secret, if two configs were deleted at once and each found that the other one needed it.
func (r *Reconciler) releaseMissing(ctx context.Context, name types.NamespacedName) (ctrl.Result, error) {
	c := r.kind.new()
	c.SetNamespace(name.Namespace)
	c.SetName(name.Name)
	u, err := r.usages(ctx, c)
	if err != nil {
		return ctrl.Result{}, err
	}
	result := ctrl.Result{}
	if u.going > 0 || u.again {
		result.RequeueAfter = recheckUsages
	}
	_, err = r.protectSecrets(ctx, c, usages{}, true)
	return result, err
}

// leave stops work on a config that another shard reconciles, or that a sharder drains. What is cached
// of it is kept until it is deleted, because resources of this shard may use it. Only the shard that
// reconciles a config receives its drift events.
func (r *Reconciler) leave(ctx context.Context, c providerConfig) error {
	r.events.Forget(c.GetUID())
	if r.shard.Drains(c) {
		return errors.Wrap(client.IgnoreNotFound(r.drain(ctx, c)), "cannot hand the config over to another shard")
	}
	if meta.WasDeleted(c) {
		r.resolver.Forget(c.GetUID())
		r.breakers.Forget(c.GetUID())
	}
	return nil
}

func (r *Reconciler) drain(ctx context.Context, c providerConfig) error {
	before := deepCopy(c)
	labels := maps.Clone(c.GetLabels())
	for key := range r.shard.Drained() {
		delete(labels, key)
	}
	c.SetLabels(labels)
	return r.kube.Patch(ctx, c, patchFrom(before))
}

func (r *Reconciler) reconcile(ctx context.Context, c providerConfig, u usages) (ctrl.Result, error) {
	if meta.WasDeleted(c) && u.count == 0 {
		return ctrl.Result{}, r.release(ctx, c)
	}
	protected, err := r.protectSecrets(ctx, c, u, false)
	if err != nil {
		return ctrl.Result{}, err
	}
	if meta.WasDeleted(c) {
		return ctrl.Result{}, r.reportInUse(ctx, c, u)
	}
	if err := r.addFinalizer(ctx, c); err != nil {
		return ctrl.Result{}, err
	}
	after, err := r.identify(ctx, c, u)
	return ctrl.Result{RequeueAfter: earlier(after, protected)}, err
}

// release releases a config that nothing uses, and its Secret.
func (r *Reconciler) release(ctx context.Context, c providerConfig) error {
	if _, err := r.protectSecrets(ctx, c, usages{}, true); err != nil {
		return err
	}
	r.resolver.Forget(c.GetUID())
	r.breakers.Forget(c.GetUID())
	r.events.Forget(c.GetUID())
	r.accounts.Forget(c.GetUID())
	before := deepCopy(c)
	if !controllerutil.RemoveFinalizer(c, Finalizer) {
		return nil
	}
	return errors.Wrap(client.IgnoreNotFound(r.kube.Patch(ctx, c, patchFrom(before))), "cannot remove the finalizer")
}

// reportInUse shows why a config that is in use is not deleted.
func (r *Reconciler) reportInUse(ctx context.Context, c providerConfig, u usages) error {
	msg := u.blocking()
	before := deepCopy(c)
	c.SetUsers(u.count)
	c.SetConditions(xpproviderconfig.Terminating().WithMessage(msg).WithObservedGeneration(c.GetGeneration()))
	written, err := r.write(ctx, before, c)
	if written && before.GetCondition(xpproviderconfig.TypeTerminating).Message != msg {
		r.record.Event(c, event.Warning(v1beta1.EventDeletionBlocked, errors.New(msg)))
	}
	return err
}

func (r *Reconciler) addFinalizer(ctx context.Context, c providerConfig) error {
	before := deepCopy(c)
	if !controllerutil.AddFinalizer(c, Finalizer) {
		return nil
	}
	return errors.Wrap(r.kube.Patch(ctx, c, patchFrom(before)), "cannot add the finalizer")
}

// identify shows the AWS identity of a config in status, or why it has none. It returns when to check again.
func (r *Reconciler) identify(ctx context.Context, c providerConfig, u usages) (time.Duration, error) {
	before, after := deepCopy(c), checkEvery
	status := c.GetConfigStatus()
	status.ObservedGeneration = c.GetGeneration()
	c.SetUsers(u.count)

	id, err := r.resolver.Identify(ctx, c)
	err = awserr.CauseFirst(err)
	ready := xpv2.Available().WithMessage(describe(id))
	if err != nil {
		ready, after = xpv2.Unavailable().WithMessage(err.Error()), retryEvery
	} else {
		status.AccountID, status.IdentityARN = id.Account, id.ARN
		if before.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
			// The status that is about to be written requeues the config's resources.
			r.breakers.Probe(c.GetUID())
		}
		after = earlier(after, r.showUsage(ctx, c, u))
	}
	c.SetConditions(ready.WithObservedGeneration(c.GetGeneration()))
	after = earlier(after, r.showBreakers(c))
	r.showDriftEvents(c)
	written, failed := r.write(ctx, before, c)
	if written {
		r.emitEvents(before, c, err)
	}
	return after, failed
}

// describe returns the message of a Ready config.
func describe(id session.Identity) string {
	if id.ARN == "" {
		return fmt.Sprintf("Account %s, not verified with AWS", id.Account)
	}
	return fmt.Sprintf("Account %s, as %s", id.Account, id.ARN)
}

// emitEvents emits an event if the Ready condition has changed.
func (r *Reconciler) emitEvents(before, c providerConfig, err error) {
	was, is := before.GetCondition(xpv2.TypeReady), c.GetCondition(xpv2.TypeReady)
	switch {
	case was.Status == is.Status && was.Message == is.Message:
	case err != nil:
		r.record.Event(c, event.Warning(v1beta1.EventCannotAuthenticate, err))
	default:
		r.record.Event(c, event.Normal(v1beta1.EventIdentified, is.Message))
	}
}
