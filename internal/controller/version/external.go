package version

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// usersGrace is the longest time that a deletion waits for what uses an earlier version, which may be
// deleted together with it.
const usersGrace = time.Minute

// external manages the versions of a function in AWS. It lives for one reconcile.
type external struct {
	api   *lambda.Client
	cache *readcache.Cache
	// functions reads the Function that spec refers to before a version is published.
	functions client.Reader
	// limited says that functions reads some namespaces only.
	limited bool

	// facts are the facts of the reconcile, function is the name of the function, and found the result of the read.
	facts    reconcile.Facts
	function string
	found    observed

	// restored is true if status did not have the version before this reconcile.
	restored bool
}

// observed is everything that one reconcile read.
type observed struct {
	// function is $LATEST. It is not read for a resource that is being deleted or only observed.
	function *types.FunctionConfiguration
	// version is the version that was published last, nil if there is none. It is also nil while an earlier version is
	// to be deleted.
	version *types.FunctionConfiguration
	// versions are the numbered versions of the function. They are read only if one is to be published.
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
	awsResource = reconcile.Resource[*v1beta1.Version, observed, settings]
	found       = reconcile.Observation[observed, settings]
	update      = reconcile.Update[settings]
)

func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.owner, Status: e.status, Ready: e.ready, Desired: e.desired,
		Compare: e.compare, Plan: e.plan, PrepareCreate: e.prepareCreate, Create: e.create, Update: e.update,
		Delete: e.delete, Details: details,
	}
}

// read reads the function and the version that was published last.
func (e *external) read(ctx context.Context, f reconcile.Facts, v *v1beta1.Version) (found, error) {
	e.facts = f
	name, err := nameOf(v)
	if err != nil {
		return found{}, err
	}
	if e.function, err = functionOf(v); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	switch deleted := meta.WasDeleted(v); {
	case e.function == "" && deleted: // It has published nothing.
		return found{}, nil
	case e.function == "":
		return found{}, reconcile.Invalid(errors.New("no function is named: set spec.forProvider.functionName"))
	case deleted:
		return e.readDeleted(ctx, v, name)
	}
	o := observed{}
	if !reconcile.ObserveOnly(v) {
		if o.function, err = e.get(ctx, ""); err != nil {
			return found{}, err
		}
		if o.function == nil {
			return found{}, reconcile.Ambiguous(errors.Errorf("function %s does not exist in %s", e.function,
				v.Spec.ForProvider.Region))
		}
	}
	name, nothing, err := e.recover(ctx, v, name, &o)
	if err != nil {
		return found{}, err
	}
	if o.version, err = e.version(ctx, name); err != nil {
		return found{Annotate: nothing}, err
	}
	e.recordCode(ctx, v, o.version)
	effects, err := e.readAuxiliary(ctx, v, &o)
	e.found = o
	return found{
		Effects: effects, Annotate: nothing, Resource: o, Exists: o.version != nil, Name: name,
		Description: e.description(name), Parent: e.function,
	}, err
}

func (e *external) description(name string) string {
	return "version " + name + " of function " + e.function
}

// recover returns the version that was published by a call without an answer. Until that is found, or known not to
// exist, it returns the previous version. If it does not exist, the record says so. Which publishTrigger the call
// served is not known: AWS is asked again, and returns the same version if nothing has changed.
func (e *external) recover(
	ctx context.Context, v *v1beta1.Version, name string, o *observed,
) (string, reconcile.Record, error) {
	i, recorded := versions.IntentOf(v)
	s := &v.Status.AtProvider
	if !recorded || reconcile.ObserveOnly(v) || v.Spec.ForProvider.PublishTo != nil ||
		versions.Number(name) > i.Before {
		return name, reconcile.Record{}, nil
	}
	var err error
	if o.versions, err = e.list(ctx, v); err != nil {
		return name, reconcile.Record{}, err
	}
	switch lost, known := i.LedTo(o.versions, contentOf); {
	case lost != "":
		e.restore(s, lost, i)
		return lost, reconcile.Record{}, nil
	case meta.WasDeleted(v): // AWS may not list it yet.
		wait := e.facts.Repeats.Confirm("absence of a version", reconcile.AbsentReportsNamed, e.facts.Now())
		if wait > 0 {
			err = reconcile.WaitFor(wait)
		}
		return name, reconcile.Record{}, err
	case !known:
		return name, reconcile.Record{}, nil
	}
	return name, reconcile.Record{
		Annotations: map[string]string{v1beta1.AnnotationIntent: ""},
		Failure:     "cannot record that nothing was published",
	}, nil
}

// restore records a version that an intent has led to in status, which may not have been written since.
func (e *external) restore(s *v1beta1.VersionObservation, name string, i versions.Intent) {
	s.PublishedFingerprint = ptr.To(i.Fingerprint)
	if versions.Remember(&s.VersionHistory, name, i.Fingerprint) {
		e.restored = true
	}
}

