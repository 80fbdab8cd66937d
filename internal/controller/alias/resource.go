package alias

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// resource returns the Observer of the alias.
func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Status: e.status, Desired: e.desired,
		Compare: e.compare, Plan: e.plan, PrepareCreate: e.prepareCreate, Create: e.create, Update: e.update,
		Delete: e.delete, Details: details,
	}
}

// desired returns the settings of spec, with the followed version, if the alias follows its Function. A rollout that
// goes on continues without that version if it is not known.
func (e *external) desired(
	ctx context.Context, a *v1beta1.Alias,
) (forProvider, initProvider settings, err error) {
	followed, err := e.followed(ctx, a)
	if rollsOut(a) && goesOn(a) {
		err = nil
	}
	forProvider, initProvider = desired(a, followed)
	return forProvider, initProvider, err
}

// followed returns the version that the Function published last, nil if the alias does not
// follow it. It returns an AwaitedError if the Function has not published any yet.
func (e *external) followed(ctx context.Context, a *v1beta1.Alias) (*string, error) {
	if !follows(a) {
		return nil, nil
	}
	ref := a.Spec.ForProvider.FunctionNameRef
	key := client.ObjectKey{Namespace: cmp.Or(ref.Namespace, a.GetNamespace()), Name: ref.Name}
	f := &v1beta1.Function{}
	if err := e.functions.Get(ctx, key, f); err != nil {
		return nil, errors.Wrapf(err, "cannot tell which version to follow: cannot get Function %s", key)
	}
	if v := f.Status.AtProvider.LatestPublishedVersion; ptr.Deref(v, "") != "" {
		return v, nil
	}
	if !publishes(f) {
		return nil, reconcile.Invalid(errors.Errorf("cannot tell which version to follow, since Function %s publishes "+
			"none: set its spec.forProvider.publish to true, or set spec.forProvider.functionVersion", key))
	}
	return nil, &reconcile.AwaitedError{Err: errors.Errorf("Function %s has not published a version yet", key)}
}

// publishes reports whether a Function publishes versions, or is yet to publish that of its creation.
func publishes(f *v1beta1.Function) bool {
	p := f.Spec.ForProvider.Publish
	if i := f.Spec.InitProvider; p == nil && i != nil && !f.Status.AtProvider.Initialized {
		p = i.Publish
	}
	return ptr.Deref(p, false)
}

// compare compares spec with the alias. The version and the weights are those that the rollout has
// decided on, if there is one.
func (e *external) compare(
	ctx context.Context, a *v1beta1.Alias, d reconcile.Desired[settings], o found,
) (reconcile.Comparison[settings], error) {
	var effects reconcile.Effects
	switch {
	case a.Spec.Rollout == nil:
		a.Status.Rollout = nil
	case !d.Preview && o.Exists && rollsOut(a):
		err := e.validate(a)
		if err == nil {
			d, effects, err = e.follow(ctx, a, d, o)
		}
		if err != nil {
			return d.Compare(o.Settings), err
		}
	}
	d = withoutPromoted(d, o.Settings)
	if r := routeOf(o.Resource); e.decision.Action == rollout.Update && r != r.Destination() { // The call ends that.
		o.Settings.RoutingConfig = &routing{AdditionalVersionWeights: map[string]string{r.Additional: "1"}}
	}
	c := d.Compare(o.Settings)
	c.Effects = effects
	return c, nil
}

// plan returns the call that is due: one that changes the alias, or a smoke test of the rollout.
func (e *external) plan(
	_ context.Context, a *v1beta1.Alias, o found, c reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: c.Changes}
	if len(c.Changes) > 0 {
		p.Call = opUpdate
	}
	if !rollsOut(a) {
		return p, nil
	}
	p.Ready, p.Followed = rolloutReady(a, o.Resource), c.Changes.In("functionVersion", "routingConfig")
	if s := a.Status.Rollout; len(c.Changes) == 0 && s != nil && !rollout.InProgress(s) {
		e.facts.Repeats.Forget(opUpdate) // AWS has shown what was sent last, also if the target has failed.
	}
	switch {
	case e.decision.Action == rollout.Update && p.Call != "":
		p.Does = "rollout " + a.Status.Rollout.ID + ": " + c.Changes.String()
	case e.decision.Action == rollout.Wake && p.Call == "":
		p.Call, p.Does = opInvoke, "invoked version "+e.decision.Version+", which is Inactive"
	case e.decision.Action == rollout.Wake: // The alias is changed first.
		delete(a.Status.Rollout.Woken, e.decision.Version)
	case e.decision.Action == rollout.Invoke && p.Call == "":
		version := a.Status.Rollout.Target.FunctionVersion
		p.Call, p.Does = opInvoke, "invoked version "+version+" for the smoke test "+e.decision.Test.Name
	}
	return p, nil
}

