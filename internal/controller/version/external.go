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
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// usersGrace is the longest time that a deletion waits for what uses an earlier version, which may be
// deleted together with it.
const usersGrace = time.Minute

// external manages the versions of a function in AWS. It lives for one reconcile.
type external struct {
	api   lambdaAPI
	cache *readcache.Cache
	// functions reads the Function that spec refers to before a version is published.
	functions client.Reader
	// limited says that functions reads some namespaces only.
	limited bool

	// function is the name of the function, and found is the result of Read.
	function string
	found    observed
}

// observed is everything that one reconcile read.
type observed struct {
	// function is $LATEST. It is not read for a resource that is being deleted or only
	// observed.
	function *types.FunctionConfiguration
	// version is the version that was published last, nil if there is none.
	version *types.FunctionConfiguration
	// versions are the numbered versions of the function. They are read only if one is to
	// be published.
	versions []types.FunctionConfiguration
	// unused is a version beyond the limit that nothing uses. unknown is why that check
	// failed, which does not block other changes.
	unused  string
	unknown error
	// usedBy names what uses an earlier version that is to be deleted with the resource.
	usedBy string
	// unready is set if the Function is not Ready when a version is to be published: a
	// version published now could include one of its changes without the other.
	unready string
}

// settings is empty: a version is compared with its function as a whole.
type settings struct{}

type (
	found  = reconcile.Observation[observed, settings]
	update = reconcile.Update[settings]
)

// The optional interfaces of the shared client that this kind implements.
var (
	_ reconcile.OwnershipChecker[*v1beta1.Version, observed, settings] = &external{}
	_ reconcile.ReadyConditioner[*v1beta1.Version, observed, settings] = &external{}
	_ reconcile.Comparer[*v1beta1.Version, observed, settings]         = &external{}
	_ reconcile.Planner[*v1beta1.Version, observed, settings]          = &external{}
	_ reconcile.CreationPreparer[*v1beta1.Version, settings]           = &external{}
	_ reconcile.ConnectionDetailer[*v1beta1.Version]                   = &external{}
)

// Read reads the function and the version that was published last.
func (e *external) Read(ctx context.Context, v *v1beta1.Version) (found, error) {
	name, err := nameOf(v)
	if err != nil {
		return found{}, err
	}
	if e.function, err = functionOf(v); err != nil {
		return found{}, err
	}
	if e.function == "" {
		return found{}, nil // It is being deleted, and published nothing.
	}
	if meta.WasDeleted(v) {
		return e.readDeleted(ctx, v, name)
	}
	o := observed{}
	if !reconcile.ObserveOnly(v) {
		if o.function, err = e.get(ctx, ""); err != nil {
			return found{}, err
		}
		if o.function == nil {
			return found{}, errors.Errorf("function %s does not exist", e.function)
		}
	}
	if name, err = e.recover(ctx, v, name, &o); err != nil {
		return found{}, err
	}
	if o.version, err = e.version(ctx, v, name); err != nil {
		return found{}, err
	}
	err = e.readAuxiliary(ctx, v, &o)
	e.found = o
	return found{
		Resource: o, Exists: o.version != nil, Name: name, Description: e.description(name), Parent: e.function,
	}, err
}

func (e *external) description(name string) string {
	return "version " + name + " of function " + e.function
}

// readDeleted reads what is still to be deleted: with a history limit, the resource's
// earlier versions before the last one.
func (e *external) readDeleted(ctx context.Context, v *v1beta1.Version, name string) (found, error) {
	var err error
	if name, err = e.recover(ctx, v, name, &observed{}); err != nil || name == "" {
		return found{}, err
	}
	s := &v.Status.AtProvider
	if earlier := versions.Earlier(&s.VersionHistory, name); v.Spec.ForProvider.HistoryLimit != nil &&
		len(earlier) > 0 {
		oldest := earlier[len(earlier)-1]
		by, err := e.pruner(ctx).UsedBy(ctx, versions.FunctionOf(e.function, ptr.Deref(s.FunctionArn, "")), oldest)
		return found{
			Resource: observed{usedBy: by}, Exists: true, Name: oldest, Description: e.description(oldest),
		}, err
	}
	c, err := e.get(ctx, name)
	return found{Resource: observed{version: c}, Exists: c != nil, Name: name, Description: e.description(name)}, err
}

