package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// Observe observes the external resource and decides which call is due.
func (r Resource[T, O, S]) Observe(ctx context.Context, f Facts, mg T) (Outcome, error) {
	f.Fresh.Since = f.Repeats.since(absenceReport, f.Fresh.Since)
	e := &external[T, O, S]{Resource: r, facts: f, mg: mg}
	err := e.observe(ctx)
	return e.out, err
}

func (e *external[T, O, S]) observe(ctx context.Context) error {
	if err := ownership.CheckMoved(e.mg); err != nil {
		return Invalid(err)
	}
	var err error
	e.observation, err = e.Read(ctx, e.facts, e.mg)
	e.out.Add(e.observation.Effects)
	e.annotate(e.observation.Annotate)
	if err != nil {
		return err
	}
	if !e.observation.Exists {
		return e.absent(ctx)
	}
	e.out.Exists = true
	if ObserveOnly(e.mg) {
		return e.observeOnly(ctx)
	}
	owned, err := e.owner(ctx)
	if err != nil {
		return e.foreign(ctx, err)
	}
	e.facts.Repeats.Forget(absenceReport)
	if meta.WasDeleted(e.mg) {
		e.out.Call = &Call{Verb: ToDelete, Reserve: Operations(e.Calls.Delete), Do: e.delete}
		return nil
	}
	e.name(owned)
	e.facts.Others.confirm()
	return e.compare(ctx)
}

// annotate sets annotations in memory, and has them written with those that an earlier step has set.
func (e *external[T, O, S]) annotate(r Record) {
	if len(r.Annotations) == 0 {
		return
	}
	meta.AddAnnotations(e.mg, r.Annotations)
	all := map[string]string{}
	maps.Copy(all, e.out.Annotate.Annotations)
	maps.Copy(all, r.Annotations)
	e.out.Annotate = Record{Annotations: all, Failure: r.Failure}
}

// name writes the external name if it is not written yet, so that the next observation
// recognises the external resource as owned, and with that of an adopted one what it belongs to.
func (e *external[T, O, S]) name(v ownership.Ownership) {
	o := e.observation
	if o.Name == "" || ownership.WroteName(e.mg) && meta.GetExternalName(e.mg) == o.Name {
		return
	}
	names := ownership.Name(e.mg, o.Name)
	if v == ownership.Adopted {
		e.out.Events = append(e.out.Events, event.Normal(v1beta1.EventAdopted, "Adopted "+o.Description))
		if o.Parent != "" {
			names[v1beta1.AnnotationParent] = o.Parent
		}
	}
	e.annotate(Record{Annotations: names, Failure: "cannot write the external name"})
}

// compare compares spec with the observation and decides which call is due.
func (e *external[T, O, S]) compare(ctx context.Context) error {
	e.facts.Repeats.Forget(creation)
	e.Status(e.mg, e.observation)
	p, c, err := e.planned(ctx, e.mg, false)
	e.out.Add(p.Effects)
	if err != nil {
		e.out.Ready = p.Ready
		return err
	}
	mayUpdate := Allows(e.mg, xpv2.ManagementActionUpdate) &&
		(!e.Replaces || Allows(e.mg, xpv2.ManagementActionCreate))
	e.out.Changes, e.out.State, e.out.MayUpdate = p.Changes, p.Comparison(), mayUpdate
	if !mayUpdate && (len(p.Changes) > 0 || p.Call != "") {
		p.Call, p.Ready = "", e.readyCondition()
	}
	p = bounded(e.facts, e.mg, p)
	differences, ready := reportDifferences(e.mg, p.Changes, mayUpdate, p.Ready)
	p.Ready = explained(e.facts.Origin, ready)
	e.plan, e.comparison = p, c
	e.out.Ready, e.out.Differences, e.out.Details = p.Ready, &differences, e.details()
	e.out.Add(Effects{After: p.Wait})
	if p.Recreate && Allows(e.mg, xpv2.ManagementActionDelete) && Allows(e.mg, xpv2.ManagementActionCreate) {
		return e.recreate(ctx)
	}
	if p.Call == "" {
		return nil
	}
	if o := e.observation; o.Parent != "" && !e.Immutable {
		if err := e.facts.Others.MayChange(ctx, o.Description, o.Parent, o.Name); err != nil {
			return e.foreign(ctx, err)
		}
	}
	if p.Call == e.Calls.Create {
		if err := e.facts.Others.claim(); err != nil {
			return err
		}
	}
	e.out.Call = &Call{
		Verb: ToUpdate, Reserve: append(Operations(p.Call), p.Reserve...), Intent: p.Intent,
		Do: e.update,
	}
	return nil
}

// recreate makes the deletion and new creation of the external resource due.
func (e *external[T, O, S]) recreate(ctx context.Context) error {
	e.out.Details = nil
	if err := e.prepareCreate(ctx); err != nil {
		return err
	}
	e.dueCreation(e.Calls.Delete, e.Calls.Create)
	return nil
}

