package eventsourcemapping

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
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
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opGet    = "GetEventSourceMapping"
	opList   = "ListEventSourceMappings"
	opTags   = "ListTags"
	opCreate = "CreateEventSourceMapping"
	opUpdate = "UpdateEventSourceMapping"
	opDelete = "DeleteEventSourceMapping"
)

// calls names the operations that create, update and delete a mapping. AWS assigns the name.
var calls = reconcile.Calls{Create: opCreate, Update: opUpdate, Delete: opDelete, NameGiven: true}

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
	if !v.ShownByTags(o.tags, m) { // They may be late, or name the former owner of what another resource has adopted.
		if owner := e.facts.Others.Owner(ctx, plainFunction(ptr.Deref(o.mapping.FunctionArn, "")), uuid); owner != "" {
			return ownership.Foreign, ownership.NewOwnedUntaggedError(description(uuid), uuid, owner)
		}
		if err != nil && o.tags[ownership.TagUID] == "" && o.tags[ownership.TagCluster] == "" {
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

// source returns the ARN of the source, or nil for self-managed Kafka.
func (e *external) source(ctx context.Context, m *v1beta1.EventSourceMapping) (*string, error) {
	p := m.Spec.ForProvider
	return refs.One(ctx, e.fields, m.GetNamespace(), "spec.forProvider.eventSourceArnFrom", p.EventSourceArn,
		p.EventSourceArnFrom)
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

// details returns the UUID, the ARNs and the region of the mapping.
func details(m *v1beta1.EventSourceMapping) managed.ConnectionDetails {
	return managed.ConnectionDetails{
		"uuid":        []byte(ptr.Deref(m.Status.AtProvider.UUID, "")),
		"arn":         []byte(ptr.Deref(m.Status.AtProvider.EventSourceMappingArn, "")),
		"functionArn": []byte(ptr.Deref(m.Status.AtProvider.FunctionArn, "")),
		"region":      []byte(m.Spec.ForProvider.Region),
	}
}
