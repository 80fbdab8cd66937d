package version

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/cadence"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/versions"
)

// usersGrace is how long a deletion waits for what uses an earlier version, which may be
// deleted together with it.
const usersGrace = time.Minute

// thing is how the versions of a function are seen in AWS. It lives for one reconcile.
type thing struct {
	api   lambdaAPI
	cache *inventory.Cache
	// functions are looked at before a version is published.
	functions client.Reader

	// function whose versions are published, and what Read found of it.
	function string
	found    observed
}

// observed is all that one reconcile read.
type observed struct {
	// function is $LATEST. It is not read while a resource is deleted, or only observed.
	function *types.FunctionConfiguration
	// version that was published last, nil if there is none.
	version *types.FunctionConfiguration
	// versions of the function that have a number, read where one is to be published.
	versions []types.FunctionConfiguration
	// unused is a version beyond the limit that nothing uses. unknown says why that could
	// not be found out, which keeps nothing else from being done.
	unused  string
	unknown error
	// usedBy says what uses an earlier version that is to be deleted with the resource.
	usedBy string
	// unready says that a Function is not as it shall be yet, where one is to be
	// published: a version in between would have the one change and not the other.
	unready string
}

type found = flow.Found[observed]

// Read the function, and the version that was published last.
func (t *thing) Read(ctx context.Context, v *v1beta1.Version) (found, error) {
	name, err := nameOf(v)
	if err != nil {
		return found{}, err
	}
	if t.function, err = functionOf(v); err != nil {
		return found{}, err
	}
	if t.function == "" {
		return found{}, nil // It is being deleted, and published nothing.
	}
	if meta.WasDeleted(v) {
		return t.readDeleted(ctx, v, name)
	}
	o := observed{}
	if !flow.ObserveOnly(v) {
		if o.function, err = t.get(ctx, ""); err != nil {
			return found{}, err
		}
		if o.function == nil {
			return found{}, errors.Errorf("function %s does not exist", t.function)
		}
	}
	if name, err = t.recover(ctx, v, name, &o); err != nil {
		return found{}, err
	}
	if o.version, err = t.version(ctx, v, name); err != nil {
		return found{}, err
	}
	err = t.readBeside(ctx, v, &o)
	t.found = o
	return found{Thing: o, Exists: o.version != nil, Name: name, What: t.what(name)}, err
}

func (t *thing) what(name string) string { return "version " + name + " of function " + t.function }

// readDeleted finds what is still to be deleted: with a limit to the history, earlier
// versions of ours before the last one.
func (t *thing) readDeleted(ctx context.Context, v *v1beta1.Version, name string) (found, error) {
	var err error
	if name, err = t.recover(ctx, v, name, &observed{}); err != nil || name == "" {
		return found{}, err
	}
	s := &v.Status.AtProvider
	if earlier := versions.Earlier(&s.VersionHistory, name); v.Spec.ForProvider.HistoryLimit != nil && len(earlier) > 0 {
		oldest := earlier[len(earlier)-1]
		by, err := t.pruner().UsedBy(ctx, versions.FunctionOf(t.function, ptr.Deref(s.FunctionArn, "")), oldest)
		return found{Thing: observed{usedBy: by}, Exists: true, Name: oldest, What: t.what(oldest)}, err
	}
	c, err := t.get(ctx, name)
	return found{Thing: observed{version: c}, Exists: c != nil, Name: name, What: t.what(name)}, err
}

// recover the version that was published by a call whose answer was lost. Until it is
// found, or known not to be there, the name is that of the version before.
func (t *thing) recover(ctx context.Context, v *v1beta1.Version, name string, o *observed) (string, error) {
	i, noted := versions.IntentOf(v)
	s := &v.Status.AtProvider
	if !noted || flow.ObserveOnly(v) || v.Spec.ForProvider.PublishTo != nil || versions.Number(name) > i.Before || i.Fingerprint == ptr.Deref(s.PublishedFingerprint, "") {
		return name, nil
	}
	var err error
	if o.versions, err = versions.List(ctx, t.api, t.function); err != nil {
		return name, err
	}
	lost, known := publishedBy(i, o.versions)
	if lost != "" {
		s.PublishTrigger, s.PublishedFingerprint = v.Spec.ForProvider.PublishTrigger, ptr.To(i.Fingerprint)
		versions.Remember(&s.VersionHistory, lost, i.Fingerprint)
		return lost, nil
	}
	if !known {
		return name, nil
	}
	// Nothing was published.
	return name, errors.Wrap(managed.RecordIntent(ctx, v, map[string]string{ownership.AnnotationIntent: ""}), "cannot record that nothing was published")
}

