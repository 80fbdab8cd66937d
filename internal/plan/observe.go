package plan

import (
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// Observe returns a resource with the status that the provider would write if managementPolicies were ["Observe"]. It
// returns an error if AWS does not have what the resource names.
func (p *Planner) Observe(ctx context.Context, mg reconcile.Managed) (reconcile.Managed, error) {
	s, err := p.stepper(mg, p.objects)
	if err != nil {
		return nil, err
	}
	seen := copyOf(mg)
	SetDefaults(seen)
	seen.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
	_, sess, err := p.account(ctx, seen, s.Region(seen))
	if err != nil {
		return nil, err
	}
	p.identify(seen)
	r := s.Step(ctx, seen, sess(), p.clock())
	return seen, r.Err
}
