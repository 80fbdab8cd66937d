package alias

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// external is an alias in AWS. It lives for one reconcile.
type external struct {
	api   *lambda.Client
	cache *readcache.Cache
	// functions is read for the version that the Function published last.
	functions client.Reader
	// analyzer measures the health of what is rolled out.
	analyzer analyzer
	metrics  *reporting.Metrics
	// tracer is nil if nothing is traced.
	tracer trace.Tracer
	now    func() time.Time
	// clock is AWS's.
	clock *session.Clock

	// facts of the reconcile, id of the alias, and the code of the versions that have a revision, set by read.
	facts reconcile.Facts
	id    id
	code  []v1beta1.PublishedCode
	// decision of the rollout, set by compare.
	decision rollout.Decision
}

type (
	awsResource = reconcile.Resource[*v1beta1.Alias, types.AliasConfiguration, settings]
	found       = reconcile.Observation[types.AliasConfiguration, settings]
	update      = reconcile.Update[settings]
)

// time returns AWS's time, by which a rollout is decided: it is compared with that of invocations and alarms.
func (e *external) time() time.Time { return e.clock.Time(e.now()) }

// resource returns the Observer of the alias.
func (e *external) resource() awsResource {
	return awsResource{
		Calls: calls, Read: e.read, Status: e.status, Desired: e.desired,
		Compare: e.compare, Plan: e.plan, PrepareCreate: e.prepareCreate, Create: e.create, Update: e.update,
		Delete: e.delete, Details: details,
	}
}

// mayAct returns an error if the Alias may not use functions.
func (e *external) mayAct(ctx context.Context, targets ...tenancy.Target) error {
	return e.facts.Others.MayAct(ctx, targets...)
}

// read reads the alias from the list of its function's aliases, which all Aliases of the function share.
func (e *external) read(ctx context.Context, f reconcile.Facts, a *v1beta1.Alias) (found, error) {
	e.facts, e.code = f, e.publishedCode(ctx, a)
	var err error
	if e.id, err = idOf(a); err != nil {
		return found{}, reconcile.Invalid(err)
	}
	if e.id.function == "" {
		return found{}, nil // It is being deleted and was never created.
	}
	aliases, err := readcache.Read(ctx, e.cache, e.key(), f.Fresh, e.list)
	if err != nil {
		return found{}, err
	}
	c, ok := aliases[e.id.name]
	if !ok && (aliases == nil || made(a)) {
		if c, ok, err = e.get(ctx); err != nil {
			return found{}, err
		}
	}
	if ok && ptr.Deref(c.FunctionVersion, "") == "" && !meta.WasDeleted(a) {
		// A rollout would take this for a change of the alias.
		return found{}, errors.Errorf("cannot read %s: AWS's answer lacks functionVersion", e.id)
	}
	return found{
		Resource: c, Settings: fromAWS(c), Exists: ok,
		Name: e.id.name, Description: e.id.String(), Parent: e.id.function,
	}, nil
}

// publishedCode returns the code of the versions that the Function and the Version have published to which the alias
// refers.
func (e *external) publishedCode(ctx context.Context, a *v1beta1.Alias) []v1beta1.PublishedCode {
	p, f, v := a.Spec.ForProvider, &v1beta1.Function{}, &v1beta1.Version{}
	var all []v1beta1.PublishedCode
	if publishedcode.Referenced(ctx, e.functions, a.GetNamespace(), p.FunctionNameRef, f) {
		all = f.Status.AtProvider.PublishedCode
	}
	if publishedcode.Referenced(ctx, e.functions, a.GetNamespace(), p.FunctionVersionRef, v) {
		all = append(slices.Clone(all), v.Status.AtProvider.PublishedCode...)
	}
	return all
}

// made reports whether a resource has created its alias, or may have, and AWS has not accepted its deletion: then a
// list without it is not conclusive.
func made(a *v1beta1.Alias) bool {
	return !reconcile.DeletionAccepted(a) &&
		(ownership.WrittenName(a) != "" || !meta.GetExternalCreatePending(a).IsZero())
}

// get reads the single alias, if the list may be incomplete. If the credentials do not
// permit the call, the list is taken as conclusive.
func (e *external) get(ctx context.Context) (types.AliasConfiguration, bool, error) {
	if err := e.facts.Reserve(opGet); err != nil {
		return types.AliasConfiguration{}, false, err
	}
	out, err := e.api.GetAlias(ctx, &lambda.GetAliasInput{
		FunctionName: ptr.To(e.id.function), Name: ptr.To(e.id.name),
	})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) || awserr.IsAccessDenied(err) {
		return types.AliasConfiguration{}, false, nil
	}
	if err != nil {
		return types.AliasConfiguration{}, false, errors.Wrapf(err, "cannot get %s", e.id)
	}
	return types.AliasConfiguration{
		AliasArn: out.AliasArn, Name: out.Name, FunctionVersion: out.FunctionVersion, Description: out.Description,
		RoutingConfig: out.RoutingConfig, RevisionId: out.RevisionId,
	}, true, nil
}

func (e *external) key() readcache.Key { return readcache.Key{Operation: opList, Of: e.id.function} }

// list returns the function's aliases by name. It returns nil if the function does not
// exist, or if the endpoint does not support the list.
func (e *external) list(ctx context.Context) (map[string]types.AliasConfiguration, error) {
	all := map[string]types.AliasConfiguration{}
	pages := lambda.NewListAliasesPaginator(e.api, &lambda.ListAliasesInput{FunctionName: ptr.To(e.id.function)})
	for page, err := range lambdaapi.Each(ctx, "aliases", pages) {
		if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
			return nil, nil
		}
		if err != nil {
			return nil, errors.Wrapf(err, "cannot list the aliases of function %s", e.id.function)
		}
		for _, a := range page.Aliases {
			all[ptr.Deref(a.Name, "")] = a
		}
	}
	return all, nil
}

// status sets status.atProvider.
func (e *external) status(a *v1beta1.Alias, o found) {
	a.Status.AtProvider = observation(e.id, o.Resource, e.code)
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

// rollsOut reports whether the alias has a rollout, and may be updated by it.
func rollsOut(a *v1beta1.Alias) bool {
	return a.Spec.Rollout != nil && reconcile.Allows(a, xpv2.ManagementActionUpdate)
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
