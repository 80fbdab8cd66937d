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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/refs"
)

// reasonVPCKept tells of a function that is deleted, or is about to be, with the
// network interfaces that it has.
const reasonVPCKept event.Reason = "CannotReleaseVPC"

// releaseDelays are how long after each time that AWS did not take the release of a
// VPC it is asked again. After the last one the function is deleted as it is.
var releaseDelays = []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, 60 * time.Second, reconciler.MinPending}

// settleLimit is how long a deletion waits for AWS to settle a change, by AWS's own
// time of it.
const settleLimit = 15 * time.Minute

// PrepareDelete has a function let go of its VPC, if the user asks for that. What is still to
// be done for it is read from AWS each time.
func (e *external) PrepareDelete(ctx context.Context, f *v1beta1.Function, o found) (ready bool, err error) {
	c := o.Resource.config()
	r := e.release(ctx, f, c)
	switch r.step(c, f.Status.AtProvider.VPCReleaseAttempts, e.now()) {
	case releaseWaits:
		e.await(ctx, f, r)
		return false, nil
	case releaseDue:
		return false, e.send(ctx, f, o, r)
	case releaseStuck:
		reconciler.Emit(ctx, asItIs(errors.Errorf("a change of the function has been in progress for %s", settleLimit)))
	case releaseFailed:
		reconciler.Emit(ctx, asItIs(errors.Errorf("%d attempts of %s have failed", len(releaseDelays), r.does)))
	case releaseDone:
	}
	return true, nil
}

// asItIs tells that the function is deleted without the release of its VPC.
func asItIs(why error) event.Event {
	return event.Warning(reasonVPCKept, errors.Wrap(why, "the function is deleted without releasing its network interfaces"))
}

// await the end of a change that AWS is at. Nothing is said anew where Ready says it.
func (e *external) await(ctx context.Context, f *v1beta1.Function, r *release) {
	after := reconciler.PendingDelay(e.now().Sub(f.GetDeletionTimestamp().Time))
	c := reconciler.Deleting(f.GetGeneration(), r.message())
	if f.GetCondition(xpv2.TypeReady).Equal(c) {
		reconciler.Abort(ctx, after)
		return
	}
	f.SetConditions(c)
	reconciler.DescribeChange(ctx, r.message())
	reconciler.RequeueAfter(ctx, after)
}

// send the change that releases the VPC. What AWS answers to it, apart from throttling,
// counts as an attempt; what got no answer is sent again like any call.
func (e *external) send(ctx context.Context, f *v1beta1.Function, o found, r *release) error {
	if !reconciler.Reserve(ctx, string(opUpdateConfiguration)) {
		return nil
	}
	_, err := e.api.UpdateFunctionConfiguration(ctx, r.input(o.Name))
	if _, deferred := quota.Deferred(err); deferred || awserr.IsThrottled(err) || err != nil && awserr.StatusCode(err) == 0 {
		return errors.Wrapf(awserr.Clean(err), "cannot update %s before its deletion (%s)", o.Description, r.does)
	}
	s := &f.Status.AtProvider
	s.VPCReleaseAttempts++
	if err == nil {
		f.SetConditions(reconciler.Deleting(f.GetGeneration(), r.message()))
		reconciler.DescribeChange(ctx, r.message())
		reconciler.RequeueAfter(ctx, reconciler.MinPending)
		return nil
	}
	err = errors.Wrapf(awserr.Clean(err), "cannot update %s before its deletion (%s)", o.Description, r.does)
	reconciler.Emit(ctx, event.Warning(reasonVPCKept, err))
	f.SetConditions(reconciler.Deleting(f.GetGeneration(), fmt.Sprintf("%v: attempt %d of %d", err, s.VPCReleaseAttempts, len(releaseDelays))))
	reconciler.DescribeChange(ctx, r.does+" before the deletion was rejected")
	reconciler.RequeueAfter(ctx, releaseDelays[min(int(s.VPCReleaseAttempts), len(releaseDelays))-1])
	return nil
}

