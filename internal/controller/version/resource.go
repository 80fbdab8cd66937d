package version

import (
	"context"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.owner, Status: e.status, Ready: e.ready, Desired: e.desired,
		Compare: e.compare, Plan: e.plan, PrepareCreate: e.prepareCreate, Create: e.create, Update: e.update,
		Delete: e.delete, Details: details,
	}
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

// usersGrace is the longest time that a deletion waits for what uses an earlier version, which may be
// deleted together with it.
const usersGrace = time.Minute

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
