package function

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// Reasons of this kind's own events.
const (
	reasonAdopted    event.Reason = "AdoptedExternalResource"
	reasonNotDeleted event.Reason = "LeftForeignResource"
)

// again is when to look again after AWS said that it is busy, or that someone
// else was quicker.
const again = time.Second

// external looks at one function and changes it. It lives for one reconcile: what
// Observe found out is what the call that follows goes by.
type external struct {
	api      lambdaAPI
	resolver *resolver
	owner    owner
	now      func() time.Time

	plan plan
}

// owner is whose a function is, and how that shows in tags.
type owner struct {
	clusterID string
	config    string
	// tags are the provider config's default tags, under the function's own.
	tags map[string]string
	// ignore says which tags the provider config leaves alone.
	ignore func(key string) bool
}

// Observe a function with GetFunction, and a call more for each setting beside it
// that spec declares.
func (e *external) Observe(ctx context.Context, f *v1beta1.Function) (xpmanaged.ExternalObservation, error) {
	name := functionName(f)
	if was := ptr.Deref(f.Status.AtProvider.FunctionName, name); was != name {
		return xpmanaged.ExternalObservation{}, errors.Errorf("the external name was changed from %q to %q, which would leave function %q behind: change the annotation %s back, and create another Function for %q", was, name, was, meta.AnnotationKeyExternalName, name)
	}
	o, err := e.read(ctx, name, f)
	if awserr.IsNotFound(err) {
		return e.absent(ctx, f, name)
	}
	if err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	if observeOnly(f) {
		return e.look(f, o), nil
	}
	verdict, err := e.judge(f, o, name)
	if err != nil {
		return e.foreign(ctx, f, err)
	}
	e.plan = plan{name: name, observed: o}
	if meta.WasDeleted(f) {
		managed.Reserve(ctx, string(callDelete))
		return xpmanaged.ExternalObservation{ResourceExists: true}, nil
	}
	if err := managed.WriteExternalName(ctx, f, name); err != nil {
		return xpmanaged.ExternalObservation{}, errors.Wrap(err, "cannot write the external name")
	}
	if verdict == ownership.Adopted {
		managed.Emit(ctx, event.Normal(reasonAdopted, "Adopted function "+name))
	}
	f.Status.AtProvider = status(o, f.Status.AtProvider)
	if verdict != ownership.Ours {
		// It was not created from this spec, so initProvider has nothing to say.
		f.Status.AtProvider.Initialized = true
	}
	return e.compare(ctx, f)
}

// compare what is wanted with what was observed, and decide what is due.
func (e *external) compare(ctx context.Context, f *v1beta1.Function) (xpmanaged.ExternalObservation, error) {
	p, err := e.planned(ctx, f, e.plan.name, e.plan.observed)
	if err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	d := decide(p.observed, p.changes, p.due, e.facts(f))
	if d.due == callUpdateCode && p.archive.none() && !p.changes.Any(codePaths...) {
		// The code that failed is another tool's to deploy again.
		d.due = callNone
	}
	f.SetConditions(d.ready)
	settled := d.due == callNone && !condition.InMotion(d.ready)
	if settled {
		f.SetObservedGeneration(f.GetGeneration())
		f.Status.AtProvider.Initialized = f.Status.AtProvider.Initialized || d.ready.Reason == xpv2.ReasonAvailable
	}
	if d.wait > 0 {
		managed.ComeBack(ctx, d.wait)
	}
	if d.due != callNone {
		managed.Reserve(ctx, string(d.due))
	}
	p.due = d.due
	e.plan = p
	return xpmanaged.ExternalObservation{
		ResourceExists:    true,
		ResourceUpToDate:  d.due == callNone,
		Diff:              p.changes.String(),
		ConnectionDetails: connectionDetails(f),
	}, nil
}

// absent is the observation of a function that AWS does not have.
func (e *external) absent(ctx context.Context, f *v1beta1.Function, name string) (xpmanaged.ExternalObservation, error) {
	if meta.WasDeleted(f) || observeOnly(f) {
		return xpmanaged.ExternalObservation{}, nil
	}
	if !allows(f, xpv2.ManagementActionCreate) {
		f.SetConditions(condition.Unavailable(f.GetGeneration(), "the function does not exist, and managementPolicies do not allow to create it"))
		return xpmanaged.ExternalObservation{ResourceUpToDate: true}, nil
	}
	p, err := e.planned(ctx, f, name, observed{})
	if err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	e.plan = p
	f.Status.AtProvider = v1beta1.FunctionObservation{}
	f.SetConditions(condition.Creating(f.GetGeneration(), ""))
	managed.Reserve(ctx, callCreate)
	return xpmanaged.ExternalObservation{}, nil
}

