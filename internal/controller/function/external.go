package function

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/cadence"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/versions"
)

// thing is how a function is seen in AWS. It lives for one reconcile: what was found
// out before is what the call that follows goes by.
type thing struct {
	api      lambdaAPI
	resolver *resolver
	owner    tagging.Owner
	cache    *inventory.Cache
	memory   *records
	now      func() time.Time
	account  accountFigures

	// verdict is whose the function is, once that was judged.
	verdict ownership.Verdict

	plan plan

	// recreates says that what is there is a failed creation, which Create deletes first;
	// repairs that what failed is tried again, with nothing changed.
	recreates, repairs bool

	// pruning is what readHistory found.
	pruning pruning
}

type found = flow.Found[observed]

// Read a function with GetFunction, and a call more for each setting beside it that
// spec declares.
func (t *thing) Read(ctx context.Context, f *v1beta1.Function) (found, error) {
	if err := checkName(f); err != nil {
		return found{}, err
	}
	name := functionName(f)
	o, err := t.read(ctx, name, f)
	if awserr.IsNotFound(err) && o.function == nil { // Of what is beside it, it says nothing of the function.
		return found{}, nil
	}
	if err == nil {
		t.readHistory(ctx, f, o)
	}
	return found{Thing: o, Exists: err == nil, Name: name, What: "function " + name}, err
}

// Judge whose the function is, by its tags.
func (t *thing) Judge(ctx context.Context, f *v1beta1.Function, found found) (ownership.Verdict, error) {
	o := found.Thing
	if e := o.function.TagsError; e != nil {
		return ownership.Foreign, errors.Errorf("cannot read the tags of %s, which name its owner: %s; grant lambda:ListTags on it", found.What, ptr.Deref(e.Message, ""))
	}
	var err error
	t.verdict, err = t.owner.Judge(ctx, f, o.function.Tags, named(f, o), found.What)
	return t.verdict, err
}

// named says that this very function is meant: the user named it, or it is the one
// that was ours when last looked at, and only lost its tags. Status may lack what the
// name already tells, after the provider was killed in between.
func named(f *v1beta1.Function, o observed) bool {
	arn := ptr.Deref(o.config().FunctionArn, "")
	return ownership.UserSetName(f) || ownership.WroteName(f) && ptr.Deref(f.Status.AtProvider.FunctionArn, arn) == arn
}

// Show what was found in status.atProvider.
func (t *thing) Show(f *v1beta1.Function, found found) {
	f.Status.AtProvider = status(found.Thing, f.Status.AtProvider)
}

// State is the Ready condition by what AWS says alone.
func (t *thing) State(f *v1beta1.Function, found found) xpv2.Condition {
	return decide(found.Thing, nil, nil, t.facts(f, found.Thing)).ready
}

// Plan compares what is wanted with what was found, and decides what is due.
func (t *thing) Plan(ctx context.Context, f *v1beta1.Function, found found) (flow.Plan, error) {
	if t.verdict != ownership.Ours || flow.ObserveOnly(f) {
		// It was not created from this spec, so initProvider has nothing to say.
		f.Status.AtProvider.Initialized = true
	}
	p, err := t.planned(ctx, f, found.Name, found.Thing)
	if err != nil {
		return flow.Plan{}, err
	}
	facts := t.facts(f, found.Thing)
	d := decide(p.observed, p.calls, p.changes, facts)
	if p.archive.none() && !p.changes.Any(codePaths...) {
		// The code that failed is another tool's to deploy again.
		d.due = slices.DeleteFunc(slices.Clone(d.due), func(c call) bool { return c == callUpdateCode })
	}
	if len(d.due) == 0 && d.ready.Reason == xpv2.ReasonAvailable {
		f.Status.AtProvider.Initialized = true
	}
	if healthy(found.Thing.config()) {
		t.memory.recovered(f)
	}
	t.plan, t.recreates, t.repairs = p, d.recreate, !facts.fresh && failed(found.Thing.config())
	plan := flow.Plan{Ready: d.ready, Changes: p.changes, Followed: p.followed(f.Status.AtProvider.DeployedCode), Recreate: d.recreate, Wait: d.wait}
	if !facts.updatable {
		plan.Changes = p.changes.But(publishPath) // What is there now may be published or not.
	}
	var steps []flow.Step
	for _, c := range d.due {
		steps = append(steps, flow.Step{Call: string(c), Carried: c.carried(p.changes), Does: p.describe(ctx, f, c), Slow: c.settles()})
	}
	return t.withHistory(ctx, f, plan.With(steps...))
}

func (t *thing) facts(f *v1beta1.Function, o observed) facts {
	repairs, repaired := t.memory.repairs(f)
	return facts{
		generation:  f.GetGeneration(),
		fresh:       fresh(f),
		activated:   f.Status.AtProvider.Activated,
		ours:        createdJustNow(f, t.verdict, o, t.now()),
		updatable:   flow.Allows(f, xpv2.ManagementActionUpdate),
		recreatable: flow.Allows(f, xpv2.ManagementActionDelete) && flow.Allows(f, xpv2.ManagementActionCreate),
		repairs:     repairs,
		repaired:    repaired,
		now:         t.now(),
	}
}

// fresh says that the user changed the spec since it was last looked at.
func fresh(f *v1beta1.Function) bool {
	return f.GetCondition(xpv2.TypeReady).ObservedGeneration != f.GetGeneration()
}

// read all that the spec asks to be looked at.
func (t *thing) read(ctx context.Context, name string, f *v1beta1.Function) (observed, error) {
	o := observed{}
	var err error
	if o.function, err = t.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name)}); err != nil {
		return o, errors.Wrapf(awserr.Clean(err), "cannot read function %s", name)
	}
	if o.function.Configuration == nil {
		return o, errors.Errorf("cannot read function %s: AWS answered without its configuration", name)
	}
	if err := t.readPublishing(ctx, name, f, &o); err != nil {
		return o, err
	}
	if err := t.readVersions(ctx, name, f, &o); err != nil {
		return o, err
	}
	return o, t.readBeside(ctx, name, f, &o)
}

