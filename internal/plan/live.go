package plan

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	awssession "github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

// Live plans resources of a cluster for the provider itself, each for itself. It implements reconcile.ResourcePlanner.
type Live struct {
	// Options of the plans. Their Resolver is not used.
	Options
}

// Plan plans a resource, and reads AWS with the session.
func (l Live) Plan(ctx context.Context, mg reconcile.Managed,
	s *awssession.Session,
) (summary string, differs bool, err error) {
	o := l.Options
	o.Resolver = Through(s)
	p := New(o).Plan(ctx, mg, mg)
	if p.deferred > 0 {
		return "", false, &quota.DeferredError{Operation: "the reads of a plan", After: p.deferred}
	}
	return p.Summary(), p.Differs(), nil
}

// Through returns a Resolver of Options with which all resources are planned with the same session.
func Through(s *awssession.Session) func(client.Client) engine.Resolver {
	return func(client.Client) engine.Resolver { return fixed{s} }
}

// fixed resolves every session to the same one.
type fixed struct{ session session }

// Resolve returns the session.
func (f fixed) Resolve(context.Context, resource.ModernManaged, string) (session, error) {
	return f.session, nil
}

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