// look is an observation without any claim: whatever is there is shown.
func (e *external) look(f *v1beta1.Function, o observed) xpmanaged.ExternalObservation {
	f.Status.AtProvider = status(o, f.Status.AtProvider)
	d := decide(o, nil, callNone, e.facts(f))
	f.SetConditions(d.ready)
	f.SetObservedGeneration(f.GetGeneration())
	return xpmanaged.ExternalObservation{ResourceExists: true, ResourceUpToDate: true, ConnectionDetails: connectionDetails(f)}
}

// judge whose the function is. An error means that it is not ours to touch, and
// says why.
func (e *external) judge(f *v1beta1.Function, o observed, name string) (ownership.Verdict, error) {
	if t := o.function.TagsError; t != nil {
		return ownership.Foreign, errors.Errorf("cannot read the tags of function %s, which say whose it is: %s; grant lambda:ListTags on it", name, ptr.Deref(t.Message, ""))
	}
	claim := ownership.Claim{Kind: kind, ClusterID: e.owner.clusterID, Named: named(f, o)}
	v := ownership.Judge(o.function.Tags, f, claim)
	if !v.Manageable() {
		return v, ownership.NewForeignError("function "+name, o.function.Tags, claim)
	}
	return v, nil
}

// named says that this very function is meant: the user named it, or it is the one
// that was ours when last looked at, and only lost its tags.
func named(f *v1beta1.Function, o observed) bool {
	last := f.Status.AtProvider.FunctionArn
	return ownership.UserSetName(f) || (ownership.WroteName(f) && last != nil && *last == ptr.Deref(o.config().FunctionArn, ""))
}

// foreign is the observation of a function that is not ours. A Function that is
// being deleted just lets go of it.
func (e *external) foreign(ctx context.Context, f *v1beta1.Function, err error) (xpmanaged.ExternalObservation, error) {
	if meta.WasDeleted(f) && ownership.IsForeign(err) {
		managed.Emit(ctx, event.Normal(reasonNotDeleted, "Left in AWS, since it is not ours: "+err.Error()))
		return xpmanaged.ExternalObservation{}, nil
	}
	f.SetConditions(condition.Unavailable(f.GetGeneration(), err.Error()))
	return xpmanaged.ExternalObservation{}, err
}

func (e *external) facts(f *v1beta1.Function) facts {
	return facts{
		generation:  f.GetGeneration(),
		fresh:       f.GetCondition(xpv2.TypeReady).ObservedGeneration != f.GetGeneration(),
		activated:   f.Status.AtProvider.Activated,
		updatable:   allows(f, xpv2.ManagementActionUpdate),
		recreatable: allows(f, xpv2.ManagementActionDelete) && allows(f, xpv2.ManagementActionCreate),
		now:         e.now(),
	}
}

// read all that the spec asks to be looked at.
func (e *external) read(ctx context.Context, name string, f *v1beta1.Function) (observed, error) {
	o := observed{}
	var err error
	if o.function, err = e.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name)}); err != nil {
		return o, errors.Wrapf(awserr.Clean(err), "cannot read function %s", name)
	}
	if o.function.Configuration == nil {
		return o, errors.Errorf("cannot read function %s: AWS answered without its configuration", name)
	}
	if env := o.config().Environment; env != nil && env.Error != nil {
		return o, errors.Errorf("cannot read the environment of function %s: %s (%s); grant the provider kms:Decrypt on its key", name, ptr.Deref(env.Error.Message, ""), ptr.Deref(env.Error.ErrorCode, ""))
	}
	if err := e.readPublishing(ctx, name, f, &o); err != nil {
		return o, err
	}
	return o, e.readBeside(ctx, name, f, &o)
}