// recreates reports whether the alias that is to be created is one that a rollout has made before.
func recreates(a *v1beta1.Alias) bool {
	r := a.Status.Rollout
	return a.Spec.Rollout != nil && r != nil && r.Stable.FunctionVersion != ""
}

// prepareCreate validates the checks of the rollout. It reads the stable version of an alias that is created again, if
// another one is desired. If AWS no longer has the stable one, as after the function was deleted and created again, the
// desired one replaces it. Status has that before the alias is created: otherwise its version would be a change by
// someone else.
func (e *external) prepareCreate(ctx context.Context, a *v1beta1.Alias, s settings) (reconcile.Creation, error) {
	if err := e.validate(a); err != nil {
		return reconcile.Creation{}, err
	}
	desired := ptr.Deref(s.FunctionVersion, "")
	if !recreates(a) || desired == "" || desired == a.Status.Rollout.Stable.FunctionVersion {
		return reconcile.Creation{}, nil
	}
	if err := e.facts.Reserve(opGetConfiguration); err != nil {
		return reconcile.Creation{}, err
	}
	v, _ := e.version(ctx, a.Status.Rollout.Stable.FunctionVersion)
	if !v.Missing {
		return reconcile.Creation{}, nil
	}
	restarted := eventOf(rollout.Restarted(a.Status.Rollout, desired, e.time()))
	return reconcile.Creation{
		Effects: reconcile.Effects{Events: []event.Event{restarted}}, AfterStatus: true,
	}, nil
}

// create creates the alias and returns its name. One that a rollout has made before is created with
// the version that was stable.
func (e *external) create(ctx context.Context, a *v1beta1.Alias, s settings) (reconcile.Result, error) {
	defer e.cache.Forget(e.key())
	again := recreates(a)
	if again {
		s.FunctionVersion, s.RoutingConfig = ptr.To(a.Status.Rollout.Stable.FunctionVersion), nil
	}
	out, err := e.api.CreateAlias(ctx, createInput(e.id, withoutOwnWeight(s)))
	if again && !awserr.IsRefused(err) { // Without an answer, it may exist.
		rollout.Recreated(a.Status.Rollout, e.time())
	}
	if err != nil {
		return reconcile.Result{}, errors.Wrapf(err, "cannot create %s", e.id)
	}
	a.Status.AtProvider = observation(e.id, types.AliasConfiguration{
		AliasArn: out.AliasArn, Name: out.Name, FunctionVersion: out.FunctionVersion, Description: out.Description,
		RoutingConfig: out.RoutingConfig, RevisionId: out.RevisionId,
	}, e.code)
	return reconcile.Result{Name: e.id.name}, nil
}

// update changes the alias in one call, which AWS rejects if the alias was changed since it was
// read, or makes a smoke test.
func (e *external) update(ctx context.Context, a *v1beta1.Alias, o found, u update) (res reconcile.Result, err error) {
	if u.Call == opInvoke && e.decision.Action == rollout.Wake {
		return res, e.wake(ctx, a)
	}
	if u.Call == opInvoke {
		return res, e.smokeTest(ctx, a)
	}
	defer e.cache.Forget(e.key())
	_, err = e.api.UpdateAlias(ctx, updateInput(e.id, u.Target, u.Changes, o.Resource.RevisionId))
	switch {
	case e.decision.Action != rollout.Update:
	case err == nil:
		res.After = rollout.Updated(a.Status.Rollout)
		res.Quiet = e.shifts(a, u.Changes)
	case !awserr.IsThrottled(err):
		rollout.UpdateFailed(a.Status.Rollout, e.time(), awserr.Sanitize(err).Error())
	}
	return res, errors.Wrapf(err, "cannot update %s", e.id)
}

// shifts reports whether a change of the alias is that of a step alone: then the rollout emits the event about it.
func (e *external) shifts(a *v1beta1.Alias, changes diff.Changes) bool {
	step := a.Status.Rollout.Step
	return (step == v1beta1.RolloutShifting || step == v1beta1.RolloutPromoting) && !changes.Any("description")
}

// delete deletes the alias. AWS accepts the call even if the alias no longer exists.
func (e *external) delete(ctx context.Context, _ *v1beta1.Alias, o found) (reconcile.Result, error) {
	defer e.cache.Forget(e.key())
	_, err := e.api.DeleteAlias(ctx, &lambda.DeleteAliasInput{
		FunctionName: ptr.To(e.id.function), Name: ptr.To(e.id.name),
	})
	return reconcile.Result{}, errors.Wrapf(err, "cannot delete %s", o.Description)
}

// details returns what an invoker needs.
func details(a *v1beta1.Alias) managed.ConnectionDetails {
	s := a.Status.AtProvider
	return managed.ConnectionDetails{
		"aliasArn":  []byte(ptr.Deref(s.AliasArn, "")),
		"invokeArn": []byte(ptr.Deref(s.InvokeArn, "")),
	}
}
