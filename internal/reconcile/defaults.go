package reconcile

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// owner decides whether what was observed belongs to the managed resource.
func (e *external[T, O, S]) owner(ctx context.Context) (ownership.Ownership, error) {
	if e.Owner != nil {
		return e.Owner(ctx, e.facts, e.mg, e.observation)
	}
	created, err := e.matchesCreation(ctx)
	v := ownership.CheckUntaggedOwnership(e.mg, e.observation.Name, created)
	if !v.Manageable() && err != nil && (IsLater(err) || !meta.WasDeleted(e.mg)) {
		return v, err // It is not known what the create would have made.
	}
	return e.facts.Others.CheckUntaggedOwner(
		ctx, e.mg, v, e.observation.Description, e.observation.Parent, e.observation.Name)
}

// matchesCreation reports whether what was observed is as a create would have made it.
// That matters only as long as a create is unanswered.
func (e *external[T, O, S]) matchesCreation(ctx context.Context) (bool, error) {
	if !meta.GetExternalCreatePending(e.mg).After(meta.GetExternalCreateSucceeded(e.mg)) {
		return false, nil
	}
	d, err := e.desired(ctx, e.mg)
	if err != nil {
		return false, err
	}
	for _, asked := range ownership.AskedFor(e.mg, d.Settings) {
		c, err := e.compared(ctx, e.mg, Desired[S]{Settings: asked, Preview: true})
		if err != nil {
			return false, err
		}
		if len(c.Changes) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// desired resolves and merges what spec asks for.
func (e *external[T, O, S]) desired(ctx context.Context, mg T) (Desired[S], error) {
	forProvider, initProvider, err := e.Desired(ctx, mg)
	if err != nil {
		return Desired[S]{}, err
	}
	d := Merge(forProvider, initProvider)
	e.settings = d.Settings
	return d, nil
}

// compared returns how spec differs from what was observed.
func (e *external[T, O, S]) compared(ctx context.Context, mg T, d Desired[S]) (Comparison[S], error) {
	if e.Compare == nil {
		return d.Compare(e.observation.Settings), nil
	}
	c, err := e.Compare(ctx, mg, d, e.observation)
	e.out.Add(c.Effects)
	return c, err
}

// planned compares spec with what was observed and decides what is due.
func (e *external[T, O, S]) planned(ctx context.Context, mg T, preview bool) (Plan, Comparison[S], error) {
	d, err := e.desired(ctx, mg)
	if err != nil {
		return Plan{}, Comparison[S]{}, err
	}
	d.Preview = preview
	c, err := e.compared(ctx, mg, d)
	if err != nil {
		return Plan{}, c, err
	}
	p := Plan{Changes: c.Changes}
	if e.Plan != nil {
		p, err = e.Plan(ctx, mg, e.observation, c)
	} else if len(c.Changes) > 0 {
		p.Call = e.Calls.Update
	}
	switch {
	case p.Ready.Type != "" || err != nil:
	case p.Call == "":
		p.Ready = e.readyCondition()
	default:
		p.Ready = UpdatingFields(mg.GetGeneration(), p.Changes)
	}
	return p, c, err
}

// readyCondition returns the Ready condition from the AWS value alone.
func (e *external[T, O, S]) readyCondition() xpv2.Condition {
	if e.Ready != nil {
		return e.Ready(e.mg, e.observation)
	}
	return Available(e.mg.GetGeneration())
}

func (e *external[T, O, S]) details() managed.ConnectionDetails {
	if e.Details == nil {
		return nil
	}
	return e.Details(e.mg)
}