// list lists the versions of the function.
func (e *external) list(ctx context.Context, v *v1beta1.Version) ([]types.FunctionConfiguration, error) {
	kept := lambdaapi.KeptList{Cache: e.cache, Now: e.facts.Now(), For: string(v.GetUID())}
	return versions.List(ctx, e.api, kept, e.function)
}

// owner decides by the intent that was recorded before publishing: a version that existed before belongs to someone
// else, even if AWS returned it because nothing had changed since.
func (e *external) owner(
	ctx context.Context, f reconcile.Facts, v *v1beta1.Version, o found,
) (ownership.Ownership, error) {
	if ownership.UserSetName(v) || v.GetAnnotations()[v1beta1.AnnotationAdopt] == "true" {
		if versions.Number(o.Name) > 0 && o.Resource.version != nil {
			versions.Remember(&v.Status.AtProvider.VersionHistory, o.Name, ptr.Deref(
				fingerprintOf(o.Resource.version, v.Status.AtProvider), "",
			))
		}
		return f.Others.CheckUntaggedOwner(ctx, v, ownership.Adopted, o.Description, e.function, o.Name)
	}
	if i, recorded := versions.IntentOf(v); recorded && versions.Number(o.Name) > i.Before {
		e.restore(&v.Status.AtProvider, o.Name, i)
	}
	if !meta.WasDeleted(v) || o.Resource.version == nil { // What uses an earlier version keeps it.
		return ownership.Ours, nil
	}
	owned := ownership.Foreign
	if o.Name == functionname.LatestPublished || versions.Remembers(&v.Status.AtProvider.VersionHistory, o.Name) {
		owned = ownership.Ours
	}
	return f.Others.CheckUntaggedOwner(ctx, v, owned, o.Description, e.function, o.Name)
}

// status sets status.atProvider. An imported version counts as published for the current publishTrigger.
func (e *external) status(v *v1beta1.Version, o found) {
	last := v.Status.AtProvider
	if _, recorded := versions.IntentOf(v); !recorded && last.Version == nil && last.PublishTrigger == nil {
		last.PublishTrigger = v.Spec.ForProvider.PublishTrigger
	}
	v.Status.AtProvider = observation(o.Resource.version, last)
}

// ready returns the Ready condition for the state of the version.
func (e *external) ready(v *v1beta1.Version, o found) xpv2.Condition {
	return state(v.GetGeneration(), o.Resource.version)
}

// desired returns nothing, because a version is compared with its function.
func (e *external) desired(context.Context, *v1beta1.Version) (forProvider, initProvider settings, err error) {
	return settings{}, settings{}, nil
}

// compare returns why a version is to be published. For a resource that only observes it
// returns nothing, because the function was not read.
func (e *external) compare(
	_ context.Context, v *v1beta1.Version, _ reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	if reconcile.ObserveOnly(v) {
		return reconcile.Comparison[settings]{}, nil
	}
	return reconcile.Comparison[settings]{Changes: due(v, o.Resource)}, nil
}

// plan publishes a version if one is due, and otherwise deletes versions beyond the limit.
func (e *external) plan(
	_ context.Context, v *v1beta1.Version, f found, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	o, p := f.Resource, reconcile.Plan{Ready: e.ready(v, f)}
	if len(c.Changes) > 0 {
		why, passes := hindrance(v.Spec.ForProvider, o)
		switch {
		case why == "":
			changed := c.Changes.Names() + " changed"
			publication := reconcile.Plan{
				Ready: reconcile.Updating(v.GetGeneration(), "publishing a new version: "+changed),
				PlannedCall: reconcile.PlannedCall{
					Call: opPublish,
					Does: "published a version: " + changed + " since version " + ptr.Deref(o.version.Version, ""),
				},
				Changes: c.Changes, Followed: c.Changes, Intent: e.toPublish(v),
			}
			if e.restored { // Only status has what the next intent replaces.
				publication = publication.AfterStatus()
			}
			return publication, nil
		case passes:
			return reconcile.Plan{Ready: reconcile.Updating(v.GetGeneration(), why), Wait: e.wait(v)}, nil
		case !isPinned(v.Spec.ForProvider, o.version):
			return reconcile.Plan{Ready: reconcile.Unavailable(v.GetGeneration(), "cannot publish: "+why)}, nil
		}
	}
	if o.unknown != nil {
		return p, o.unknown
	}
	if o.unused != "" && reconcile.Allows(v, xpv2.ManagementActionUpdate) {
		limit := *v.Spec.ForProvider.HistoryLimit
		p = e.pruner(v, v.Status.AtProvider.FunctionArn).PlanDeletion(p, o.unused, limit, f.Name)
	}
	return p, nil
}

