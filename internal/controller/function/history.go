package function

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/versions"
)

// pathHistory is the setting that says how many versions are kept.
const pathHistory = "historyLimit"

// pruning is what one reconcile found out about versions beyond the limit.
type pruning struct {
	// unused is a version that nothing uses.
	unused string
	// err says why that could not be found out. It keeps nothing else from being done.
	err error
}

// readHistory asks AWS about versions beyond the limit, once the function was in order
// when last looked at: deleting versions waits for all else.
func (e *external) readHistory(ctx context.Context, f *v1beta1.Function, o observed) {
	excess := excess(f)
	if !steady(f) || len(excess) == 0 {
		return
	}
	h := &f.Status.AtProvider.VersionHistory
	e.pruning.unused, e.pruning.err = e.pruner().Unused(ctx, functionOf(o), h, excess, e.now())
}

func (e *external) pruner() versions.Pruner { return versions.Pruner{API: e.api, Cache: e.cache} }

func functionOf(o observed) versions.Function {
	c := o.config()
	return versions.FunctionOf(ptr.Deref(c.FunctionName, ""), ptr.Deref(c.FunctionArn, ""))
}

// excess are the versions beyond the limit, the oldest first.
func excess(f *v1beta1.Function) []string {
	s := &f.Status.AtProvider
	return versions.Excess(&s.VersionHistory, f.Spec.ForProvider.HistoryLimit, ptr.Deref(s.LatestPublishedVersion, ""), ptr.Deref(s.PublishingVersion, ""))
}

// steady tells whether the function was in order when last looked at, and may be changed.
func steady(f *v1beta1.Function) bool {
	ready := f.GetCondition(xpv2.TypeReady)
	return ready.Status == corev1.ConditionTrue && ready.ObservedGeneration == f.GetGeneration() &&
		!meta.WasDeleted(f) && reconciler.Allows(f, xpv2.ManagementActionUpdate)
}

// withHistory adds what the limit to the history asks for to a plan: where nothing else is
// due, a version that nothing uses is deleted.
func (e *external) withHistory(ctx context.Context, f *v1beta1.Function, p reconciler.Plan) (reconciler.Plan, error) {
	limit := f.Spec.ForProvider.HistoryLimit
	switch {
	case limit == nil:
		return p, nil
	case p.Call == string(opPublish):
		reconciler.Reserve(ctx, versions.CallList)
		return p, nil
	case p.Call != "" || p.Ready.Status != corev1.ConditionTrue:
		return p, nil
	case e.pruning.err != nil:
		return p, e.pruning.err
	case e.pruning.unused != "":
		earlier := len(versions.Earlier(&f.Status.AtProvider.VersionHistory, ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, "")))
		p.Call = versions.CallDelete
		p.Changes = diff.Changes{{Path: pathHistory, Old: fmt.Sprintf("%d earlier versions", earlier), New: fmt.Sprint(*limit)}}
		p.Followed, p.Does = p.Changes, "deleted version "+e.pruning.unused+" beyond the limit: "+p.Changes.String()
	case !steady(f) && len(versions.Due(&f.Status.AtProvider.VersionHistory, excess(f), e.now())) > 0:
		reconciler.RequeueAfter(ctx, reconciler.MinPending)
	}
	return p, nil
}

// prune the version that nothing uses.
func (e *external) prune(ctx context.Context, f *v1beta1.Function, o observed) error {
	return e.pruner().Prune(ctx, functionOf(o), &f.Status.AtProvider.VersionHistory, e.pruning.unused, e.now())
}

// intend notes what is to be published, with a limit to the history: a version of a higher
// number than there was before is the function's own. A note that stands is of a call whose
// answer was lost.
func (e *external) intend(ctx context.Context, f *v1beta1.Function, c *types.FunctionConfiguration) error {
	if f.Spec.ForProvider.HistoryLimit == nil {
		return nil
	}
	sum := fingerprint.Read(c).Fingerprint()
	if i, noted := versions.IntentOf(f); noted && i.Fingerprint == sum {
		return nil
	}
	all, err := versions.List(ctx, e.api, ptr.Deref(c.FunctionName, ""))
	if err != nil {
		return err
	}
	i := versions.Intent{Before: versions.Highest(all), Fingerprint: sum}
	return errors.Wrap(reconciler.RecordIntent(ctx, f, i.Annotation(f)), "cannot record what is about to be published")
}

// remember a version that was published, if it is the function's own.
func remember(f *v1beta1.Function, version *string, sum string) {
	i, noted := versions.IntentOf(f)
	v := ptr.Deref(version, "")
	if f.Spec.ForProvider.HistoryLimit == nil || !noted || i.Fingerprint != sum || versions.Number(v) <= i.Before {
		return
	}
	versions.Remember(&f.Status.AtProvider.VersionHistory, v, sum)
}
