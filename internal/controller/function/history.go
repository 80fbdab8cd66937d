package function

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// readHistory finds a version beyond the limit that nothing uses. It calls AWS only if the
// last reconcile found the function Ready: deleting versions comes after all other changes.
func (e *external) readHistory(ctx context.Context, f *v1beta1.Function, o observed) (effects reconcile.Effects) {
	if !steady(f) {
		return effects
	}
	e.pruning.unused, effects, e.pruning.err = e.pruner(f, o).Unused(ctx, excess(f))
	return effects
}

func (e *external) pruner(f *v1beta1.Function, o observed) versions.Pruner {
	return versions.Pruner{
		Facts: e.facts, API: e.api, Cache: e.cache, Resources: e.resources, Limited: e.limited,
		Function: versions.FunctionOf(functionName(f), ptr.Deref(o.config().FunctionArn, "")),
		History:  &f.Status.AtProvider.VersionHistory,
	}
}

// excess returns the versions beyond the limit, oldest first.
func excess(f *v1beta1.Function) []string {
	s := &f.Status.AtProvider
	return versions.Excess(
		&s.VersionHistory, f.Spec.ForProvider.HistoryLimit, ptr.Deref(s.LatestPublishedVersion, ""),
		ptr.Deref(s.PublishingVersion, ""),
	)
}

// steady reports whether the function was Ready at the last reconcile and may be changed.
func steady(f *v1beta1.Function) bool {
	ready := f.GetCondition(xpv2.TypeReady)
	return ready.Status == corev1.ConditionTrue && ready.ObservedGeneration == f.GetGeneration() &&
		!meta.WasDeleted(f) && reconcile.Allows(f, xpv2.ManagementActionUpdate)
}

// withHistory adds to a plan that has no other call the deletion of a version beyond the limit that nothing uses.
func (e *external) withHistory(f *v1beta1.Function, o observed, p reconcile.Plan) (reconcile.Plan, error) {
	limit := f.Spec.ForProvider.HistoryLimit
	switch {
	case limit == nil, p.Call != "", p.Ready.Status != corev1.ConditionTrue:
		return p, nil
	case e.pruning.err != nil:
		return p, e.pruning.err
	case e.pruning.unused != "":
		latest := ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, "")
		p = e.pruner(f, o).PlanDeletion(p, e.pruning.unused, *limit, latest)
	case !steady(f) && len(versions.Due(&f.Status.AtProvider.VersionHistory, excess(f), e.facts.Now())) > 0:
		p.After = reconcile.MinPending
	}
	return p, nil
}

// publishesNow reports whether a version of a limited history is published next. Calls that AWS has accepted without
// showing their effect wait, so that a later one goes ahead of them.
func (e *external) publishesNow(f *v1beta1.Function, planned []reconcile.PlannedCall) bool {
	if f.Spec.ForProvider.HistoryLimit == nil || e.preview {
		return false
	}
	due, _, _ := e.facts.Due(planned...)
	return len(due) > 0 && due[0].Call == string(opPublish)
}

// intent returns the record of what is to be published: a version with a higher number than those that existed before
// belongs to the function. It lists the versions, unless an intent with the same fingerprint is recorded, which is
// kept, because the answer of its call was lost. If the list fails, publish returns its error.
func (e *external) intent(ctx context.Context, f *v1beta1.Function, o found) (reconcile.Record, error) {
	c := o.Resource.config()
	sum := fingerprint.Read(c).Fingerprint()
	last, recorded := versions.IntentOf(f)
	if recorded && last.Fingerprint == sum {
		return reconcile.Record{}, nil
	}
	if err := e.facts.Reserve(versions.CallList, string(opPublish)); err != nil {
		return reconcile.Record{}, err
	}
	var all []types.FunctionConfiguration
	kept := lambdaapi.KeptList{Cache: e.cache, Now: e.facts.Now(), For: string(f.GetUID())}
	if all, e.unlisted = versions.List(ctx, e.api, kept, o.Name); awserr.IsThrottled(e.unlisted) {
		return reconcile.Record{}, e.unlisted // The call would wait for the quota, and not return it.
	} else if e.unlisted != nil {
		return reconcile.Record{}, nil //nolint:nilerr // The call that is due returns it.
	}
	if recorded && last.Fingerprint != ptr.Deref(f.Status.AtProvider.PublishedFingerprint, "") {
		e.restored = rememberLost(f, last, all, ptr.Deref(c.Description, ""))
	}
	return reconcile.Record{
		Annotations: versions.Intent{Before: versions.Highest(all), Fingerprint: sum}.Annotation(f),
		Failure: fmt.Sprintf(
			"cannot update %s (%s): cannot record what is about to be published", o.Description, opPublish,
		),
	}, nil
}

// rememberLost adds to the history the version that an intent has led to, if the answer to its publication was lost and
// the function has changed since. The intent is about the function: its description takes the place of a revision. It
// reports whether the history did not have the version.
func rememberLost(f *v1beta1.Function, i versions.Intent, all []types.FunctionConfiguration, description string) bool {
	v, _ := i.LedTo(all, func(c *types.FunctionConfiguration) fingerprint.Content {
		content := fingerprint.Read(c)
		if ptr.Deref(f.Spec.ForProvider.PublishRevision, false) {
			content.Description = &description
		}
		return content
	})
	return v != "" && versions.Remember(&f.Status.AtProvider.VersionHistory, v, i.Fingerprint)
}

// remember adds a published version to the history if it belongs to the function.
func remember(f *v1beta1.Function, version *string, sum string) {
	i, recorded := versions.IntentOf(f)
	v := ptr.Deref(version, "")
	if f.Spec.ForProvider.HistoryLimit == nil || !recorded || i.Fingerprint != sum || versions.Number(v) <= i.Before {
		return
	}
	versions.Remember(&f.Status.AtProvider.VersionHistory, v, sum)
}