func (t *thing) readBeside(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	for _, op := range reads(f) {
		var err error
		switch op {
		case opGetCodeSigning:
			if o.config().PackageType == types.PackageTypeImage {
				// Images are not signed.
				continue
			}
			var out *lambda.GetFunctionCodeSigningConfigOutput
			if out, err = t.api.GetFunctionCodeSigningConfig(ctx, &lambda.GetFunctionCodeSigningConfigInput{FunctionName: ptr.To(name)}); err == nil {
				o.codeSigningConfigArn = out.CodeSigningConfigArn
			}
		case opGetRecursion:
			var out *lambda.GetFunctionRecursionConfigOutput
			if out, err = t.api.GetFunctionRecursionConfig(ctx, &lambda.GetFunctionRecursionConfigInput{FunctionName: ptr.To(name)}); err == nil {
				o.recursiveLoop = answer.Text(out.RecursiveLoop)
			}
		case opGetScaling:
			var out *lambda.GetFunctionScalingConfigOutput
			out, err = t.api.GetFunctionScalingConfig(ctx, &lambda.GetFunctionScalingConfigInput{FunctionName: ptr.To(name), Qualifier: ptr.To(latestPublished)})
			if err == nil {
				// Once it is applied, AWS may tell it as that alone.
				o.scaling = cmp.Or(out.RequestedFunctionScalingConfig, out.AppliedFunctionScalingConfig)
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

// Prepare works out what to create.
func (t *thing) Prepare(ctx context.Context, f *v1beta1.Function) error {
	p, err := t.planned(ctx, f, functionName(f), observed{})
	if err != nil {
		return err
	}
	t.plan = p
	f.Status.AtProvider = v1beta1.FunctionObservation{}
	return nil
}

// Create the function with CreateFunction. One whose creation failed is deleted first.
func (t *thing) Create(ctx context.Context, f *v1beta1.Function) (string, error) {
	p := t.plan
	if t.repairs {
		t.memory.repair(f, t.now())
	}
	if t.recreates {
		if err := t.deleteFailed(ctx, p.name); err != nil {
			return "", errors.Wrapf(awserr.Clean(err), "cannot delete function %s, whose creation failed", p.name)
		}
	}
	out, err := t.api.CreateFunction(ctx, createInput(p.name, p.target, p.archive, p.target.Tags, creating(f)))
	if err != nil {
		return "", errors.Wrapf(awserr.Clean(err), "cannot create function %s", p.name)
	}
	f.Status.AtProvider = v1beta1.FunctionObservation{
		FunctionName: out.FunctionName,
		FunctionArn:  out.FunctionArn,
		State:        answer.Text(out.State),
		CodeSHA256:   out.CodeSha256,
		DeployedCode: p.archive.bundle.Remember(out.CodeSha256),
	}
	published(&f.Status.AtProvider, out.Version, out.State, fingerprint.Read(out))
	t.memory.accept(f, callCreate, p.sent(callCreate))
	return p.name, nil
}

// Update makes the one call that is due.
func (t *thing) Update(ctx context.Context, f *v1beta1.Function, found found, p flow.Plan) error {
	if p.Call == versions.CallDelete {
		return t.prune(ctx, f, found.Thing)
	}
	c := call(p.Call)
	if t.repairs && c.settles() {
		t.memory.repair(f, t.now())
	}
	err := t.make(ctx, f, t.plan, c)
	switch {
	case err == nil:
		t.memory.accept(f, c, t.plan.sent(c))
	case found.Thing.config().State == types.StateFailed && awserr.IsInProgress(err):
		return managed.Invalid(errors.Errorf("cannot update %s (%s): AWS does not update a function in state Failed: delete it in AWS, and the provider creates it again; AWS says: %s", found.What, p.Call, awserr.Clean(err).Error()))
	case refuses(err):
		t.memory.refuse(f, c, c.carried(t.plan.changes), awserr.IsTerminal(err))
	}
	return errors.Wrapf(awserr.Clean(err), "cannot update %s (%s)", found.What, p.Call)
}

// refuses says that AWS does not take a call, rather than not now.
func refuses(err error) bool {
	return awserr.IsRefused(err) && !awserr.IsThrottled(err) && !awserr.IsInProgress(err) && !awserr.IsPreconditionFailed(err)
}

// Delete the function and all its versions with DeleteFunction, unless AWS is at it.
func (t *thing) Delete(ctx context.Context, f *v1beta1.Function, found found) error {
	if found.Thing.config().State == types.StateDeleting {
		// A durable function goes only when its executions have come to their end.
		since := t.now().Sub(f.GetDeletionTimestamp().Time)
		managed.Abort(ctx, max(cadence.Pending(since), min(since/20, retryAfter)))
		return nil
	}
	t.memory.forget(f)
	_, err := t.api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: ptr.To(found.Name)})
	return errors.Wrapf(awserr.Clean(err), "cannot delete %s", found.What)
}

// Connection is what those who use the function need to know.
func (t *thing) Connection(f *v1beta1.Function) xpmanaged.ConnectionDetails {
	s := f.Status.AtProvider
	return xpmanaged.ConnectionDetails{
		"functionName": []byte(ptr.Deref(s.FunctionName, "")),
		"functionArn":  []byte(ptr.Deref(s.FunctionArn, "")),
		"invokeArn":    []byte(ptr.Deref(s.InvokeArn, "")),
		"region":       []byte(f.Spec.ForProvider.Region),
	}
}