// A release is the change by which a function lets go of its security groups, or of its
// VPC, before it is deleted. Nil where there is none to be made.
type release struct {
	// does says what the change does.
	does string

	// to is what the function's VPC configuration is to become. Nil is none.
	to *vpcConfig

	// fileSystems are to be taken away too: they are mounted from within the VPC.
	fileSystems bool
}

// release that the user asks for, if it can be of any use.
func (e *external) release(ctx context.Context, f *v1beta1.Function, c *types.FunctionConfiguration) *release {
	p, have := f.Spec.ForProvider, vpc(c.VpcConfig)
	begun := f.Status.AtProvider.VPCReleaseAttempts > 0 || p.VPCConfig != nil
	if have == nil && !begun || c.State == types.StateDeleting || !reconciler.Allows(f, xpv2.ManagementActionUpdate) {
		return nil
	}
	if ptr.Deref(p.DetachFromVPCOnDestroy, false) {
		return &release{does: "detaching it from its VPC", fileSystems: len(c.FileSystemConfigs) > 0}
	}
	if !ptr.Deref(p.ReplaceSecurityGroupsOnDestroy, false) || have == nil {
		return nil
	}
	groups := e.replacements(ctx, f)
	if len(groups) == 0 {
		return nil
	}
	to := *have
	to.SecurityGroupIDs = groups
	return &release{does: "replacing its security groups", to: &to}
}

// replacements are the security groups to put in place of the function's. Those that
// cannot be read any more are left out: most likely they are being deleted along with
// the function.
func (e *external) replacements(ctx context.Context, f *v1beta1.Function) []string {
	p := f.Spec.ForProvider
	groups := slices.Clone(p.ReplacementSecurityGroupIDs)
	var missing error
	for i := range p.ReplacementSecurityGroupIDsFrom {
		name := fmt.Sprintf("spec.forProvider.replacementSecurityGroupIdsFrom[%d]", i)
		group, err := refs.One(ctx, e.resolver.fields, f.GetNamespace(), name, nil, &p.ReplacementSecurityGroupIDsFrom[i])
		if err != nil {
			missing = err
			continue
		}
		groups = append(groups, *group)
	}
	if len(groups) == 0 && missing != nil {
		reconciler.Emit(ctx, asItIs(missing))
	}
	return groups
}

// A releaseStep is what a release comes to next.
type releaseStep int

const (
	// releaseDone lets the deletion go on.
	releaseDone releaseStep = iota

	// releaseDue has the change sent.
	releaseDue

	// releaseWaits for AWS to settle a change.
	releaseWaits

	// releaseStuck and releaseFailed have the function deleted as it is, since AWS
	// settles nothing, or has not made the change.
	releaseStuck
	releaseFailed
)

// step by what AWS says and how often it was asked.
func (r *release) step(c *types.FunctionConfiguration, attempts int32, now time.Time) releaseStep {
	if r == nil {
		return releaseDone
	}
	if c.State == types.StatePending || c.LastUpdateStatus == types.LastUpdateStatusInProgress {
		since, err := time.Parse(modifiedLayout, ptr.Deref(c.LastModified, ""))
		if err != nil || now.Sub(since) > settleLimit {
			return releaseStuck
		}
		return releaseWaits
	}
	switch {
	case r.made(vpc(c.VpcConfig)) && c.LastUpdateStatus != types.LastUpdateStatusFailed:
		return releaseDone
	case int(attempts) >= len(releaseDelays):
		return releaseFailed
	}
	return releaseDue
}

// made tells whether AWS has made the change.
func (r *release) made(have *vpcConfig) bool {
	if r.to == nil || have == nil {
		return have == nil
	}
	return slices.Equal(slices.Sorted(slices.Values(r.to.SecurityGroupIDs)), slices.Sorted(slices.Values(have.SecurityGroupIDs)))
}

// input names the subnets too where the function stays in them.
func (r *release) input(name string) *lambda.UpdateFunctionConfigurationInput {
	in := &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To(name), VpcConfig: vpcInput(r.to)}
	if r.fileSystems {
		in.FileSystemConfigs = []types.FileSystemConfig{}
	}
	return in
}

func (r *release) message() string { return r.does + " before the deletion" }
