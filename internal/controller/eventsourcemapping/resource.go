package eventsourcemapping

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.ownership, Ready: e.ready, Desired: e.desired, Compare: e.compare,
		Plan: e.plan, Create: e.create, Update: e.update, Delete: e.delete, Details: details,
		Shown: func(m *v1beta1.EventSourceMapping) bool { // AWS returns it as Creating too.
			return ownership.IsNamed(m, ptr.Deref(m.Status.AtProvider.UUID, ""))
		},
		Status: func(m *v1beta1.EventSourceMapping, o found) { m.Status.AtProvider = observation(o.Resource) },
	}
}

// read reads the mapping with GetEventSourceMapping, and its tags if they are due. Without
// a UUID it searches for a mapping that an earlier create may have made.
func (e *external) read(ctx context.Context, f reconcile.Facts, m *v1beta1.EventSourceMapping) (found, error) {
	e.facts = f
	uuid, effects := reconcile.ExternalName(m), reconcile.Effects{}
	if uuid == "" {
		var err error
		if uuid, effects, err = e.lost(ctx, m); err != nil || uuid == "" {
			return found{Effects: effects}, err
		}
	}
	o, err := e.get(ctx, uuid)
	if awserr.IsNotFound(err) {
		return found{Effects: effects, Description: description(uuid)}, nil
	}
	if err != nil {
		return found{Effects: effects}, err
	}
	if known := m.Status.AtProvider.FilterCriteria; o.unreadable() && known != nil {
		o.mapping.FilterCriteria = &types.FilterCriteria{}
		statusToFilters.Copy(o.mapping.FilterCriteria, known)
	}
	if reconcile.ObserveOnly(m) {
		err = f.Others.MayAct(ctx, tenancy.Functions(o.mapping.FunctionArn)...)
	}
	if err == nil {
		o.tags, err = tagging.Read(ctx, m, ptr.Deref(o.mapping.EventSourceMappingArn, ""), e.tags, e.api)
	}
	return found{
		Effects: effects, Resource: o, Settings: fromAWS(o), Exists: err == nil, Name: uuid,
		Description: description(uuid),
	}, err
}

func (e *external) compare(
	_ context.Context, m *v1beta1.EventSourceMapping, d reconcile.Desired[settings],
	o found,
) (reconcile.Comparison[settings], error) {
	c := compare(d, o.Resource, fresh(m), e.owner)
	if o.Resource.unreadable() && reconcile.Allows(m, xpv2.ManagementActionUpdate) {
		// Filters that are due may be sent only by a later reconcile, which has to find them different.
		m.Status.AtProvider.FilterCriteria = criteria(c.Observed.FilterCriteria)
	}
	if fixed := immutable(c); len(fixed) > 0 && reconcile.Allows(m, xpv2.ManagementActionUpdate) {
		return c, reconcile.Unchangeable(o.Description, v1beta1.EventSourceMappingKind, fixed)
	}
	return c, nil
}

// fresh reports whether the user changed spec since the last reconcile.
func fresh(m *v1beta1.EventSourceMapping) bool {
	return m.GetCondition(xpv2.TypeReady).ObservedGeneration != m.GetGeneration()
}

// plan returns the calls that are due, tags first. While AWS changes the mapping, nothing is due.
func (e *external) plan(
	_ context.Context, m *v1beta1.EventSourceMapping, o found, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: c.Changes}
	switch state := o.Resource.state(); {
	case state == stateDeleting, inMotion(state) && len(c.Changes) > 0:
		p.Wait = pending(o.Resource, e.facts.Now())
	case inMotion(state):
	case !fresh(m) && onlyEnables(c) && !advice.IsUserAction(o.Resource.reason()) &&
		sinceModified(o.Resource, e.facts.Now()) < retryAfter:
		p.Wait = retryAfter - sinceModified(o.Resource, e.facts.Now())
	default:
		calls, err := tagging.Calls(m, e.tags, c.Target.Tags, c.Observed.Tags, c.Changes, together(c), opUpdate)
		return p.With(calls...), err
	}
	return p, nil
}

// create creates the mapping and returns its UUID. If AWS already has a mapping for this source and function, create
// returns that one if its tags or the user say that it belongs to this resource.
func (e *external) create(ctx context.Context, m *v1beta1.EventSourceMapping, s settings) (reconcile.Result, error) {
	if source, err := e.source(ctx, m); err == nil {
		defer e.cache.Forget(listKey(listInput(m, source)))
	}
	defer e.cache.Forget(listKey(listInput(m, nil)))
	s.Tags = e.owner.Target(s.Tags, nil)
	in := createInput(functionName(m.Spec.ForProvider), s)
	out, err := e.api.CreateEventSourceMapping(ctx, in, new(lambdaapi.AtMostOnce).Options)
	if awserr.IsAlreadyExists(err) {
		return e.takeOver(ctx, m, err)
	}
	if err != nil {
		return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err),
			"cannot create event source mapping of function %s", ptr.Deref(in.FunctionName, ""))
	}
	m.Status.AtProvider.FilterCriteria = criteria(s.FilterCriteria)
	res := reconcile.Result{Name: ptr.Deref(out.UUID, "")}
	res.Keep = in.KMSKeyArn != nil && in.FilterCriteria != nil // AWS may not return them.
	return res, nil
}

// update makes the call that is due.
func (e *external) update(
	ctx context.Context, m *v1beta1.EventSourceMapping, o found, u update,
) (reconcile.Result, error) {
	var err error
	switch u.Call {
	case tagging.OpTag, tagging.OpUntag:
		arn := ptr.Deref(o.Resource.mapping.EventSourceMappingArn, "")
		err = tagging.Apply(ctx, e.api, arn, u.Target.Tags, u.Observed.Tags)
	case opUpdate:
		in := updateInput(o.Name, functionName(m.Spec.ForProvider), u.Target, u.Applies)
		_, err = e.api.UpdateEventSourceMapping(ctx, in)
		if err == nil && in.FilterCriteria != nil {
			m.Status.AtProvider.FilterCriteria = criteria(u.Target.FilterCriteria)
		}
	}
	if other := uuidPattern.FindStringSubmatch(awserr.Message(err)); other != nil && awserr.IsAlreadyExists(err) {
		return reconcile.Result{}, errors.Wrapf(
			e.duplicate(ctx, other[1], functionName(m.Spec.ForProvider)), "cannot update %s", o.Description,
		)
	}
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot update %s (%s)", o.Description, u.Call)
}

// duplicate returns the error of a change that would give two mappings the same source and function.
func (e *external) duplicate(ctx context.Context, uuid, function string) error {
	whose := "AWS"
	if owner := e.facts.Others.Owner(ctx, plainFunction(function), uuid); owner != "" {
		whose = owner
	}
	return errors.Errorf(
		"%s already has %s for this source and function: delete one of the two", whose, description(uuid),
	)
}

// delete deletes the mapping. AWS deletes it asynchronously, and accepts the call only if
// no other change is in progress.
func (e *external) delete(ctx context.Context, m *v1beta1.EventSourceMapping, o found) (reconcile.Result, error) {
	if inMotion(o.Resource.state()) {
		return reconcile.Result{}, reconcile.WaitFor(pending(o.Resource, e.facts.Now()))
	}
	e.tags.Forget(m)
	_, err := e.api.DeleteEventSourceMapping(ctx, &lambda.DeleteEventSourceMappingInput{UUID: ptr.To(o.Name)})
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", o.Description)
}
