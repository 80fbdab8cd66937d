package plan

import (
	"context"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A Resource is a resource to plan.
type Resource struct {
	// Desired is the resource as it would be applied, and Prior the object in the cluster, nil if there is none.
	Desired, Prior reconcile.Managed
}

// order has the kinds that others refer to, in the order in which they are created.
var order = []string{
	v1beta1.CodeSigningConfigKind, v1beta1.CapacityProviderKind, v1beta1.LayerVersionKind, v1beta1.FunctionKind,
	v1beta1.VersionKind, v1beta1.AliasKind,
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

// rank returns the place of a resource in the order. One that is deleted comes before what it depends on.
func (p *Planner) rank(r Resource) int {
	at := p.place(r)
	if r.Desired.GetDeletionTimestamp() != nil {
		return -at
	}
	return at
}

// place returns the place of a resource in the order in which all are created.
func (p *Planner) place(r Resource) int {
	gvk, _ := p.kindOf(r.Desired) // An unknown kind is reported by its plan.
	if at := slices.Index(order, gvk.Kind); at >= 0 {
		return at
	}
	return len(order)
}

// A Summary counts plans by what would be done. Those that leave what exists in AWS are among those of None.
type Summary map[Action]int

// Summarize counts plans.
func Summarize(plans []Plan) Summary {
	s := Summary{Create: 0, Adopt: 0, Update: 0, Replace: 0, Delete: 0, Wait: 0, Reject: 0, None: 0}
	for _, p := range plans {
		if p.Action == Orphan {
			p.Action = None
		}
		s[p.Action]++
	}
	return s
}
