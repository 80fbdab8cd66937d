package eventsourcemapping

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// external is an event source mapping in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	fields refs.Getter
	tags   *readcache.TagCache
	cache  *readcache.Cache
	owner  tagging.Owner

	// facts are the facts of the reconcile.
	facts reconcile.Facts
}

type (
	awsResource = reconcile.Resource[*v1beta1.EventSourceMapping, observed, settings]

	found  = reconcile.Observation[observed, settings]
	update = reconcile.Update[settings]
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

// get returns a mapping without its tags.
func (e *external) get(ctx context.Context, uuid string) (observed, error) {
	out, err := e.api.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: ptr.To(uuid)})
	if err != nil {
		return observed{}, errors.Wrapf(awserr.Sanitize(err), "cannot read %s", description(uuid))
	}
	out.EventSourceMappingArn = lambdaapi.MappingARN(out.EventSourceMappingArn)
	return observed{mapping: out}, nil
}

// getWithTags returns a mapping and its tags, which may be cached.
func (e *external) getWithTags(ctx context.Context, m *v1beta1.EventSourceMapping, uuid string) (observed, error) {
	o, err := e.get(ctx, uuid)
	if err == nil {
		o.tags, err = e.tags.Read(ctx, m, ptr.Deref(o.mapping.EventSourceMappingArn, ""), e.api)
	}
	return o, err
}

func description(uuid string) string { return "event source mapping " + uuid }

// ownership decides by the tags.
func (e *external) ownership(
	ctx context.Context, _ reconcile.Facts, m *v1beta1.EventSourceMapping, o found,
) (ownership.Ownership, error) {
	return e.checkOwnership(ctx, m, o.Resource, o.Name)
}

func (e *external) checkOwnership(
	ctx context.Context, m *v1beta1.EventSourceMapping, o observed, uuid string,
) (ownership.Ownership, error) {
	v, err := e.owner.CheckOwnership(ctx, e.facts.Others, m, o.tags, ownership.IsNamed(m, uuid), description(uuid))
	if o.tags[ownership.TagUID] == "" && o.tags[ownership.TagCluster] == "" { // They may be late.
		if owner := e.facts.Others.Owner(ctx, plainFunction(ptr.Deref(o.mapping.FunctionArn, "")), uuid); owner != "" {
			return ownership.Foreign, ownership.NewOwnedUntaggedError(description(uuid), uuid, owner)
		}
		if err != nil {
			err = errors.Errorf("%w, %s", err, uuid)
		}
	}
	if err != nil || meta.WasDeleted(m) && v.ShownByTags(o.tags, m) {
		return v, err // The resource's own mapping is deleted even if it may not act on the function.
	}
	if err := e.facts.Others.MayAct(ctx, tenancy.Functions(o.mapping.FunctionArn)...); err != nil {
		return ownership.Foreign, ownership.NewNotAllowedError(description(uuid), err)
	}
	return v, nil
}

// ready returns the Ready condition for the state in AWS.
func (e *external) ready(m *v1beta1.EventSourceMapping, o found) xpv2.Condition {
	want := m.Spec.ForProvider.Enabled
	if i := m.Spec.InitProvider; want == nil && i != nil && !ptr.Deref(i.Enabled, true) {
		want = i.Enabled
	}
	return tagging.Ready(m, o.Resource.tags, ready(m.GetGeneration(), o.Resource, want))
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

// details returns the UUID, the ARNs and the region of the mapping.
func details(m *v1beta1.EventSourceMapping) managed.ConnectionDetails {
	return managed.ConnectionDetails{
		"uuid":        []byte(ptr.Deref(m.Status.AtProvider.UUID, "")),
		"arn":         []byte(ptr.Deref(m.Status.AtProvider.EventSourceMappingArn, "")),
		"functionArn": []byte(ptr.Deref(m.Status.AtProvider.FunctionArn, "")),
		"region":      []byte(m.Spec.ForProvider.Region),
	}
}

// desired returns the settings of spec with references resolved and ownership tags added.
func (e *external) desired(
	ctx context.Context, m *v1beta1.EventSourceMapping,
) (forProvider, initProvider settings, err error) {
	p, err := refs.Resolve(ctx, e.fields, m.GetNamespace(), "spec.forProvider", m.Spec.ForProvider)
	if err != nil {
		return forProvider, initProvider, err
	}
	forProvider = fromParameters(p)
	if i := m.Spec.InitProvider; i != nil {
		resolved, err := refs.Resolve(ctx, e.fields, m.GetNamespace(), "spec.initProvider", *i)
		if err != nil {
			return forProvider, initProvider, err
		}
		initProvider = fromSpec(resolved)
	}
	forProvider.Tags = e.owner.Desired(m, forProvider.Tags, initProvider.Tags)
	return forProvider, initProvider, nil
}

// source returns the ARN of the source, or nil for self-managed Kafka.
func (e *external) source(ctx context.Context, m *v1beta1.EventSourceMapping) (*string, error) {
	p := m.Spec.ForProvider
	return refs.One(ctx, e.fields, m.GetNamespace(), "spec.forProvider.eventSourceArnFrom", p.EventSourceArn,
		p.EventSourceArnFrom)
}

// prefixed returns the ID of a subnet or security group in the form that AWS expects in this field.
func prefixed(kind, uri string) string {
	prefix := map[string]string{"VPC_SUBNET": "subnet:", "VPC_SECURITY_GROUP": "security_group:"}[kind]
	if strings.HasPrefix(uri, prefix) {
		return uri
	}
	return prefix + uri
}
