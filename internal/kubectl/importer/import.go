package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// tagging is the only operation that may be part of a proven plan: the tags say who owns a resource.
const tagging = "TagResource"

// objection returns why a plan is no proof that nothing but tags is changed. It is empty if it is one.
func objection(p plan.Plan) string {
	var calls []string
	for _, c := range p.Calls {
		if c.Operation != tagging {
			calls = append(calls, c.String())
		}
	}
	switch {
	case p.Action == plan.Reject:
		return p.Message
	case len(calls) > 0:
		return "the provider would call " + strings.Join(calls, ", ") + p.Fields()
	case len(p.Changes) > 0:
		return "it would be changed:" + p.Fields()
	case p.Action == plan.Wait:
		return "the plan is not complete: " + p.Message
	case p.Action != plan.None && p.Action != plan.Adopt && p.Action != plan.Update:
		return fmt.Sprintf("the provider would %s it", p.Action)
	}
	return ""
}

// prove plans all resources. One that would be changed gets managementPolicies that only observe, so that applying the
// manifests changes nothing in any case.
func (b *builder) prove(ctx context.Context) {
	p := b.planner()
	var resources []plan.Resource
	var items []*Item
	for _, i := range b.items {
		if i.Secret != nil {
			p.Add(i.Secret)
			continue
		}
		desired, ok := i.Resource.DeepCopyObject().(reconcile.Managed)
		if !ok {
			continue
		}
		plan.SetDefaults(desired)
		resources, items = append(resources, plan.Resource{Desired: desired}), append(items, i)
	}
	b.o.Progress(Proving, 0, len(items))
	for n, pl := range p.All(ctx, resources) {
		i := items[n]
		if why := objection(pl); why != "" {
			if !slices.ContainsFunc(i.Limits, func(l string) bool { return strings.HasSuffix(l, why) }) {
				i.Limits = append(i.Limits, why)
			}
			i.Resource.SetManagementPolicies(observe)
		}
	}
	b.o.Progress(Proving, len(items), len(items))
}

// Import returns the manifests of the functions of an account in a region, and of what belongs to them.
func Import(ctx context.Context, o Options) (*Result, error) {
	rec := &recorder{}
	s := o.Session.Derive(rec.addTo)
	r := &reader{Options: o, api: session.Client(s, lambda.NewFromConfig), recorder: rec}
	a, err := r.read(ctx, s.Identity.Account, s.AWS.Region)
	if err != nil {
		return nil, err
	}
	b := newBuilder(o, s, a, r)
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	b.prove(ctx)
	calls := int(rec.calls.Load())
	return &Result{Items: b.items, Functions: len(a.functions), Managed: a.managed, Calls: calls}, ctx.Err()
}