// readBeside reads what a call that is due has to know.
func (t *thing) readBeside(ctx context.Context, v *v1beta1.Version, o *observed) error {
	if o.function == nil {
		return nil
	}
	var err error
	if o.version == nil || len(due(v, *o)) > 0 {
		if o.unready, err = t.unready(ctx, v); err != nil {
			return err
		}
		if why, _ := hindrance(v.Spec.ForProvider, *o); why == "" && o.versions == nil {
			o.versions, err = versions.List(ctx, t.api, t.function)
		}
		return err
	}
	o.unused, o.unknown = t.unused(ctx, v, *o)
	return nil
}

// Judge by what was noted before publishing: a version that was there before is someone
// else's, even if AWS answered with it because nothing had changed since.
func (t *thing) Judge(ctx context.Context, v *v1beta1.Version, f found) (ownership.Verdict, error) {
	if ownership.UserSetName(v) || v.GetAnnotations()[ownership.AnnotationAdopt] == "true" {
		if versions.Number(f.Name) > 0 && f.Thing.version != nil {
			versions.Remember(&v.Status.AtProvider.VersionHistory, f.Name, ptr.Deref(fingerprintOf(f.Thing.version, v.Status.AtProvider), ""))
		}
		return ownership.Adopted, nil
	}
	i, noted := versions.IntentOf(v)
	if !meta.WasDeleted(v) || f.Name == versions.LatestPublished || (noted && versions.Number(f.Name) > i.Before) || versions.Remembers(&v.Status.AtProvider.VersionHistory, f.Name) {
		return ownership.Ours, nil
	}
	return ownership.Foreign, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
}

// Show the version in status. One that is imported answers what was asked for so far.
func (t *thing) Show(v *v1beta1.Version, f found) {
	last := v.Status.AtProvider
	if last.Version == nil && last.PublishTrigger == nil {
		last.PublishTrigger = v.Spec.ForProvider.PublishTrigger
	}
	v.Status.AtProvider = observation(f.Thing.version, last)
}

// State is that of the version in AWS.
func (t *thing) State(v *v1beta1.Version, f found) xpv2.Condition {
	return state(v.GetGeneration(), f.Thing.version)
}

// Plan publishes where that is due, and then deletes what is beyond the limit.
func (t *thing) Plan(ctx context.Context, v *v1beta1.Version, f found) (flow.Plan, error) {
	o := f.Thing
	p := flow.Plan{Ready: state(v.GetGeneration(), o.version)}
	if flow.ObserveOnly(v) {
		return p, nil // The function is not looked at.
	}
	if changes := due(v, o); len(changes) > 0 {
		why, passes := hindrance(v.Spec.ForProvider, o)
		switch {
		case why == "":
			return flow.Plan{Changes: changes, Followed: changes, Call: callPublish, Ready: condition.Updating(v.GetGeneration(), changes.String())}, nil
		case passes:
			return flow.Plan{Ready: condition.Updating(v.GetGeneration(), why), Wait: wait(ctx, v, o)}, nil
		case !isPinned(v.Spec.ForProvider, o.version):
			return flow.Plan{Ready: condition.Unavailable(v.GetGeneration(), "cannot publish: "+why)}, nil
		}
	}
	if o.unknown != nil {
		v.SetConditions(p.Ready)
		return p, o.unknown
	}
	if o.unused != "" && flow.Allows(v, xpv2.ManagementActionUpdate) {
		earlier := versions.Earlier(&v.Status.AtProvider.VersionHistory, f.Name)
		p.Call = callDelete
		p.Changes = diff.Changes{{Path: pathHistory, Old: fmt.Sprintf("%d earlier versions", len(earlier)), New: fmt.Sprint(*v.Spec.ForProvider.HistoryLimit)}}
		p.Followed = p.Changes
	}
	return p, nil
}

// Prepare notes whose version it will be, and waits for a function that is being
// changed.
func (t *thing) Prepare(ctx context.Context, v *v1beta1.Version) error {
	switch why, passes := hindrance(v.Spec.ForProvider, t.found); {
	case passes:
		return &flow.NotReadyError{Reason: why, After: wait(ctx, v, t.found)}
	case why != "":
		return errors.Errorf("cannot publish: %s", why)
	}
	meta.AddAnnotations(v, map[string]string{ownership.AnnotationParent: t.function})
	return nil
}

