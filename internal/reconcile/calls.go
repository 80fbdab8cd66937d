package reconcile

import (
	"cmp"
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// create creates the external resource. If AWS has it already, the next observation checks
// the ownership: an unanswered create may have made it.
func (e *external[T, O, S]) create(ctx context.Context) (Result, error) {
	e.facts.Others.calls()
	res, err := e.Create(ctx, e.mg, e.settings)
	if err != nil && !isUnanswered(err) {
		e.facts.Others.release()
	}
	switch {
	case isBusy(err):
		return res, e.busy(err)
	case awserr.IsAlreadyExists(err):
		return e.alreadyExists(res, err)
	case err != nil:
		if isUnanswered(err) {
			meta.AddAnnotations(e.mg, ownership.Unanswered(e.mg))
		}
		return res, err
	case res.Name == "":
		return e.nameless(res), nil
	}
	e.facts.Repeats.Forget(deferral, deletion)
	e.facts.Repeats.Record(creation, "", e.facts.Now())
	meta.AddAnnotations(e.mg, ownership.Name(e.mg, res.Name))
	if e.NameGiven {
		e.facts.Others.confirm() // Nobody could claim the name before AWS gave it.
	}
	res.Details = e.details()
	return res, nil
}

// update makes the one call that is due.
func (e *external[T, O, S]) update(ctx context.Context) (Result, error) {
	if e.plan.Call == e.Calls.Create {
		e.facts.Others.calls()
	}
	res, err := e.change(ctx)
	if err != nil && !isUnanswered(err) {
		e.facts.Others.release()
	}
	if isBusy(err) {
		return res, e.busy(err)
	}
	if err != nil {
		return res, err
	}
	e.facts.Repeats.Forget(deferral)
	if res.Part {
		e.facts.Repeats.Forget(deletion)
	}
	if e.Replaces { // The update has removed it.
		e.facts.Repeats.Record(deletion, "", e.facts.Now())
	}
	e.facts.Repeats.Record(e.plan.Call, e.plan.Applies.String(), e.facts.Now())
	if res.Name != "" {
		res.Annotate = Record{
			Annotations: createdAgain(e.mg, res.Name, e.facts.Now()),
			Failure:     "cannot write the external name",
		}
	}
	res.Does = cmp.Or(res.Does, e.plan.Does, e.facts.Cause(e.mg, e.plan)+": "+e.plan.Applies.String())
	if !e.plan.Slow {
		res.Add(Effects{After: AtOnce})
	}
	res.Details = e.details()
	return res, nil
}

// change makes the call by the function Update, or by Create if the kind has no other.
func (e *external[T, O, S]) change(ctx context.Context) (Result, error) {
	if e.Update == nil {
		_, err := e.Create(ctx, e.mg, e.comparison.Target)
		return Result{}, err
	}
	return e.Update(ctx, e.mg, e.observation,
		Update[S]{Comparison: e.comparison, Call: e.plan.Call, Applies: e.plan.Applies})
}

func (e *external[T, O, S]) delete(ctx context.Context) (Result, error) {
	res, err := e.Delete(ctx, e.mg, e.observation)
	if isBusy(err) {
		return res, e.busy(err)
	}
	if err != nil && !awserr.IsNotFound(err) {
		return res, err
	}
	if res.Part {
		e.facts.Repeats.Forget(deletion)
		if res.After == 0 {
			res.After = AtOnce
		}
		return res, nil
	}
	e.facts.Repeats.Forget(deferral)
	return e.afterDeletion(res), nil
}

// isBusy reports whether AWS accepts the call later, because another operation is in
// progress or the external resource was changed since it was observed.
func isBusy(err error) bool { return awserr.IsInProgress(err) || awserr.IsPreconditionFailed(err) }