// prepareCreate returns a NotReadyError while the function is being changed.
func (e *external) prepareCreate(_ context.Context, v *v1beta1.Version, _ settings) (reconcile.Creation, error) {
	switch why, passes := hindrance(v.Spec.ForProvider, e.found); {
	case passes:
		return reconcile.Creation{}, &reconcile.NotReadyError{Reason: why, After: e.wait(v)}
	case why != "":
		return reconcile.Creation{}, reconcile.Ambiguous(errors.Errorf("cannot publish: %s", why))
	}
	return reconcile.Creation{Intent: e.toPublish(v)}, nil
}

// wait returns the delay before the next observation if publishing has to wait. 0 means the usual poll interval, which
// suffices while AWS changes a function, because that takes seconds. A Function triggers a reconcile of this resource
// when it becomes Ready, so polling for that becomes less and less frequent.
func (e *external) wait(v *v1beta1.Version) time.Duration {
	if e.found.unready == "" {
		return 0
	}
	waited := time.Duration(0)
	if ready := v.GetCondition(xpv2.TypeReady); reconcile.InMotion(ready) {
		waited = e.facts.Now().Sub(ready.LastTransitionTime.Time)
	}
	return reconcile.WokenDelay(waited)
}

// create publishes a version.
func (e *external) create(ctx context.Context, v *v1beta1.Version, _ settings) (reconcile.Result, error) {
	name, err := e.publish(ctx, v)
	return reconcile.Result{Name: name}, err
}

// update publishes another version, or deletes one beyond the limit.
func (e *external) update(ctx context.Context, v *v1beta1.Version, o found, u update) (reconcile.Result, error) {
	if u.Call == opDelete {
		effects, err := e.pruner(v, v.Status.AtProvider.FunctionArn).Prune(ctx, o.Resource.unused)
		return reconcile.Result{Effects: effects}, err
	}
	return e.create(ctx, v, u.Target)
}

// intent returns what is to be published. AWS does not list a version that was deleted, and does not use its number
// again.
func (e *external) intent(v *v1beta1.Version) versions.Intent {
	return versions.Intent{
		Before:      max(versions.Highest(e.found.versions), versions.Number(reconcile.ExternalName(v))),
		Fingerprint: contentOf(e.found.function).Fingerprint(),
	}
}

// toPublish returns the record of what is to be published.
func (e *external) toPublish(v *v1beta1.Version) reconcile.Record {
	return reconcile.Record{
		Annotations: e.intent(v).Annotation(v), Failure: "cannot record what is about to be published",
	}
}

// publish publishes exactly what was observed: AWS rejects the call if the function was changed since.
func (e *external) publish(ctx context.Context, v *v1beta1.Version) (string, error) {
	i, s := e.intent(v), &v.Status.AtProvider
	s.PublishedFingerprint = nil // If the answer is lost, the version is looked for, even if it equals the last one.
	out, err := e.api.PublishVersion(ctx, publishInput(e.function, v.Spec.ForProvider, e.found.function.RevisionId))
	if err != nil {
		return "", errors.Wrapf(err, "cannot publish function %s", e.function)
	}
	name := ptr.Deref(out.Version, "")
	if !versions.IsPublished(name) {
		return "", nil // The next observation looks for it.
	}
	e.cache.Forget(e.key(name))
	s.PublishTrigger, s.PublishedFingerprint = v.Spec.ForProvider.PublishTrigger, ptr.To(i.Fingerprint)
	s.Version, s.State, s.FunctionName = out.Version, lambdaapi.Text(out.State), out.FunctionName
	if versions.Number(name) > i.Before {
		versions.Remember(&s.VersionHistory, name, i.Fingerprint)
	}
	return name, nil
}

// delete deletes one version, and requeues if it is not the last one. An earlier version that stays in use is kept.
func (e *external) delete(ctx context.Context, v *v1beta1.Version, o found) (reconcile.Result, error) {
	res, why := reconcile.Result{Part: o.Resource.version == nil}, ""
	if by := o.Resource.usedBy; by != "" {
		why = by + " uses it"
	}
	if why == "" {
		defer e.cache.Forget(e.key(o.Name))
		err := e.pruner(v, v.Status.AtProvider.FunctionArn).Delete(ctx, o.Name)
		switch {
		case versions.InUse(err) && res.Part:
			why = awserr.Message(err)
		case err != nil:
			return reconcile.Result{}, err
		}
	}
	if why != "" {
		if age := e.facts.Now().Sub(v.GetDeletionTimestamp().Time); age < usersGrace {
			return res, reconcile.WaitFor(reconcile.PendingDelay(age))
		}
		res.Events = append(res.Events, versions.Kept(e.function, o.Name, why))
	}
	if res.Part {
		versions.Forget(&v.Status.AtProvider.VersionHistory, o.Name)
	}
	return res, nil
}
