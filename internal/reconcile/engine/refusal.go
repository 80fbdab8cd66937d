package engine

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// refusedReference returns the removal due for a resource whose reference is refused, but that has acted on what it
// referred to while it was allowed to: status names it. It is nil if nothing is to be deleted, or for another error.
func (p *pass) refusedReference(ctx context.Context, mg reconcile.Managed, err error) *removal {
	if p.session == nil || !tenancy.IsRefused(err) {
		return nil
	}
	p.facts.Others = p.others(mg, p.session)
	return p.refused(ctx, mg, p.permit(ctx, mg, p.facts.Others), err)
}

// refused returns the removal due for a resource that is refused because of the owner that the error of permit has. It
// is nil unless this process has seen the resource create something in AWS: annotations are no proof, because users can
// write them. The resource then makes no call.
func (p *pass) refused(ctx context.Context, mg reconcile.Managed, denied, why error) *removal {
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
	return &removal{why: reconcile.Ambiguous(why), done: func() event.Event {
		r.Tenants.RecordCreated(r.kind.GVK.Kind, u, "")
		e := event.Normal(v1beta1.EventRemovedRejectedResource, "Deleted from AWS what "+what+
			" created before it was rejected")
		r.recorder.Event(owner, e)
		return e
	}}
}

// An observerFunc is an observer that is a function.
type observerFunc = reconcile.ObserverFunc[reconcile.Managed]

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
