package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// maxPlan is the length of the message of the condition Planned.
const maxPlan = 1024

// planOnly reports whether a resource is only planned. A value that is neither true nor false counts as true, because
// nobody who sets the annotation expects a change.
func planOnly(mg reconcile.Managed) bool {
	v, ok := mg.GetAnnotations()[v1beta1.AnnotationPlan]
	return ok && v != "false"
}

// A planObserver is the observer of a resource that is only planned or only observed. It has no call made.
type planObserver struct {
	pass  *pass
	inner reconcile.UntypedObserver

	// asked are the management policies of spec if the resource is only planned, and nil if it is only observed.
	asked xpv2.ManagementPolicies
}

// planning reports whether a resource is planned, and returns its management policies if it is only planned. The kind's
// own observer then observes it as if spec allowed nothing else.
func (p *pass) planning(mg reconcile.Managed) (plans bool, asked xpv2.ManagementPolicies) {
	switch {
	case p.Planner == nil:
		return false, nil
	case planOnly(mg):
		if asked = mg.GetManagementPolicies(); len(asked) == 0 {
			asked = xpv2.ManagementPolicies{xpv2.ManagementActionAll}
		}
		mg.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
	case !reconcile.ObserveOnly(mg):
		if mg.GetCondition(v1beta1.TypePlanned).Status == corev1.ConditionTrue {
			mg.SetConditions(reconcile.NewCondition(v1beta1.TypePlanned, corev1.ConditionFalse,
				v1beta1.ReasonNotPlanned, mg.GetGeneration(), ""))
		}
		return false, nil
	}
	return p.session != nil, asked
}

// Observe observes the external resource, and says in a condition what would be done.
func (o *planObserver) Observe(
	ctx context.Context, f reconcile.Facts, mg reconcile.Managed,
) (reconcile.Outcome, error) {
	before := reconcile.CopyOf(mg)
	before.SetManagementPolicies(o.asked)
	if o.asked == nil {
		before.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionAll})
		before.SetDeletionTimestamp(nil)
	}
	if o.asked != nil && meta.WasDeleted(mg) {
		return reconcile.Outcome{}, o.planDeletion(ctx, f, mg, before)
	}
	out, err := o.inner.Observe(ctx, f, mg)
	if err != nil {
		return out, err
	}
	if o.asked == nil && (!out.Exists || sameAsPlanned(out, mg)) {
		return out, nil
	}
	summary, differs, err := o.plan(ctx, f, mg, before)
	if err != nil {
		return out, err
	}
	show(mg, summary, differs)
	if o.asked == nil {
		return out, nil
	}
	if out.Differences != nil {
		out.Differences.Message = strings.Replace(out.Differences.Message, reconcile.PoliciesForbid,
			"the annotation "+v1beta1.AnnotationPlan+" keeps it from being changed", 1)
	}
	if !out.Exists {
		out.Ready = reconcile.Unavailable(mg.GetGeneration(),
			fmt.Sprintf("it does not exist in AWS, and the annotation %s keeps it from being created",
				v1beta1.AnnotationPlan))
	}
	out.Exists, out.Call = true, nil
	return out, nil
}

// planDeletion plans the deletion of a resource, says in a condition what would be done, and returns the error that
// keeps the resource.
func (o *planObserver) planDeletion(
	ctx context.Context, f reconcile.Facts, mg, before reconcile.Managed,
) error {
	summary, differs, err := o.plan(ctx, f, mg, before)
	if err != nil {
		return err
	}
	if differs {
		held, err := o.pass.decideDeletion(ctx, mg, o.pass.DeletionLimiter.Allows)
		if err != nil {
			return err
		}
		if held.Message != "" {
			summary += "; " + held.Message
		}
	}
	show(mg, summary, differs)
	return reconcile.Invalid(errors.Errorf("the annotation %s keeps the resource from being deleted: the plan is to "+
		"%s; remove the annotation to delete it", v1beta1.AnnotationPlan, summary))
}

// show says in a condition what would be done.
func show(mg reconcile.Managed, summary string, differs bool) {
	reason := v1beta1.ReasonNothingPlanned
	if differs {
		reason = v1beta1.ReasonChangesPlanned
	}
	mg.SetConditions(reconcile.NewCondition(v1beta1.TypePlanned, corev1.ConditionTrue, reason, mg.GetGeneration(),
		reconcile.Cut(summary, maxPlan)))
}

// plan plans a resource. It reserves the calls of two observations, before and after the change: otherwise many
// resources that are planned at once take calls from each other, and none finishes its plan.
func (o *planObserver) plan(
	ctx context.Context, f reconcile.Facts, mg, before reconcile.Managed,
) (summary string, differs bool, err error) {
	reads := o.pass.kind.Reads(mg)
	if err := f.Reserve(append(slices.Clone(reads), reads...)...); err != nil {
		return "", false, err
	}
	return o.pass.Planner.Plan(ctx, before, o.pass.session)
}

// sameAsPlanned reports whether a resource that is only observed was planned for this spec, and AWS differs as it did
// then. It need not be planned again, which would read AWS again.
func sameAsPlanned(out reconcile.Outcome, mg reconcile.Managed) bool {
	p := mg.GetCondition(v1beta1.TypePlanned)
	return p.Status == corev1.ConditionTrue && p.ObservedGeneration == mg.GetGeneration() && !reconcile.Requested(mg) &&
		out.Differences != nil && slices.Equal(out.Differences.List, mg.GetSummary().Differences)
}
