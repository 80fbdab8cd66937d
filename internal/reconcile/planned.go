package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// AnnotationPlan is the annotation of a resource that is only planned: as long as it is "true", nothing is changed in AWS,
// and the condition Planned says what would be done.
const AnnotationPlan = "lambda.aws.m.crossplane.io/plan"

// TypePlanned is a condition that says what would be done about a resource that is only planned or only observed.
const TypePlanned xpv2.ConditionType = "Planned"

// Reasons of the condition Planned.
const (
	// ReasonChangesPlanned means that something would be done.
	ReasonChangesPlanned xpv2.ConditionReason = "ChangesPlanned"

	// ReasonNothingPlanned means that AWS has what spec asks for.
	ReasonNothingPlanned xpv2.ConditionReason = "NothingPlanned"

	// ReasonNotPlanned means that the resource is reconciled: it is no longer only planned or only observed.
	ReasonNotPlanned xpv2.ConditionReason = "NotPlanned"
)

// maxPlan is the length of the message of the condition Planned.
const maxPlan = 1024

// A ResourcePlanner plans what would be done about a resource.
type ResourcePlanner interface {
	// Plan returns what would be done, in one line, and whether anything would be. It reads AWS with the session and
	// changes neither AWS nor the cluster. It returns an error if AWS cannot be read now.
	Plan(ctx context.Context, mg Managed, s *session.Session) (summary string, differs bool, err error)
}

// planOnly returns whether a resource is only planned.
func planOnly(mg Managed) bool { return mg.GetAnnotations()[AnnotationPlan] == "true" }

// planClient is the external client of a resource that is only planned or only observed. It changes nothing.
type planClient[T Managed] struct {
	managed.TypedExternalClient[T]

	planner ResourcePlanner
	session *session.Session

	// reads returns the calls of one observation.
	reads func(mg T) []string

	// brake decides whether the deletion of the resource would wait.
	brake *brake[T]

	// asked are the management policies of spec if the resource is only planned, and nil if it is only observed.
	asked xpv2.ManagementPolicies
}

// planning returns the client of a resource that only plans, if the resource asks for that. The kind's own client then
// observes it as if spec allowed nothing else.
func (c *connector[T]) planning(ctx context.Context, mg T, connect func() (managed.TypedExternalClient[T], error)) (managed.TypedExternalClient[T], error) {
	p := &planClient[T]{planner: c.planner, reads: c.kind.Reads, brake: c.brake}
	switch {
	case c.planner == nil:
		return connect()
	case planOnly(mg):
		if p.asked = mg.GetManagementPolicies(); len(p.asked) == 0 {
			p.asked = xpv2.ManagementPolicies{xpv2.ManagementActionAll}
		}
		mg.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
	case !ObserveOnly(mg):
		if mg.GetCondition(TypePlanned).Status == corev1.ConditionTrue {
			mg.SetConditions(plannedCondition(mg.GetGeneration(), corev1.ConditionFalse, ReasonNotPlanned, ""))
		}
		return connect()
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return connect()
	}
	p.session = s
	p.TypedExternalClient, err = connect()
	return p, err
}

// Observe observes the external resource, and says in a condition what would be done.
func (c *planClient[T]) Observe(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	before, ok := mg.DeepCopyObject().(Managed)
	if !ok {
		return managed.ExternalObservation{}, errors.Errorf("%T cannot be planned", mg)
	}
	before.SetManagementPolicies(c.asked)
	if c.asked == nil {
		before.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionAll})
		before.SetDeletionTimestamp(nil)
	}
	if c.asked != nil && meta.WasDeleted(mg) {
		return managed.ExternalObservation{}, c.planDeletion(ctx, mg, before)
	}
	o, err := c.TypedExternalClient.Observe(ctx, mg)
	if err != nil {
		return o, err
	}
	if c.asked == nil && (!o.ResourceExists || sameAsPlanned(ctx, mg)) {
		return o, nil
	}
	summary, differs, err := c.plan(ctx, mg, before)
	if err != nil {
		return managed.ExternalObservation{}, err
	}
	show(mg, summary, differs)
	if c.asked == nil {
		return o, nil
	}
	explainPlanOnly(ctx)
	if !o.ResourceExists {
		mg.SetConditions(Unavailable(mg.GetGeneration(), fmt.Sprintf("it does not exist in AWS, and the annotation %s keeps it from being created", AnnotationPlan)))
	}
	o.ResourceExists, o.ResourceUpToDate = true, true
	return o, nil
}

// planDeletion plans the deletion of a resource, says in a condition what would be done, and returns the error that keeps the
// resource.
func (c *planClient[T]) planDeletion(ctx context.Context, mg T, before Managed) error {
	summary, differs, err := c.plan(ctx, mg, before)
	if err != nil {
		return err
	}
	if differs {
		held, err := c.brake.wouldHold(ctx, mg, c.session)
		if err != nil {
			return err
		}
		if held != "" {
			summary += "; " + held
		}
	}
	show(mg, summary, differs)
	return Invalid(errors.Errorf("the annotation %s keeps the resource from being deleted: the plan is to %s; remove the annotation to delete it", AnnotationPlan, summary))
}

// show says in a condition what would be done.
func show(mg Managed, summary string, differs bool) {
	reason := ReasonNothingPlanned
	if differs {
		reason = ReasonChangesPlanned
	}
	mg.SetConditions(plannedCondition(mg.GetGeneration(), corev1.ConditionTrue, reason, cut(summary, maxPlan)))
}

// plan plans a resource. It reserves the calls of two observations, before and after the change: otherwise many resources
// that are planned at once take calls from each other, and none finishes its plan.
func (c *planClient[T]) plan(ctx context.Context, mg T, before Managed) (summary string, differs bool, err error) {
	reads := c.reads(mg)
	if !Reserve(ctx, append(slices.Clone(reads), reads...)...) {
		return "", false, errAborted
	}
	return c.planner.Plan(ctx, before, c.session)
}

// sameAsPlanned returns whether a resource that is only observed was planned for this spec, and AWS differs as it did
// then. It need not be planned again, which would read AWS again.
func sameAsPlanned(ctx context.Context, mg Managed) bool {
	p := mg.GetCondition(TypePlanned)
	_, found, reported := attemptFrom(ctx).Differences()
	return p.Status == corev1.ConditionTrue && p.ObservedGeneration == mg.GetGeneration() && !requested(mg) &&
		reported && slices.Equal(found, mg.GetSummary().Differences)
}

// explainPlanOnly makes the message about differences name the annotation instead of managementPolicies.
func explainPlanOnly(ctx context.Context) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.differsMessage = strings.Replace(a.differsMessage, policiesForbid, "the annotation "+AnnotationPlan+" keeps it from being changed", 1)
}

func plannedCondition(generation int64, status corev1.ConditionStatus, reason xpv2.ConditionReason, message string) xpv2.Condition {
	c := ready(status, reason, generation, message)
	c.Type = TypePlanned
	return c
}
