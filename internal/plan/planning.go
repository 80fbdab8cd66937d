package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// Plan plans a resource as it would be applied. prior is the object in the cluster, nil if there is none. Without a
// connection to AWS, the plan assumes that AWS has what prior asks for.
func (p *Planner) Plan(ctx context.Context, desired, prior reconcile.Managed) (out Plan) {
	nameErr := p.setName(desired)
	out = Plan{Namespace: desired.GetNamespace(), Name: mask(desired.GetName(), Unknown)}
	defer func() {
		if recover() != nil { // Without a cluster, nothing has validated the manifest.
			out = rejected(out, panics.New())
		}
	}()
	gvk, err := p.kindOf(desired)
	out.Kind = gvk.Kind
	if err = cmp.Or(err, nameErr); err != nil {
		return rejected(out, err)
	}
	s, err := p.stepper(desired, p.objects)
	if err != nil {
		return rejected(out, err)
	}
	if prior != nil {
		p.identifyAccount(prior)
	}
	a, sess, err := p.account(ctx, desired, s.Region(desired))
	if err != nil {
		return rejected(out, err)
	}
	mg := copyOf(desired)
	a.Assume(gvk.Kind != v1beta1.FunctionKind)
	if region := s.Region(desired); p.resolver == nil && !regions.Known(region) {
		out.Unknowns = append(out.Unknowns,
			fmt.Sprintf("whether the provider accepts %q: it is not a region of AWS that "+
				"this version knows, so spec.regions of the provider config must list it", region))
	}
	if xpmeta.IsPaused(mg) {
		out.Action, out.Message = Wait, "reconciliation is paused"
		return out
	}
	if prior != nil {
		p.inherit(mg, prior)
		if p.deletionWaits(mg) {
			out.Action, out.Message = Wait, "held: "+mg.GetCondition(v1beta1.TypeDeletionHeld).Message
			return out
		}
		if p.resolver == nil {
			from := p.seed(ctx, prior, a, sess)
			if from.action != "" {
				out.Action, out.Message = from.action, from.message
				return out
			}
			out.Unknowns = append(out.Unknowns, p.begin(mg, prior, from)...)
		} else {
			name, last := numbers(prior)
			a.Number(name, last+1)
		}
	}
	p.identify(mg)
	w := p.walk(ctx, s, mg, a, sess)
	p.objects.put(mg)
	out.deferred = w.deferred
	p.describe(&out, mg, w, a)
	return out
}

// deletionWaits reports whether the deletion of a resource waits for a confirmation.
func (p *Planner) deletionWaits(mg reconcile.Managed) bool {
	return reconcile.PendingReason(mg) != "" && xpmeta.WasDeleted(mg) &&
		reconcile.Allows(mg, xpv2.ManagementActionDelete) &&
		!protection.Confirmed(mg.GetAnnotations()[v1beta1.AnnotationConfirmDeletion],
			mg.GetDeletionTimestamp().Time, p.clock())
}

// inherit gives a resource what the object in the cluster has and a manifest does not: its identity and its status. An
// apply has kept the annotations that the provider has written, and removed those that the manifest no longer has.
func (p *Planner) inherit(mg, prior reconcile.Managed) {
	mg.SetUID(prior.GetUID())
	mg.SetCreationTimestamp(prior.GetCreationTimestamp())
	if mg.GetDeletionTimestamp() == nil {
		mg.SetDeletionTimestamp(prior.GetDeletionTimestamp())
	}
	mg.SetFinalizers(prior.GetFinalizers())
	mg.SetGeneration(prior.GetGeneration())
	if !equalSpec(mg, prior) {
		mg.SetGeneration(prior.GetGeneration() + 1)
	}
	copyField(mg, prior, "Status")
}

// describe completes a plan by what was found.
func (p *Planner) describe(out *Plan, mg reconcile.Managed, w walk, a *dryrun.Account) {
	show := func(text string) string {
		for made, name := range p.names {
			text = strings.ReplaceAll(text, made, name)
		}
		return mask(text, Unknown)
	}
	deleted := xpmeta.WasDeleted(mg)
	out.Action = action(w.calls, w.existed, w.adopted, deleted)
	// Otherwise each plan of such code would have them, even if nothing has changed.
	if out.Action != None && !deleted {
		out.Unknowns = append(out.Unknowns, w.unknowns...)
	}
	for _, c := range w.calls {
		out.Calls = append(out.Calls, dryrun.Call{Operation: c.Operation, On: show(c.On)})
	}
	for _, c := range w.changes {
		if deleted || slices.ContainsFunc(ownership.Keys(),
			func(key string) bool { return c.Path == "tags["+key+"]" }) {
			continue
		}
		out.Changes = append(out.Changes, diff.Change{Path: c.Path, Old: show(c.Old), New: show(c.New)})
	}
	for _, s := range p.artifacts {
		u := "which artifact " + s + " has: its revision is known once Flux has fetched it"
		if !slices.Contains(out.Unknowns, u) {
			out.Unknowns = append(out.Unknowns, u)
		}
	}
	for _, f := range a.Assumed() {
		if u := assumed(f); !slices.Contains(out.Unknowns, u) {
			out.Unknowns = append(out.Unknowns, u)
		}
	}
	switch {
	case w.err != nil && w.awaits:
		out.Action, out.Message = Wait, show(w.err.Error())
	case w.err != nil:
		out.Action, out.Message = Reject, show(w.err.Error())
	case w.rollout != "":
		out.Message = show(w.rollout)
	case !w.synced && !w.gone && len(w.calls) == 0:
		// AWS gives no reason for the state Creating of a mapping.
		out.Action, out.Message = Wait, show(cmp.Or(w.ready, "AWS has not completed an earlier change of it"))
	case !w.synced && !w.gone:
		out.Message = show(w.ready)
	}
}

// rejected returns a plan with an error.
func rejected(p Plan, err error) Plan {
	p.Action, p.Message = Reject, err.Error()
	return p
}

// All plans resources that are applied together, and returns their plans in the same order. A resource that waits for
// another one is planned after that one. One that was there before is rejected.
func (p *Planner) All(ctx context.Context, all []Resource) []Plan {
	plans, pending, seen := make([]Plan, len(all)), []int(nil), map[string]bool{}
	for i, r := range all {
		if r.Prior != nil {
			p.identifyAccount(r.Prior)
		}
		gvk, _ := p.kindOf(r.Desired) // An unknown kind is reported by its plan.
		out := Plan{Kind: gvk.Kind, Namespace: r.Desired.GetNamespace(), Name: r.Desired.GetName()}
		if out.Name != "" && seen[out.String()] { // What they result in depends on their order.
			plans[i] = rejected(out, errors.Errorf("the manifests contain %s more than once: keep one of them", out))
			continue
		}
		seen[out.String()] = true
		pending = append(pending, i)
	}
	for _, r := range all {
		p.nameAccount(r.Desired)
	}
	p.seedAll(ctx, all)
	slices.SortStableFunc(pending, func(a, b int) int { return p.rank(all[a]) - p.rank(all[b]) })
	for len(pending) > 0 {
		var waiting []int
		for _, i := range pending {
			if plans[i] = p.Plan(ctx, all[i].Desired, all[i].Prior); plans[i].Action == Wait &&
				len(plans[i].Calls) == 0 {
				waiting = append(waiting, i)
			}
		}
		if len(waiting) == len(pending) {
			break
		}
		pending = waiting
	}
	return plans
}