// dueCreation has the external resource created, with calls of operations.
func (e *external[T, O, S]) dueCreation(ops ...string) {
	e.out.Exists = false
	intent := e.creation.Intent
	switch {
	case len(intent.Annotations) > 0:
	case e.observation.Parent != "":
		intent.Annotations = ownership.Asked(e.mg, e.settings)
	default:
		intent = e.unname()
	}
	e.out.Call = &Call{
		Verb: ToCreate, Reserve: Operations(ops...), Intent: intent,
		Does: e.recreates, Do: e.create,
	}
}

// Operations returns the operations that are not empty.
func Operations(ops ...string) []string {
	return slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return op == "" })
}

// prepareCreate checks what is to be created, and records in memory what it belongs to.
// The annotation is written before the creation.
func (e *external[T, O, S]) prepareCreate(ctx context.Context) error {
	if _, err := e.desired(ctx, e.mg); err != nil {
		return err
	}
	if !e.observation.Exists {
		var none S
		e.out.Changes = diff.Compare(e.settings, none)
	}
	if e.observation.Parent != "" {
		meta.AddAnnotations(e.mg, map[string]string{v1beta1.AnnotationParent: e.observation.Parent})
	}
	if e.PrepareCreate == nil {
		return nil
	}
	var err error
	e.creation, err = e.PrepareCreate(ctx, e.mg, e.settings)
	e.out.Add(e.creation.Effects)
	return err
}

// absent decides what to do about an external resource that AWS does not show.
func (e *external[T, O, S]) absent(ctx context.Context) error {
	missing := Unavailable(e.mg.GetGeneration(), WithOrigin(cmp.Or(e.observation.Description, "it")+
		" does not exist in AWS, and managementPolicies do not allow creating it", e.facts.Origin,
		e.facts.ReadyBefore.Message))
	if ObserveOnly(e.mg) {
		e.out.Ready = missing
		return nil
	}
	a := e.absence()
	if wait, err := e.mayExist(a); wait || err != nil {
		e.out.Exists = true
		return err
	}
	if meta.WasDeleted(e.mg) {
		return nil
	}
	e.reportGone(a)
	mayCreate := Allows(e.mg, xpv2.ManagementActionCreate)
	e.out.State, e.out.MayUpdate = Missing, mayCreate
	if !mayCreate {
		e.out.Ready = missing
		return nil
	}
	if wait, count := e.facts.Repeats.Delay(creation, "", e.facts.Now()); wait > 0 {
		e.out.Exists = true
		e.out.Ready = createdNotShown(e.mg.GetGeneration(), e.Calls.Create, count)
		e.out.Add(Effects{After: wait})
		return nil
	}
	if err := e.prepareCreate(ctx); err != nil {
		return err
	}
	e.out.Ready = Creating(e.mg.GetGeneration(), "")
	if e.creation.AfterStatus {
		e.out.Exists = true
		e.out.Add(Effects{After: AtOnce, Keep: true})
		return nil
	}
	if err := e.facts.Others.claim(); err != nil {
		return err
	}
	e.dueCreation(e.Calls.Create)
	return nil
}

// observeOnly reports how the external resource of a resource that may only observe differs from spec. It checks no
// ownership.
func (e *external[T, O, S]) observeOnly(ctx context.Context) error {
	changes, err := e.previewChanges(ctx)
	e.Status(e.mg, e.observation)
	if err != nil {
		return errors.Wrapf(err, "cannot compare %s with spec", e.observation.Description)
	}
	differences, ready := reportDifferences(e.mg, changes, false, e.readyCondition())
	e.out.Ready, e.out.Differences, e.out.Details = ready, &differences, e.details()
	return nil
}

// foreign reports that this resource does not own the external resource. If the managed resource is being deleted, it
// leaves the external resource in AWS once AWS has reported that again: a single answer may lack the tags, and those of
// what this resource has just created may be late.
func (e *external[T, O, S]) foreign(ctx context.Context, err error) error {
	e.facts.Others.release()
	if meta.WasDeleted(e.mg) && ownership.IsForeign(err) {
		unanswered, _ := e.absence().notAnswered()
		if wait := max(unanswered, e.facts.Repeats.Confirm(absenceReport, AbsentReports, e.facts.Now())); wait > 0 {
			return WaitFor(wait)
		}
		e.out.Exists = false
		e.out.Events = append(e.out.Events, event.Normal(v1beta1.EventLeftForeignResource,
			"Left in AWS, because this resource does not own it: "+err.Error()))
		return nil
	}
	if later := (*LaterError)(nil); errors.As(err, &later) {
		return err
	}
	e.out.Ready = Unavailable(e.mg.GetGeneration(), err.Error())
	if !ownership.IsAdoptable(err) {
		return err
	}
	if changes, ferr := e.previewChanges(ctx); ferr == nil { // A failed comparison is reported after the adoption.
		e.out.Differences = &Differences{List: split(e.mg, changes).list()}
	}
	return err
}

// previewChanges returns how AWS differs from spec for a resource that may not change it.
func (e *external[T, O, S]) previewChanges(ctx context.Context) (diff.Changes, error) {
	p, _, err := e.planned(ctx, CopyOf(e.mg), true)
	e.out.Changes = p.Changes
	return p.Changes, err
}
