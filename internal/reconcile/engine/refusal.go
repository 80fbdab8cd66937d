package engine

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// refusedReference returns the observer of a resource whose reference is refused, but that has acted on what it
// referred to while it was allowed to: status names it. It is nil if nothing is to be deleted, or for another error.
func (p *pass) refusedReference(ctx context.Context, mg reconcile.Managed, err error) reconcile.UntypedObserver {
	if p.session == nil || !tenancy.IsRefused(err) {
		return nil
	}
	p.facts.Others = p.others(mg, p.session)
	return p.refused(ctx, mg, p.permit(ctx, mg, p.facts.Others), err)
}

// refused returns the observer of a resource that is refused because of the owner that the error of permit has. If this
// process has seen it create something in AWS, the observer deletes that, and nothing else: annotations are no proof,
// because users can write them. If there is no observer, the resource makes no call.
func (p *pass) refused(ctx context.Context, mg reconcile.Managed, denied, why error) reconcile.UntypedObserver {
	r, u, owner := p.reconciler, p.facts.Others.User, tenancy.RefusedBy(denied)
	name := r.has(u)
	if owner == nil || name == "" || r.kind.ActsOn == nil || reconcile.ObserveOnly(mg) || planOnly(mg) {
		return nil
	}
	what := r.kind.GVK.Kind + " " + client.ObjectKeyFromObject(mg).String()
	created, _ := r.Tenants.Created(r.kind.GVK.Kind, u)
	switch {
	case created == name && reconcile.Allows(mg, xpv2.ManagementActionDelete) && r.acted(ctx, mg, u, name):
	case mg.GetSummary().AccountID == "":
		return nil // It was never in AWS, whatever its annotations say.
	default:
		r.recorder.Event(owner, event.Warning(v1beta1.EventLeftRejectedResource, errors.New(what+
			" is rejected, and may have left in AWS what it created earlier: look for it, and delete it if you do not "+
			"want it")))
		return nil
	}
	return removing(r.kind.Observer(mg, p.session), reconcile.Ambiguous(why), func() event.Event {
		r.Tenants.RecordCreated(r.kind.GVK.Kind, u, "")
		e := event.Normal(v1beta1.EventRemovedRejectedResource, "Deleted from AWS what "+what+
			" created before it was rejected")
		r.recorder.Event(owner, e)
		return e
	})
}

// An observerFunc is an observer that is a function.
type observerFunc = reconcile.ObserverFunc[reconcile.Managed]

// removing returns the observer of a refused resource that has created something in AWS. It deletes that as
// if the resource were being deleted, and returns why it is refused. removed is called once it is gone.
func removing(
	inner reconcile.UntypedObserver, why error, removed func() event.Event,
) reconcile.UntypedObserver {
	return observerFunc(func(ctx context.Context, f reconcile.Facts, mg reconcile.Managed) (reconcile.Outcome, error) {
		deleted := reconcile.CopyOf(mg)
		deleted.SetDeletionTimestamp(&metav1.Time{Time: f.Now()})
		out, err := inner.Observe(ctx, f, deleted)
		switch {
		case err != nil:
			return reconcile.Outcome{Effects: out.Effects}, err
		case !out.Exists:
			out.Events = append(out.Events, removed())
			return reconcile.Outcome{Effects: out.Effects}, why
		case out.Call == nil:
			return reconcile.Outcome{Effects: out.Effects}, why
		}
		if err := f.Reserve(out.Call.Reserve...); err != nil {
			return reconcile.Outcome{}, err
		}
		res, err := out.Call.Do(ctx)
		out.Add(res.Effects)
		if err == nil {
			err = why
		}
		return reconcile.Outcome{Effects: out.Effects}, err
	})
}

// releasing returns the observer of a resource that is being deleted and may
// not delete what it refers to. It finds nothing to delete.
func releasing(why error, leaves bool) reconcile.UntypedObserver {
	return observerFunc(func(context.Context, reconcile.Facts, reconcile.Managed) (reconcile.Outcome, error) {
		out := reconcile.Outcome{}
		if leaves {
			out.Events = []event.Event{event.Normal(v1beta1.EventLeftForeignResource,
				"Left in AWS, because this resource does not own it: "+why.Error())}
		}
		return out, nil
	})
}

// panicked ends the reconcile of a resource that has panicked.
func (r *reconciler) panicked(ctx context.Context, key types.NamespacedName, err error) ctrl.Result {
	if known, ok := r.states.Get(key); ok && known.Requester != "" {
		r.Limiter.Release(known.Scope, known.Requester)
	}
	if err := r.report(ctx, key, err); err != nil {
		r.log.Info("Cannot record in status that a reconcile panicked", "name", key, "error", err)
	}
	return r.failedResult(ctx, key, failed{err: err})
}

// report reports an error that the runtime does not know of: in the condition Synced, and by an event.
func (r *reconciler) report(ctx context.Context, key types.NamespacedName, failure error) error {
	mg := r.kind.New()
	if err := r.kube.Get(ctx, key, mg); err != nil {
		return errors.Wrap(err, "cannot get managed resource")
	}
	r.recorder.Event(mg, event.Warning(v1beta1.EventProviderPanicked, failure))
	known, _ := r.states.Get(key)
	p := r.newPass(mg, known)
	p.err = failure
	updated := reconcile.CopyOf(mg)
	updated.SetConditions(xpv2.ReconcileError(failure).WithObservedGeneration(mg.GetGeneration()))
	return errors.Wrap(r.kube.View(mg, p.completeStatus).Status().Update(ctx, updated),
		"cannot update managed resource status")
}

// logPanic logs the stack of a panic, whether it occurred in the reconcile itself or in a call that it waited for.
func (r *reconciler) logPanic(key types.NamespacedName, err error) {
	var p *panics.Error
	if errors.As(err, &p) {
		r.log.Info("A reconcile panicked, which is a bug", "name", key, "error", p, "stack", slices.Clone(p.Stack()))
	}
}
