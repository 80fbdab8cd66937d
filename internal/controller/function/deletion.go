package function

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// releaseDelays are the delays after each failed attempt to release the VPC. After the last
// one the function is deleted anyway.
var releaseDelays = []time.Duration{
	5 * time.Second, 15 * time.Second, 30 * time.Second, 60 * time.Second, reconcile.MinPending,
}

// changeLimit is the longest time that a deletion waits for AWS to finish a change, measured from AWS's LastModified.
const changeLimit = 15 * time.Minute

// A release is the change that removes the function's network interfaces before it is
// deleted: it replaces the security groups, or detaches the function from its VPC.
type release struct {
	// does describes the change.
	does string

	// to is the VPC configuration to set. Nil detaches the function from its VPC.
	to *vpcConfig

	// fileSystems is true if the file systems have to be removed too, because they are mounted from within the VPC.
	fileSystems bool
}

// step reports whether the release waits until AWS has finished a change, or is due. If it is neither, the function is
// deleted: the error says why although it is not released.
func (r *release) step(c *types.FunctionConfiguration, attempts int32, now time.Time) (waits, due bool, why error) {
	switch busy := c.State == types.StatePending || c.LastUpdateStatus == types.LastUpdateStatusInProgress; {
	case busy && now.Sub(lambdaapi.Modified(c.LastModified)) > changeLimit:
		return false, false, errors.Errorf("a change of the function has been in progress for %s", changeLimit)
	case busy:
		return true, false, nil
	case r.made(vpc(c.VpcConfig)) && c.LastUpdateStatus != types.LastUpdateStatusFailed:
		return false, false, nil
	case int(attempts) >= len(releaseDelays):
		return false, false, errors.Errorf("%d attempts of %s have failed", len(releaseDelays), r.does)
	}
	return false, true, nil
}

// made reports whether AWS has made the change.
func (r *release) made(have *vpcConfig) bool {
	if r.to == nil || have == nil {
		return have == nil
	}
	return slices.Equal(
		slices.Sorted(slices.Values(r.to.SecurityGroupIDs)), slices.Sorted(slices.Values(have.SecurityGroupIDs)),
	)
}

// input returns the update that makes the change. It includes the subnets if the function keeps them.
func (r *release) input(name string) *lambda.UpdateFunctionConfigurationInput {
	in := &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To(name), VpcConfig: vpcInput(r.to)}
	if r.fileSystems {
		in.FileSystemConfigs = []types.FileSystemConfig{}
	}
	return in
}

func (r *release) message() string { return r.does + " before the deletion" }

// replacements returns the replacement security groups. References that can no longer be resolved are skipped: most
// likely their objects are being deleted along with the function. The error is that of the last one.
func (e *external) replacements(ctx context.Context, f *v1beta1.Function) (groups []string, missing error) {
	p := f.Spec.ForProvider
	groups = slices.Clone(p.ReplacementSecurityGroupIDs)
	for i := range p.ReplacementSecurityGroupIDsFrom {
		name := fmt.Sprintf("spec.forProvider.replacementSecurityGroupIdsFrom[%d]", i)
		group, err := refs.One(
			ctx, e.resolver.fields, f.GetNamespace(), name, nil, &p.ReplacementSecurityGroupIDsFrom[i],
		)
		if err != nil {
			missing = err
			continue
		}
		if !slices.Contains(groups, *group) {
			groups = append(groups, *group)
		}
	}
	return groups, missing
}

// release returns the release that the user asks for, or nil if there is none or it would
// have no effect. The error says why there is none although the user asks for one.
func (e *external) release(
	ctx context.Context, f *v1beta1.Function, c *types.FunctionConfiguration,
) (*release, error) {
	p, have := f.Spec.ForProvider, vpc(c.VpcConfig)
	begun := f.Status.AtProvider.VPCReleaseAttempts > 0 || p.VPCConfig != nil
	if have == nil && !begun || c.State == types.StateDeleting || !reconcile.Allows(f, xpv2.ManagementActionUpdate) {
		return nil, nil
	}
	detach, replace := ptr.Deref(p.DetachFromVPCOnDestroy, false), ptr.Deref(p.ReplaceSecurityGroupsOnDestroy, false)
	switch {
	case c.State == types.StateFailed && (detach || replace):
		return nil, errors.New("AWS accepts no update of a function that failed")
	case detach:
		return &release{does: "detaching it from its VPC", fileSystems: len(c.FileSystemConfigs) > 0}, nil
	case !replace || have == nil:
		return nil, nil
	}
	groups, missing := e.replacements(ctx, f)
	if len(groups) == 0 {
		return nil, missing
	}
	to := *have
	to.SecurityGroupIDs = groups
	return &release{does: "replacing its security groups", to: &to}, nil
}