// wait is when to look again at what hinders publishing. AWS settles a function in
// seconds, for which the usual cadence serves, as 0 says. A Function wakes this resource
// when it becomes Ready, so that there is less and less need to look.
func wait(ctx context.Context, v *v1beta1.Version, o observed) time.Duration {
	if o.unready == "" {
		return 0
	}
	waited := time.Duration(0)
	if ready := v.GetCondition(xpv2.TypeReady); condition.InMotion(ready) {
		waited = managed.Freshness(ctx).Now.Sub(ready.LastTransitionTime.Time)
	}
	return cadence.Woken(waited)
}

// Create publishes the first version.
func (t *thing) Create(ctx context.Context, v *v1beta1.Version) (string, error) {
	return t.publish(ctx, v)
}

// Update publishes another version, or deletes one that is beyond the limit.
func (t *thing) Update(ctx context.Context, v *v1beta1.Version, f found, p flow.Plan) error {
	if p.Call == callDelete {
		s, now := &v.Status.AtProvider, managed.Freshness(ctx).Now
		return t.pruner().Prune(ctx, versions.FunctionOf(t.function, ptr.Deref(s.FunctionArn, "")), &s.VersionHistory, f.Thing.unused, now)
	}
	name, err := t.publish(ctx, v)
	if err != nil {
		return err
	}
	return errors.Wrap(managed.Annotate(ctx, v, flow.CreatedAgain(ctx, v, name)), "cannot write the external name")
}

// publish what was observed, and nothing else: AWS refuses it if the function was
// changed since.
func (t *thing) publish(ctx context.Context, v *v1beta1.Version) (string, error) {
	i := versions.Intent{Before: versions.Highest(t.found.versions), Fingerprint: contentOf(t.found.function).Fingerprint()}
	if err := managed.RecordIntent(ctx, v, i.Annotation(v)); err != nil {
		return "", errors.Wrap(err, "cannot record what is about to be published")
	}
	out, err := t.api.PublishVersion(ctx, publishInput(t.function, v.Spec.ForProvider, t.found.function.RevisionId))
	if err != nil {
		return "", errors.Wrapf(err, "cannot publish function %s", t.function)
	}
	name := ptr.Deref(out.Version, "")
	t.cache.Forget(t.key(name))
	s := &v.Status.AtProvider
	s.PublishTrigger, s.PublishedFingerprint = v.Spec.ForProvider.PublishTrigger, ptr.To(i.Fingerprint)
	s.Version, s.State, s.FunctionName = out.Version, answer.Text(out.State), out.FunctionName
	if versions.Number(name) > i.Before {
		versions.Remember(&s.VersionHistory, name, i.Fingerprint)
	}
	return name, nil
}

// Delete one version, and come back for the next, if there is one. An earlier version
// that is in use is left to whoever uses it.
func (t *thing) Delete(ctx context.Context, v *v1beta1.Version, f found) error {
	s, why := &v.Status.AtProvider, ""
	if by := f.Thing.usedBy; by != "" {
		why = by + " uses it"
	}
	if why == "" {
		defer t.cache.Forget(t.key(f.Name))
		err := t.pruner().Delete(ctx, t.function, f.Name)
		switch {
		case versions.InUse(err) && f.Name != flow.Name(v):
			why = awserr.Message(err)
		case err != nil:
			return err
		}
	}
	if why != "" {
		if age := managed.Freshness(ctx).Now.Sub(v.GetDeletionTimestamp().Time); age < usersGrace {
			managed.Abort(ctx, cadence.Pending(age))
			return nil
		}
		versions.Kept(ctx, t.function, f.Name, why)
	}
	versions.Forget(&s.VersionHistory, f.Name)
	if len(s.History) > 0 {
		flow.DeletedPart(ctx)
	}
	return nil
}

// Connection is what an invoker needs to know.
func (t *thing) Connection(v *v1beta1.Version) xpmanaged.ConnectionDetails {
	s := v.Status.AtProvider
	return xpmanaged.ConnectionDetails{
		"functionArn": []byte(ptr.Deref(s.FunctionArn, "")),
		"invokeArn":   []byte(ptr.Deref(s.InvokeArn, "")),
		"version":     []byte(ptr.Deref(s.Version, "")),
	}
}
