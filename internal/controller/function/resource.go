package function

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// resource returns the Resource whose functions are the methods of e.
func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Status: status, Owner: e.owner, Ready: e.ready, Desired: e.desired,
		Compare: e.compare, Plan: e.plan, PrepareCreate: e.prepareCreate, Create: e.create, Update: e.update,
		Delete: e.delete, Details: details,
	}
}

// read reads the function with GetFunction, and makes one more call for each separate
// setting that spec declares. It reads nothing before the first creation if AWS is reachable: if a
// function of the name exists, AWS rejects the creation, and the next reconcile reads it.
func (e *external) read(ctx context.Context, facts reconcile.Facts, f *v1beta1.Function) (found, error) {
	e.facts, e.resolver.bundles.Fresh = facts, facts.Fresh
	if err := checkName(f); err != nil {
		return found{}, err
	}
	if e.reachable && isNew(f) {
		return found{}, nil
	}
	name := functionName(f)
	o, err := e.readFunction(ctx, name, f)
	// NotFound of a separate setting does not mean that the function is absent.
	if awserr.IsNotFound(err) && o.function == nil {
		return found{Description: "function " + name}, nil
	}
	if err != nil {
		return found{}, err
	}
	effects := e.readHistory(ctx, f, o)
	effects.Sizes = environmentSize(o.config().Environment)
	s := fromAWS(o)
	if versions.Unreadable(o.config()) == "" {
		e.variables = &s.Environment
	}
	return found{
		Resource: o, Settings: s, Exists: true, Name: name, Description: "function " + name, Effects: effects,
	}, nil
}

// owner decides by the tags whether the function belongs to the resource.
func (e *external) owner(
	ctx context.Context, facts reconcile.Facts, f *v1beta1.Function, o found,
) (ownership.Ownership, error) {
	if e := o.Resource.function.TagsError; e != nil {
		return ownership.Foreign, errors.Wrapf(awserr.New("ListTags", e.Message, e.ErrorCode),
			"cannot read the tags of %s, which name its owner", o.Description)
	}
	var err error
	e.owned, err = e.tags.CheckOwnership(
		ctx, facts.Others, f, o.Resource.function.Tags, named(f, o.Resource), o.Description,
	)
	return e.owned, err
}

// status sets status.atProvider.
func status(f *v1beta1.Function, o found) {
	f.Status.AtProvider = observation(o.Resource, o.Settings, f.Status.AtProvider)
}

// ready returns the Ready condition for the state in AWS.
func (e *external) ready(f *v1beta1.Function, o found) xpv2.Condition {
	return decide(o.Resource, nil, nil, e.decisionInput(f, o.Resource)).ready
}

// desired returns the settings of spec with references resolved and ownership tags added.
func (e *external) desired(ctx context.Context, f *v1beta1.Function) (forProvider, initProvider settings, err error) {
	if forProvider, err = e.resolver.parameters(
		ctx, f.GetNamespace(), "spec.forProvider", f.Spec.ForProvider.FunctionSettings,
	); err != nil {
		return forProvider, initProvider, err
	}
	if f.Spec.InitProvider != nil {
		initProvider, err = e.resolver.initial(ctx, f.GetNamespace(), *f.Spec.InitProvider, e.variables)
	}
	forProvider.Tags = e.tags.Desired(f, forProvider.Tags, initProvider.Tags)
	return forProvider, initProvider, err
}

// compare compares spec, including the code and variables that it refers to, with the function.
func (e *external) compare(
	ctx context.Context, f *v1beta1.Function, d reconcile.Desired[settings], o found,
) (c reconcile.Comparison[settings], err error) {
	if e.owned != ownership.Ours || reconcile.ObserveOnly(f) || meta.GetExternalCreatePending(f).IsZero() {
		// The function was not created from this spec, so initProvider does not apply.
		f.Status.AtProvider.Initialized = true
	}
	e.preview = d.Preview
	e.planned, err = e.newPlan(ctx, f, d, o)
	return e.planned.Comparison, err
}

