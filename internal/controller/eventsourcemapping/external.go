package eventsourcemapping

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/once"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/tagmemory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// thing is how this kind sees its mapping in AWS. It lives for one reconcile.
type thing struct {
	api    lambdaAPI
	fields fields.Getter
	tags   *tagmemory.TagCache
	cache  *inventory.Cache
	owner  tagging.Owner
	now    func() time.Time

	// wanted and comparison are what Prepare and Plan found, for the call that follows.
	wanted     desired
	comparison comparison
}

// Read a mapping with GetEventSourceMapping, and its tags where they are due. Without a
// UUID, a create whose answer was lost may have left one.
func (t *thing) Read(ctx context.Context, m *v1beta1.EventSourceMapping) (flow.Found[observed], error) {
	uuid := flow.Name(m)
	if uuid == "" {
		var err error
		if uuid, err = t.lost(ctx, m); err != nil || uuid == "" {
			return flow.Found[observed]{}, err
		}
	}
	o, err := t.get(ctx, uuid)
	if awserr.IsNotFound(err) {
		return flow.Found[observed]{}, nil
	}
	if err != nil {
		return flow.Found[observed]{}, err
	}
	switch arn := ptr.Deref(o.mapping.EventSourceMappingArn, ""); {
	case !flow.ObserveOnly(m):
		o.tags, err = t.tags.Read(ctx, m, arn, t.api)
	default:
		if err = managed.CheckMayAct(ctx, tenancy.Functions(o.mapping.FunctionArn)...); err == nil {
			o.tags, err = t.tags.Show(ctx, m, arn, t.api)
		}
	}
	return flow.Found[observed]{Thing: o, Exists: err == nil, Name: uuid, What: what(uuid)}, err
}

// get a mapping, without its tags.
func (t *thing) get(ctx context.Context, uuid string) (observed, error) {
	out, err := t.api.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: ptr.To(uuid)})
	if err != nil {
		return observed{}, errors.Wrapf(awserr.Clean(err), "cannot read %s", what(uuid))
	}
	return observed{mapping: out}, nil
}

func what(uuid string) string { return "event source mapping " + uuid }

// Judge whose a mapping is, by its tags.
func (t *thing) Judge(ctx context.Context, m *v1beta1.EventSourceMapping, f flow.Found[observed]) (ownership.Verdict, error) {
	return t.judge(ctx, m, f.Thing, f.Name)
}

func (t *thing) judge(ctx context.Context, m *v1beta1.EventSourceMapping, o observed, uuid string) (ownership.Verdict, error) {
	v, err := t.owner.Judge(ctx, m, o.tags, named(m, uuid), what(uuid))
	if err != nil && o.tags[ownership.TagUID] == "" && o.tags[ownership.TagCluster] == "" {
		if owner := managed.Owner(ctx, uuid); owner != "" {
			return v, ownership.NewOwnedUntaggedError(what(uuid), uuid, owner)
		}
		err = errors.Errorf("%w, %s", err, uuid)
	}
	if err != nil || meta.WasDeleted(m) && v != ownership.Adopted {
		return v, err // What is ours is deleted, whoever owns its function.
	}
	if err := managed.CheckMayAct(ctx, tenancy.Functions(o.mapping.FunctionArn)...); err != nil {
		return ownership.Foreign, ownership.NewNotAllowedError(what(uuid), err)
	}
	return v, nil
}

// named says that this very mapping is meant: the user named it, or the resource itself
// wrote its name, which AWS gives to no other. Tags may come late, or be taken off.
func named(m *v1beta1.EventSourceMapping, uuid string) bool {
	return ownership.UserSetName(m) && meta.GetExternalName(m) == uuid ||
		ownership.WroteName(m) && meta.GetExternalName(m) == uuid
}

// Show what was found in status.atProvider.
func (t *thing) Show(m *v1beta1.EventSourceMapping, f flow.Found[observed]) {
	m.Status.AtProvider = status(f.Thing)
}

// State is the Ready condition by what AWS says alone.
func (t *thing) State(m *v1beta1.EventSourceMapping, f flow.Found[observed]) xpv2.Condition {
	r := ready(m.GetGeneration(), f.Thing, m.Spec.ForProvider.Enabled)
	if f.Thing.tags == nil && r.Message == "" && !flow.ObserveOnly(m) {
		return r.WithMessage(tagging.Untold)
	}
	return r
}

