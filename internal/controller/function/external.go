package function

import (
	"context"
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
)

// thing is how a function is seen in AWS. It lives for one reconcile: what was found
// out before is what the call that follows goes by.
type thing struct {
	api      lambdaAPI
	resolver *resolver
	owner    tagging.Owner
	cache    *inventory.Cache
	now      func() time.Time
	account  accountFigures

	// verdict is whose the function is, once that was judged.
	verdict ownership.Verdict

	plan plan

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
	if awserr.IsNotFound(err) {
		return found{}, nil
	}
	if err == nil {
		t.readHistory(ctx, f, o)
	}
	return found{Thing: o, Exists: err == nil, Name: name, What: "function " + name}, err
}

// Judge whose the function is, by its tags.
func (t *thing) Judge(_ context.Context, f *v1beta1.Function, found found) (ownership.Verdict, error) {
	o := found.Thing
	if e := o.function.TagsError; e != nil {
		return ownership.Foreign, errors.Errorf("cannot read the tags of %s, which say whose it is: %s; grant lambda:ListTags on it", found.What, ptr.Deref(e.Message, ""))
	}
	var err error
	t.verdict, err = t.owner.Judge(f, o.function.Tags, named(f, o), found.What)
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
	return decide(found.Thing, nil, callNone, t.facts(f)).ready
}

// Plan compares what is wanted with what was found, and decides what is due.
func (t *thing) Plan(ctx context.Context, f *v1beta1.Function, found found) (flow.Plan, error) {
	if t.verdict != ownership.Ours {
		// It was not created from this spec, so initProvider has nothing to say.
		f.Status.AtProvider.Initialized = true
	}
	p, err := t.planned(ctx, f, found.Name, found.Thing)
	if err != nil {
		return flow.Plan{}, err
	}
	d := decide(p.observed, p.changes, p.due, t.facts(f))
	if d.due == callUpdateCode && p.archive.none() && !p.changes.Any(codePaths...) {
		// The code that failed is another tool's to deploy again.
		d.due = callNone
	}
	if d.due == callNone && d.ready.Reason == xpv2.ReasonAvailable {
		f.Status.AtProvider.Initialized = true
	}
	p.due = d.due
	t.plan = p
	return t.withHistory(ctx, f, flow.Plan{Ready: d.ready, Changes: p.changes, Followed: p.followed(f.Status.AtProvider.DeployedCode), Call: string(d.due), Does: p.describe(f), Slow: d.due.settles(), Wait: d.wait})
}

func (t *thing) facts(f *v1beta1.Function) facts {
	return facts{
		generation:  f.GetGeneration(),
		fresh:       f.GetCondition(xpv2.TypeReady).ObservedGeneration != f.GetGeneration(),
		activated:   f.Status.AtProvider.Activated,
		updatable:   flow.Allows(f, xpv2.ManagementActionUpdate),
		recreatable: flow.Allows(f, xpv2.ManagementActionDelete) && flow.Allows(f, xpv2.ManagementActionCreate),
		now:         t.now(),
	}
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
	if env := o.config().Environment; env != nil && env.Error != nil {
		return o, errors.Errorf("cannot read the environment of function %s: %s (%s); grant the provider kms:Decrypt on its key", name, ptr.Deref(env.Error.Message, ""), ptr.Deref(env.Error.ErrorCode, ""))
	}
	if err := t.readPublishing(ctx, name, f, &o); err != nil {
		return o, err
	}
	return o, t.readBeside(ctx, name, f, &o)
}

func (t *thing) readBeside(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	for _, op := range reads(f) {
		var err error
		switch op {
		case opGetCodeSigning:
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

// Create the function with CreateFunction.
func (t *thing) Create(ctx context.Context, f *v1beta1.Function) (string, error) {
	p := t.plan
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
	return p.name, nil
}

// Update makes the one call that is due.
func (t *thing) Update(ctx context.Context, f *v1beta1.Function, found found, p flow.Plan) error {
	if t.prunes() {
		return t.prune(ctx, f, found.Thing)
	}
	return errors.Wrapf(awserr.Clean(t.make(ctx, f, t.plan)), "cannot update %s (%s)", found.What, p.Call)
}

// Delete the function and all its versions with DeleteFunction, unless AWS is at it.
func (t *thing) Delete(ctx context.Context, f *v1beta1.Function, found found) error {
	if found.Thing.config().State == types.StateDeleting {
		managed.Hold(ctx, cadence.Pending(t.now().Sub(f.GetDeletionTimestamp().Time)))
		return nil
	}
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