// plan returns the calls that are due. If a version is about to be published, it lists the versions that exist.
func (e *external) plan(
	ctx context.Context, f *v1beta1.Function, o found, _ reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	p, decisionInput := e.planned, e.decisionInput(f, o.Resource)
	calls := e.memory.of(f).orderedCalls(due(p.Changes, p.Target, p.Observed), p.Changes)
	d := decide(o.Resource, calls, p.Changes, decisionInput)
	// If another tool deploys the code, the provider does not retry it.
	others := p.archive.none() && !p.Changes.Any(appliedBy[opUpdateCode]...)
	d.due = slices.DeleteFunc(slices.Clone(d.due), func(c call) bool {
		return c == opUpdateCode && others || c == opPublish && p.unverified != nil
	})
	if err := e.loadAgain(ctx, d.due); err != nil {
		return reconcile.Plan{Ready: d.ready}, err
	}
	if len(d.due) == 0 && d.ready.Reason == xpv2.ReasonAvailable && !p.Changes.Any(afterCreation...) {
		f.Status.AtProvider.Initialized = true
	}
	if healthy(o.Resource.config()) {
		e.memory.of(f).recovered()
	}
	e.recreates, e.repairs = d.recreate, !decisionInput.fresh && failed(o.Resource.config())
	plan := reconcile.Plan{
		Ready: d.ready, Changes: p.Changes, Followed: p.followed(f.Status.AtProvider.DeployedCode),
		Recreate: d.recreate, Wait: d.wait,
	}
	if !decisionInput.updatable {
		plan.Changes = p.Changes.But(publishPath) // Without Update, a version that is not published is not drift.
	}
	var planned []reconcile.PlannedCall
	for _, c := range d.due {
		planned = append(planned, reconcile.PlannedCall{
			Call: string(c), Applies: c.applies(p.Changes), Does: p.describe(e.facts.Cause(f, plan), c),
			Slow: c.asynchronous(),
		})
	}
	if plan = plan.With(planned...); e.publishesNow(f, planned) {
		var err error
		plan.Intent, err = e.intent(ctx, f, o)
		if e.restored { // Only status has what the next intent replaces.
			plan = plan.AfterStatus()
		}
		return plan, err
	}
	plan, err := e.withHistory(f, o.Resource, plan)
	if err == nil && plan.Call == "" {
		err = p.unverified
	}
	return plan, err
}

// prepareCreate resolves the code.
func (e *external) prepareCreate(ctx context.Context, f *v1beta1.Function, s settings) (reconcile.Creation, error) {
	e.planned = plan{name: functionName(f), fingerprints: fingerprints(s, s.KMSKeyArn)}
	if c, _ := codeOf(f); c != nil {
		var err error
		if e.planned.archive, err = e.resolver.archive(
			ctx, f.GetNamespace(), *c, s.Architectures, f.Status.AtProvider.DeployedCode,
		); err != nil {
			return reconcile.Creation{}, err
		}
		if e.planned.archive, err = e.resolver.load(ctx, e.planned.archive); err != nil {
			return reconcile.Creation{}, err
		}
	}
	published := f.Status.AtProvider.PublishedFingerprint != nil // By a function that is gone, with all its versions.
	f.Status.AtProvider = v1beta1.FunctionObservation{}
	return reconcile.Creation{AfterStatus: published}, nil
}

// create creates the function. It first deletes a function that an earlier creation left in state Failed.
func (e *external) create(ctx context.Context, f *v1beta1.Function, s settings) (reconcile.Result, error) {
	p := e.planned
	if e.repairs {
		e.memory.of(f).repair(e.facts.Now())
	}
	if e.recreates {
		_, err := e.api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: ptr.To(p.name)})
		if err != nil && !awserr.IsNotFound(err) {
			return reconcile.Result{}, errors.Wrapf(
				awserr.Sanitize(err), "cannot delete function %s, whose creation failed", p.name,
			)
		}
	}
	code, err := e.resolver.input(ctx, p.archive)
	if err != nil {
		return reconcile.Result{}, err
	}
	s.Tags = e.tags.Target(s.Tags, nil)
	out, err := e.api.CreateFunction(ctx, createInput(p.name, s, code, creating(f)))
	if err != nil {
		return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot create function %s", p.name)
	}
	f.Status.AtProvider = v1beta1.FunctionObservation{
		FunctionName: ptr.To(functionname.Plain(p.name)),
		FunctionArn:  out.FunctionArn,
		State:        lambdaapi.Text(out.State),
		CodeSHA256:   out.CodeSha256,
		DeployedCode: p.archive.bundle.Remember(out.CodeSha256),
	}
	published(&f.Status.AtProvider, out.Version, out.State, fingerprint.Read(out))
	e.memory.of(f).accept(opCreate, p.sent(opCreate))
	return reconcile.Result{Name: p.name}, nil
}

// update makes the one call that is due, and records AWS's answer if it changes the function.
func (e *external) update(ctx context.Context, f *v1beta1.Function, o found, u update) (reconcile.Result, error) {
	if u.Call == versions.CallDelete {
		effects, err := e.pruner(f, o.Resource).Prune(ctx, e.pruning.unused)
		return reconcile.Result{Effects: effects}, err
	}
	c := call(u.Call)
	if e.repairs && c.asynchronous() {
		e.memory.of(f).repair(e.facts.Now())
	}
	err := e.send(ctx, f, e.planned, c)
	switch {
	case err == nil:
		e.accepted(f, c)
	case o.Resource.config().State == types.StateFailed && awserr.IsInProgress(err):
		return reconcile.Result{}, reconcile.Invalid(
			errors.Errorf(
				"cannot update %s (%s): AWS does not update a function in state Failed: delete it in AWS, and the "+
					"provider creates it again; AWS says: %s",
				o.Description, c, awserr.Sanitize(err).Error(),
			),
		)
	case refuses(err):
		final := reconcile.IsInvalid(err) || awserr.IsTerminal(err)
		e.memory.of(f).refuse(c, c.applies(e.planned.Changes), final)
	case !awserr.IsRefused(err):
		e.memory.of(f).unanswered(e.planned.sent(c))
	}
	return reconcile.Result{}, errors.Wrapf(awserr.Sanitize(err), "cannot update %s (%s)", o.Description, c)
}