func (e *external) readBeside(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	for _, op := range reads(f) {
		var err error
		switch op {
		case opGetCodeSigning:
			var out *lambda.GetFunctionCodeSigningConfigOutput
			if out, err = e.api.GetFunctionCodeSigningConfig(ctx, &lambda.GetFunctionCodeSigningConfigInput{FunctionName: ptr.To(name)}); err == nil {
				o.codeSigningConfigArn = out.CodeSigningConfigArn
			}
		case opGetRecursion:
			var out *lambda.GetFunctionRecursionConfigOutput
			if out, err = e.api.GetFunctionRecursionConfig(ctx, &lambda.GetFunctionRecursionConfigInput{FunctionName: ptr.To(name)}); err == nil {
				o.recursiveLoop = str(out.RecursiveLoop)
			}
		case opGetScaling:
			var out *lambda.GetFunctionScalingConfigOutput
			out, err = e.api.GetFunctionScalingConfig(ctx, &lambda.GetFunctionScalingConfigInput{FunctionName: ptr.To(name), Qualifier: ptr.To(latestPublished)})
			if err == nil {
				o.scaling = out.RequestedFunctionScalingConfig
			}
			if awserr.IsNotFound(err) {
				// Nothing is published yet.
				err = nil
			}
		}
		if err != nil {
			return errors.Wrapf(awserr.Clean(err), "cannot read settings of function %s", name)
		}
	}
	return nil
}

// Create the function with CreateFunction. If AWS has it already, the next
// observation tells whose it is: it may be ours, of a call whose answer was lost.
func (e *external) Create(ctx context.Context, f *v1beta1.Function) (xpmanaged.ExternalCreation, error) {
	p := e.plan
	in := createInput(p.name, p.target, p.archive, p.target.Tags, creating(f))
	out, err := e.api.CreateFunction(ctx, in)
	if awserr.IsAlreadyExists(err) {
		managed.Hold(ctx, again)
		return xpmanaged.ExternalCreation{}, nil
	}
	if err != nil {
		return xpmanaged.ExternalCreation{}, errors.Wrapf(awserr.Clean(err), "cannot create function %s", p.name)
	}
	meta.AddAnnotations(f, ownership.Name(f, p.name))
	f.Status.AtProvider = v1beta1.FunctionObservation{
		FunctionName: out.FunctionName,
		FunctionArn:  out.FunctionArn,
		State:        str(out.State),
		CodeSHA256:   out.CodeSha256,
		DeployedCode: p.archive.bundle.Remember(out.CodeSha256),
	}
	published(&f.Status.AtProvider, out.Version, out.State, fingerprint.Read(out))
	return xpmanaged.ExternalCreation{ConnectionDetails: connectionDetails(f)}, nil
}

// Update makes the one call that is due.
func (e *external) Update(ctx context.Context, f *v1beta1.Function) (xpmanaged.ExternalUpdate, error) {
	p := e.plan
	err := e.make(ctx, f, p)
	if awserr.IsInProgress(err) || awserr.IsPreconditionFailed(err) {
		// Someone else changed the function since it was observed.
		managed.Hold(ctx, again)
		return xpmanaged.ExternalUpdate{}, nil
	}
	if err != nil {
		return xpmanaged.ExternalUpdate{}, errors.Wrapf(awserr.Clean(err), "cannot update function %s (%s)", p.name, p.due)
	}
	managed.Describe(ctx, p.describe(f))
	if !p.due.settles() {
		managed.ComeBack(ctx, 0)
	}
	return xpmanaged.ExternalUpdate{ConnectionDetails: connectionDetails(f)}, nil
}

// Delete the function and all its versions with DeleteFunction.
func (e *external) Delete(ctx context.Context, f *v1beta1.Function) (xpmanaged.ExternalDelete, error) {
	f.SetConditions(condition.Deleting(f.GetGeneration(), ""))
	if e.plan.observed.function == nil || e.plan.observed.config().State == types.StateDeleting {
		return xpmanaged.ExternalDelete{}, nil
	}
	_, err := e.api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: ptr.To(e.plan.name)})
	if err != nil && !awserr.IsNotFound(err) {
		return xpmanaged.ExternalDelete{}, errors.Wrapf(awserr.Clean(err), "cannot delete function %s", e.plan.name)
	}
	managed.ComeBack(ctx, 0)
	return xpmanaged.ExternalDelete{}, nil
}

// Disconnect does nothing: connections are shared and outlive a reconcile.
func (e *external) Disconnect(context.Context) error { return nil }
