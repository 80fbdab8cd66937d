package function

import (
	"context"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// newPlan resolves what spec refers to, and compares it with the observation.
func (e *external) newPlan(
	ctx context.Context, f *v1beta1.Function, d reconcile.Desired[settings], o found,
) (plan, error) {
	p := plan{name: o.Name, resource: o.Resource}
	p.Observed = o.Settings
	if p.Observed.FunctionScalingConfig == nil && o.Resource.scaling == nil &&
		f.Spec.ForProvider.FunctionScalingConfig == nil {
		// It was not read, because spec no longer declares it: use what was applied last.
		p.Observed.FunctionScalingConfig = f.Status.AtProvider.FunctionScalingConfig
	}
	var err error
	if c, left := codeOf(f); c != nil && !left {
		deployed := f.Status.AtProvider.DeployedCode
		if p.archive, err = e.resolver.archive(
			ctx, f.GetNamespace(), *c, diff.Fill(d.Settings, p.Observed, d.Left).Architectures, deployed,
		); err != nil {
			return p, err
		}
		if p.archive.bundle, err = e.resolver.bundles.Identify(ctx, p.archive.bundle, deployed); err != nil {
			return p, err
		}
		d.Settings.Code, p.Observed.Code = p.codes(f)
	}
	if !f.Status.AtProvider.Initialized {
		d.Left = slices.DeleteFunc(d.Left, afterCreation.Covers)
	}
	p.Target = target(d, p.Observed, p.name, e.tags)
	hide(&p, d.Settings, e.memory.of(f))
	p.Comparison = reconcile.Compare(p.Target, p.Observed)
	mayUpdate := reconcile.Allows(f, xpv2.ManagementActionUpdate)
	switch s := &f.Status.AtProvider; {
	case !mayUpdate, d.Preview:
	case p.Changes.Any(appliedBy[opUpdateCode]...):
		if err := e.load(ctx, f, &p); err != nil {
			return p, err
		}
	default:
		s.DeployedCode, p.unverified = e.resolver.bundles.Recheck(ctx, p.archive.bundle, s.DeployedCode)
	}
	p = p.withPublication(f, d)
	if !mayUpdate && p.archive.bundle.Unidentified(f.Status.AtProvider.DeployedCode) {
		p.Changes = p.Changes.But("code.source", "code.revision") // Whether it differs is unknown.
	}
	if fixed := immutable(p.Changes, p.Observed); len(fixed) > 0 && mayUpdate {
		return p, reconcile.Unchangeable("function "+p.name, v1beta1.FunctionKind, fixed)
	}
	return p, nil
}

// load makes the code that is due ready to be deployed. If AWS has the same code from an earlier artifact, it is not
// due.
func (e *external) load(ctx context.Context, f *v1beta1.Function, p *plan) error {
	var err error
	if p.archive, err = e.resolver.load(ctx, p.archive); err != nil || p.archive.bundle.Artifact == nil {
		return err
	}
	p.Target.Code, p.Observed.Code = p.codes(f)
	p.Target.Code = diff.Fill(p.Target.Code, p.Observed.Code, nil)
	p.Comparison = reconcile.Compare(p.Target, p.Observed)
	return nil
}

// loadAgain makes code ready to be deployed that has not changed, and is sent again because AWS has refused it.
func (e *external) loadAgain(ctx context.Context, due []call) (err error) {
	if !e.preview && slices.Contains(due, opUpdateCode) && !e.planned.Changes.Any(appliedBy[opUpdateCode]...) {
		e.planned.archive, err = e.resolver.load(ctx, e.planned.archive)
	}
	return err
}

// decisionInput returns the inputs of decide besides the observation.
func (e *external) decisionInput(f *v1beta1.Function, o observed) decisionInput {
	past := e.memory.of(f)
	return decisionInput{
		generation: f.GetGeneration(),
		fresh:      past.fresh,
		activated:  f.Status.AtProvider.Activated,
		ours:       createdJustNow(f, e.owned, o, e.facts.Now()),
		updatable:  reconcile.Allows(f, xpv2.ManagementActionUpdate),
		recreatable: reconcile.Allows(f, xpv2.ManagementActionDelete) &&
			reconcile.Allows(f, xpv2.ManagementActionCreate),
		repairs:  past.repairs,
		repaired: past.repaired,
		now:      e.facts.Now(),
	}
}