// recover returns the version that was published by a call without an answer. Until that is
// found, or known not to exist, it returns the previous version.
func (e *external) recover(ctx context.Context, v *v1beta1.Version, name string, o *observed) (string, error) {
	i, recorded := versions.IntentOf(v)
	s := &v.Status.AtProvider
	if !recorded || reconcile.ObserveOnly(v) || v.Spec.ForProvider.PublishTo != nil ||
		versions.Number(name) > i.Before || i.Fingerprint == ptr.Deref(s.PublishedFingerprint, "") {
		return name, nil
	}
	var err error
	if o.versions, err = versions.List(ctx, e.api, e.function); err != nil {
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
	return name, errors.Wrap(
		reconcile.RecordIntent(ctx, v, map[string]string{ownership.AnnotationIntent: ""}),
		"cannot record that nothing was published",
	)
}

// readAuxiliary reads what a call that is due needs.
func (e *external) readAuxiliary(ctx context.Context, v *v1beta1.Version, o *observed) error {
	if o.function == nil {
		return nil
	}
	var err error
	if o.version == nil || len(due(v, *o)) > 0 {
		if o.unready, err = e.unready(ctx, v); err != nil {
			return err
		}
		if why, _ := hindrance(v.Spec.ForProvider, *o); why == "" && o.versions == nil {
			o.versions, err = versions.List(ctx, e.api, e.function)
		}
		return err
	}
	o.unused, o.unknown = e.unused(ctx, v, *o)
	return nil
}

// CheckOwnership checks ownership by the intent that was recorded before publishing: a
// version that existed before belongs to someone else, even if AWS returned it because
// nothing had changed since.
func (e *external) CheckOwnership(ctx context.Context, v *v1beta1.Version, o found) (ownership.Ownership, error) {
	if ownership.UserSetName(v) || v.GetAnnotations()[ownership.AnnotationAdopt] == "true" {
		if versions.Number(o.Name) > 0 && o.Resource.version != nil {
			versions.Remember(&v.Status.AtProvider.VersionHistory, o.Name, ptr.Deref(
				fingerprintOf(o.Resource.version, v.Status.AtProvider), "",
			))
		}
		return ownership.Adopted, nil
	}
	i, recorded := versions.IntentOf(v)
	if !meta.WasDeleted(v) || o.Name == versions.LatestPublished || (recorded && versions.Number(o.Name) > i.Before) ||
		versions.Remembers(&v.Status.AtProvider.VersionHistory, o.Name) {
		return ownership.Ours, nil
	}
	return ownership.Foreign, reconcile.NewForeignUntaggedError(ctx, o.Description, o.Name)
}

// SetStatus sets status.atProvider. An imported version counts as published for the current
// publishTrigger.
func (e *external) SetStatus(v *v1beta1.Version, o found) {
	last := v.Status.AtProvider
	if last.Version == nil && last.PublishTrigger == nil {
		last.PublishTrigger = v.Spec.ForProvider.PublishTrigger
	}
	v.Status.AtProvider = observation(o.Resource.version, last)
}

// ReadyCondition returns the Ready condition for the state of the version.
func (e *external) ReadyCondition(v *v1beta1.Version, o found) xpv2.Condition {
	return state(v.GetGeneration(), o.Resource.version)
}

// Desired returns nothing, because a version is compared with its function.
func (e *external) Desired(context.Context, *v1beta1.Version) (forProvider, initProvider settings, err error) {
	return settings{}, settings{}, nil
}

// Compare returns why a version is to be published. For a resource that only observes it
// returns nothing, because the function was not read.
func (e *external) Compare(
	_ context.Context, v *v1beta1.Version, _ reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	if reconcile.ObserveOnly(v) {
		return reconcile.Comparison[settings]{}, nil
	}
	return reconcile.Comparison[settings]{Changes: due(v, o.Resource)}, nil
}

// Plan publishes a version if one is due, and otherwise deletes versions beyond the limit.
func (e *external) Plan(
	ctx context.Context, v *v1beta1.Version, f found, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	o, p := f.Resource, reconcile.Plan{Ready: e.ReadyCondition(v, f)}
	if len(c.Changes) > 0 {
		why, passes := hindrance(v.Spec.ForProvider, o)
		switch {
		case why == "":
			ready := reconcile.Updating(v.GetGeneration(), "publishing a new version: "+c.Changes.Names()+" changed")
			return reconcile.Plan{Ready: ready, Call: opPublish, Changes: c.Changes, Followed: c.Changes}, nil
		case passes:
			return reconcile.Plan{Ready: reconcile.Updating(v.GetGeneration(), why), Wait: wait(ctx, v, o)}, nil
		case !isPinned(v.Spec.ForProvider, o.version):
			return reconcile.Plan{Ready: reconcile.Unavailable(v.GetGeneration(), "cannot publish: "+why)}, nil
		}
	}
	if o.unknown != nil {
		v.SetConditions(p.Ready)
		return p, o.unknown
	}
	if o.unused != "" && reconcile.Allows(v, xpv2.ManagementActionUpdate) {
		earlier := versions.Earlier(&v.Status.AtProvider.VersionHistory, f.Name)
		p.Call = opDelete
		p.Changes = diff.Changes{
			{Path: pathHistory, Old: fmt.Sprintf("%d earlier versions", len(earlier)), New: fmt.Sprint(
				*v.Spec.ForProvider.HistoryLimit,
			)},
		}
		p.Followed = p.Changes
	}
	return p, nil
}

// PrepareCreate returns a NotReadyError while the function is being changed.
func (e *external) PrepareCreate(ctx context.Context, v *v1beta1.Version, _ settings) error {
	switch why, passes := hindrance(v.Spec.ForProvider, e.found); {
	case passes:
		return &reconcile.NotReadyError{Reason: why, After: wait(ctx, v, e.found)}
	case why != "":
		return errors.Errorf("cannot publish: %s", why)
	}
	return nil
}

// wait returns the delay before the next observation if publishing has to wait. 0 means the
// usual poll interval, which suffices while AWS changes a function, because that takes
// seconds. A Function triggers a reconcile of this resource when it becomes Ready, so
// polling for that becomes less and less frequent.
func wait(ctx context.Context, v *v1beta1.Version, o observed) time.Duration {
	if o.unready == "" {
		return 0
	}
	waited := time.Duration(0)
	if ready := v.GetCondition(xpv2.TypeReady); reconcile.InMotion(ready) {
		waited = reconcile.Freshness(ctx).Now.Sub(ready.LastTransitionTime.Time)
	}
	return reconcile.WokenDelay(waited)
}

// Create publishes the first version.
func (e *external) Create(ctx context.Context, v *v1beta1.Version, _ settings) (string, error) {
	return e.publish(ctx, v)
}

// Update publishes another version, or deletes one beyond the limit.
func (e *external) Update(ctx context.Context, v *v1beta1.Version, o found, u update) error {
	if u.Call == opDelete {
		s, now := &v.Status.AtProvider, reconcile.Freshness(ctx).Now
		f := versions.FunctionOf(e.function, ptr.Deref(s.FunctionArn, ""))
		effects, err := e.pruner(ctx).Prune(ctx, f, &s.VersionHistory, o.Resource.unused, now)
		reconcile.Apply(ctx, effects)
		return err
	}
	name, err := e.publish(ctx, v)
	if err != nil {
		return err
	}
	return errors.Wrap(
		reconcile.Annotate(ctx, v, reconcile.CreatedAgain(ctx, v, name)), "cannot write the external name",
	)
}

// publish publishes exactly what was observed: AWS rejects the call if the function was
// changed since.
func (e *external) publish(ctx context.Context, v *v1beta1.Version) (string, error) {
	i := versions.Intent{
		Before: versions.Highest(e.found.versions), Fingerprint: contentOf(e.found.function).Fingerprint(),
	}
	if err := reconcile.RecordIntent(ctx, v, i.Annotation(v)); err != nil {
		return "", errors.Wrap(err, "cannot record what is about to be published")
	}
	out, err := e.api.PublishVersion(ctx, publishInput(e.function, v.Spec.ForProvider, e.found.function.RevisionId))
	if err != nil {
		return "", errors.Wrapf(err, "cannot publish function %s", e.function)
	}
	name := ptr.Deref(out.Version, "")
	e.cache.Forget(e.key(name))
	s := &v.Status.AtProvider
	s.PublishTrigger, s.PublishedFingerprint = v.Spec.ForProvider.PublishTrigger, ptr.To(i.Fingerprint)
	s.Version, s.State, s.FunctionName = out.Version, lambdaapi.Text(out.State), out.FunctionName
	if versions.Number(name) > i.Before {
		versions.Remember(&s.VersionHistory, name, i.Fingerprint)
	}
	return name, nil
}

// Delete deletes one version, and requeues if there are more. An earlier version that stays
// in use is kept.
func (e *external) Delete(ctx context.Context, v *v1beta1.Version, o found) error {
	s, why := &v.Status.AtProvider, ""
	if by := o.Resource.usedBy; by != "" {
		why = by + " uses it"
	}
	if why == "" {
		defer e.cache.Forget(e.key(o.Name))
		err := e.pruner(ctx).Delete(ctx, e.function, o.Name)
		switch {
		case versions.InUse(err) && o.Name != reconcile.ExternalName(v):
			why = awserr.Message(err)
		case err != nil:
			return err
		}
	}
	if why != "" {
		if age := reconcile.Freshness(ctx).Now.Sub(v.GetDeletionTimestamp().Time); age < usersGrace {
			reconcile.Abort(ctx, reconcile.PendingDelay(age))
			return nil
		}
		reconcile.Emit(ctx, versions.Kept(e.function, o.Name, why))
	}
	versions.Forget(&s.VersionHistory, o.Name)
	if len(s.History) > 0 {
		reconcile.DeletedPart(ctx)
	}
	return nil
}

// ConnectionDetails returns the ARNs and the number of the version.
func (e *external) ConnectionDetails(v *v1beta1.Version) managed.ConnectionDetails {
	s := v.Status.AtProvider
	return managed.ConnectionDetails{
		"functionArn": []byte(ptr.Deref(s.FunctionArn, "")),
		"invokeArn":   []byte(ptr.Deref(s.InvokeArn, "")),
		"version":     []byte(ptr.Deref(s.Version, "")),
	}
}