// warning returns the event about network interfaces that were not released.
func warning(why error) reconcile.Effects {
	return reconcile.Effects{Events: []event.Event{event.Warning(v1beta1.EventCannotReleaseVPC, why)}}
}

// await waits for what a deletion waits for. It reports nothing if Ready already says so.
func await(f *v1beta1.Function, why string, after time.Duration) (reconcile.Result, error) {
	c := reconcile.Deleting(f.GetGeneration(), why)
	if f.GetCondition(xpv2.TypeReady).Equal(c) {
		return reconcile.Result{}, reconcile.WaitFor(after)
	}
	return reconcile.Result{Part: true, Ready: c, Does: why, Effects: reconcile.Effects{After: after}}, nil
}

// sendRelease sends the change that releases the VPC. Every answer of AWS apart from throttling
// counts as an attempt; a call without an answer is retried like any other.
func (e *external) sendRelease(
	ctx context.Context, f *v1beta1.Function, o found, r *release,
) (reconcile.Result, error) {
	res := reconcile.Result{Part: true, Ready: f.GetCondition(xpv2.TypeReady)}
	if err := e.facts.Reserve(string(opUpdateConfiguration)); err != nil {
		return res, err
	}
	_, err := e.api.UpdateFunctionConfiguration(ctx, r.input(o.Name))
	_, deferred := quota.Deferred(err)
	counts := err == nil || !deferred && !awserr.IsThrottled(err) && awserr.StatusCode(err) != 0
	err = errors.Wrapf(awserr.Sanitize(err), "cannot update %s before its deletion (%s)", o.Description, r.does)
	if !counts {
		return res, err
	}
	s := &f.Status.AtProvider
	s.VPCReleaseAttempts++
	if err == nil {
		res.Ready, res.Does = reconcile.Deleting(f.GetGeneration(), r.message()), r.message()
		res.After = reconcile.MinPending
		return res, nil
	}
	res.Effects = warning(err)
	res.Ready = reconcile.Deleting(
		f.GetGeneration(), fmt.Sprintf("%v: attempt %d of %d", err, s.VPCReleaseAttempts, len(releaseDelays)),
	)
	res.Does = r.does + " before the deletion was rejected"
	res.After = releaseDelays[min(int(s.VPCReleaseAttempts), len(releaseDelays))-1]
	return res, nil
}

// releaseVPC detaches the function from its VPC or replaces its security groups, if the
// user asks for that. It decides by what AWS returns each time. It returns a Part until the function can be deleted.
func (e *external) releaseVPC(ctx context.Context, f *v1beta1.Function, o found) (reconcile.Result, error) {
	c := o.Resource.config()
	r, why := e.release(ctx, f, c)
	var waits, due bool
	if r != nil {
		waits, due, why = r.step(c, f.Status.AtProvider.VPCReleaseAttempts, e.facts.Now())
	}
	switch {
	case waits:
		return await(f, r.message(), reconcile.PendingDelay(e.facts.Now().Sub(f.GetDeletionTimestamp().Time)))
	case due:
		return e.sendRelease(ctx, f, o, r)
	case why == nil:
		return reconcile.Result{}, nil
	}
	why = errors.Wrap(why, "the function is deleted without releasing its network interfaces")
	return reconcile.Result{Effects: warning(why)}, nil
}

// delete deletes the function and all its versions with DeleteFunction, unless AWS is
// already deleting it. It first releases the function's VPC, if the user asks for that.
func (e *external) delete(ctx context.Context, f *v1beta1.Function, o found) (reconcile.Result, error) {
	res, err := e.releaseVPC(ctx, f, o)
	if err != nil || res.Part {
		return res, err
	}
	if c := o.Resource.config(); c.State == types.StateDeleting {
		since := e.facts.Now().Sub(f.GetDeletionTimestamp().Time)
		after := max(reconcile.PendingDelay(since), min(since/20, retryAfter))
		if c.StateReasonCode == types.StateReasonCodeDrainingDurableExecutions {
			const why = "AWS deletes it after its durable executions: stop them with kubectl lambda executions, or wait"
			return await(f, why, after)
		}
		return res, reconcile.WaitFor(after)
	}
	e.memory.drop(f.GetUID())
	_, err = e.api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: ptr.To(o.Name)})
	return res, errors.Wrapf(awserr.Sanitize(err), "cannot delete %s", o.Description)
}