// Plan compares spec with what was found.
func (t *thing) Plan(ctx context.Context, m *v1beta1.EventSourceMapping, f flow.Found[observed]) (flow.Plan, error) {
	d, err := t.desired(ctx, m)
	if err != nil {
		return flow.Plan{}, err
	}
	fresh := m.GetCondition(xpv2.TypeReady).ObservedGeneration != m.GetGeneration()
	c := compare(d, f.Thing, fresh, t.owner)
	t.wanted, t.comparison = d, c
	if fixed := c.immutable(); len(fixed) > 0 && flow.Allows(m, xpv2.ManagementActionUpdate) {
		return flow.Plan{}, errors.Errorf("%s exists with settings that AWS can't change: %s; correct spec.forProvider, or create a new EventSourceMapping", f.What, fixed)
	}
	p := flow.Plan{Ready: t.State(m, f), Changes: c.changes}
	switch state := f.Thing.state(); {
	case state == stateDeleting, inMotion(state) && len(c.changes) > 0:
		p.Wait = pending(f.Thing, t.now())
	case inMotion(state):
	case !fresh && c.onlyEnables() && !byUser(f.Thing.reason()) && sinceModified(f.Thing, t.now()) < retryAfter:
		p.Wait = retryAfter - sinceModified(f.Thing, t.now())
	case len(c.changes) > 0 && t.tags.Outdated(m):
		managed.Abort(ctx, 0)
	case len(c.changes) > 0:
		steps := c.due()
		if tagging.Due(c.target.Tags, c.have.Tags) != "" {
			t.tags.Forget(m)
		}
		p = p.With(steps...)
		p.Ready = condition.Updating(m.GetGeneration(), "changing "+steps[0].Carried.Names())
	}
	return p, nil
}

// Prepare resolves what spec refers to.
func (t *thing) Prepare(ctx context.Context, m *v1beta1.EventSourceMapping) error {
	var err error
	t.wanted, err = t.desired(ctx, m)
	return err
}

// Create the mapping with CreateEventSourceMapping. Where AWS has one of this source and
// function already, its tags tell whose it is.
func (t *thing) Create(ctx context.Context, m *v1beta1.EventSourceMapping) (string, error) {
	out, err := t.api.CreateEventSourceMapping(ctx, createInput(t.wanted.function, t.wanted.settings), new(once.Call).Options)
	if awserr.IsAlreadyExists(err) {
		return t.takeOver(ctx, m, err)
	}
	if err != nil {
		return "", errors.Wrap(awserr.Clean(err), "cannot create event source mapping")
	}
	return ptr.Deref(out.UUID, ""), nil
}

// Update makes the call that is due.
func (t *thing) Update(ctx context.Context, _ *v1beta1.EventSourceMapping, f flow.Found[observed], p flow.Plan) error {
	var err error
	switch p.Call {
	case tagging.CallTag, tagging.CallUntag:
		err = tagging.Apply(ctx, t.api, ptr.Deref(f.Thing.mapping.EventSourceMappingArn, ""), t.comparison.target.Tags, t.comparison.have.Tags)
	case opUpdate:
		_, err = t.api.UpdateEventSourceMapping(ctx, updateInput(f.Name, t.wanted.function, t.comparison.target, p.Carried))
	}
	if other := uuidPattern.FindStringSubmatch(awserr.Message(err)); other != nil && awserr.IsAlreadyExists(err) {
		return errors.Wrapf(duplicate(ctx, other[1]), "cannot update %s", f.What)
	}
	return errors.Wrapf(awserr.Clean(err), "cannot update %s (%s)", f.What, p.Call)
}

// duplicate is the error of a change by which two mappings would be of one source and function.
func duplicate(ctx context.Context, uuid string) error {
	if owner := managed.Owner(ctx, uuid); owner != "" {
		return errors.Errorf("%s already has %s for this source and function: delete one of the two", owner, what(uuid))
	}
	return errors.Errorf("AWS already has %s for this source and function: delete one of the two", what(uuid))
}

// Delete the mapping. AWS takes a while over it, and takes the call only when nothing
// else is under way.
func (t *thing) Delete(ctx context.Context, m *v1beta1.EventSourceMapping, f flow.Found[observed]) error {
	if inMotion(f.Thing.state()) {
		managed.Abort(ctx, pending(f.Thing, t.now()))
		return nil
	}
	t.tags.Forget(m)
	_, err := t.api.DeleteEventSourceMapping(ctx, &lambda.DeleteEventSourceMappingInput{UUID: ptr.To(f.Name)})
	return errors.Wrapf(awserr.Clean(err), "cannot delete %s", f.What)
}

// Connection is what those who use the mapping need to know.
func (t *thing) Connection(m *v1beta1.EventSourceMapping) xpmanaged.ConnectionDetails {
	return xpmanaged.ConnectionDetails{
		"uuid":        []byte(ptr.Deref(m.Status.AtProvider.UUID, "")),
		"arn":         []byte(ptr.Deref(m.Status.AtProvider.EventSourceMappingArn, "")),
		"functionArn": []byte(ptr.Deref(m.Status.AtProvider.FunctionArn, "")),
		"region":      []byte(m.Spec.ForProvider.Region),
	}
}
