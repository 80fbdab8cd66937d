package alias

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// external is an alias in AWS. It lives for one reconcile.
type external struct {
	api   lambdaAPI
	cache *readcache.Cache
	// functions is read for the version that the Function published last.
	functions client.Reader
	// analyzer measures the health of what is rolled out.
	analyzer analyzer
	metrics  *reconcile.Metrics
	// tracer is nil if nothing is traced.
	tracer trace.Tracer
	now    func() time.Time

	// id of the alias, set by Read.
	id id
	// decision of the rollout, set by Compare.
	decision rollout.Decision
}

type (
	found  = reconcile.Observation[types.AliasConfiguration, settings]
	update = reconcile.Update[settings]
)

// The optional interfaces that this kind implements.
var (
	_ reconcile.CreationMatcher[*v1beta1.Alias]    = &external{}
	_ reconcile.ConnectionDetailer[*v1beta1.Alias] = &external{}

	_ reconcile.Comparer[*v1beta1.Alias, types.AliasConfiguration, settings] = &external{}
	_ reconcile.Planner[*v1beta1.Alias, types.AliasConfiguration, settings]  = &external{}
)

// Read reads the alias from the list of its function's aliases, which all Aliases of the
// function share.
func (e *external) Read(ctx context.Context, a *v1beta1.Alias) (found, error) {
	var err error
	if e.id, err = idOf(a); err != nil {
		return found{}, err
	}
	if e.id.function == "" {
		return found{}, nil // It is being deleted and was never created.
	}
	aliases, err := readcache.Read(ctx, e.cache, e.key(), reconcile.Freshness(ctx), e.list)
	if err != nil {
		return found{}, err
	}
	c, ok := aliases[e.id.name]
	if !ok && (aliases == nil || made(a)) {
		if c, ok, err = e.get(ctx); err != nil {
			return found{}, err
		}
	}
	return found{Resource: c, Settings: fromAWS(c), Exists: ok, Name: e.id.name, Description: e.id.String(), Parent: e.id.function}, nil
}

// made returns whether a resource has created its alias, or may have: then a list without
// it is not conclusive.
func made(a *v1beta1.Alias) bool {
	return !meta.WasDeleted(a) && (ownership.WrittenName(a) != "" || !meta.GetExternalCreatePending(a).IsZero())
}

// get reads the single alias, if the list may be incomplete. If the credentials do not
// permit the call, the list is taken as conclusive.
func (e *external) get(ctx context.Context) (types.AliasConfiguration, bool, error) {
	if !reconcile.Reserve(ctx, opGet) {
		return types.AliasConfiguration{}, false, nil
	}
	out, err := e.api.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: ptr.To(e.id.function), Name: ptr.To(e.id.name)})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) || awserr.IsAccessDenied(err) {
		return types.AliasConfiguration{}, false, nil
	}
	if err != nil {
		return types.AliasConfiguration{}, false, errors.Wrapf(err, "cannot get %s", e.id)
	}
	return types.AliasConfiguration{
		AliasArn: out.AliasArn, Name: out.Name, FunctionVersion: out.FunctionVersion, Description: out.Description, RoutingConfig: out.RoutingConfig, RevisionId: out.RevisionId,
	}, true, nil
}

func (e *external) key() readcache.Key { return readcache.Key{Operation: opList, Of: e.id.function} }

// list returns the function's aliases by name. It returns nil if the function does not
// exist, or if the endpoint does not support the list.
func (e *external) list(ctx context.Context) (map[string]types.AliasConfiguration, error) {
	all := map[string]types.AliasConfiguration{}
	pages := lambda.NewListAliasesPaginator(e.api, &lambda.ListAliasesInput{FunctionName: ptr.To(e.id.function)})
	var read lambdaapi.Pages
	for pages.HasMorePages() {
		if err := read.Next("aliases"); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
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

// MatchesCreation ignores the version of an alias that follows a Function, which may have
// published since.
func (e *external) MatchesCreation(a *v1beta1.Alias, changes diff.Changes) bool {
	if follows(a) {
		changes = changes.But("functionVersion")
	}
	return len(changes) == 0
}

// SetStatus sets status.atProvider.
func (e *external) SetStatus(a *v1beta1.Alias, o found) {
	a.Status.AtProvider = observation(e.id, o.Resource)
}

// Desired returns the settings of spec, with the followed version, if the alias follows
// its Function.
func (e *external) Desired(ctx context.Context, a *v1beta1.Alias) (forProvider, initProvider settings, err error) {
	followed, err := e.followed(ctx, a)
	forProvider, initProvider = desired(a, followed)
	return forProvider, initProvider, err
}

// followed returns the version that the Function published last, nil if the alias does not
// follow it.
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
	if !ptr.Deref(f.Spec.ForProvider.Publish, false) {
		return nil, errors.Errorf("cannot tell which version to follow, since Function %s publishes none: set its spec.forProvider.publish to true, or set spec.forProvider.functionVersion", key)
	}
	err := errors.Errorf("Function %s has not published a version yet", key)
	reconcile.ReportWaiting(ctx, a, err)
	return nil, err
}

// Compare compares spec with the alias. The version and the weights are those that the rollout has
// decided on, if there is one.
func (e *external) Compare(ctx context.Context, a *v1beta1.Alias, d reconcile.Desired[settings], o found) (reconcile.Comparison[settings], error) {
	switch {
	case a.Spec.Rollout == nil:
		a.Status.Rollout = nil
	case !reconcile.IsPreview(ctx) && o.Exists:
		if err := e.validate(a); err != nil {
			return d.Compare(o.Settings), err
		}
		d = e.follow(ctx, a, d, o)
	}
	return d.Compare(o.Settings), nil
}

// Plan returns the call that is due: one that changes the alias, or a smoke test of the rollout.
func (e *external) Plan(_ context.Context, a *v1beta1.Alias, _ found, c reconcile.Comparison[settings]) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: c.Changes}
	if len(c.Changes) > 0 {
		p.Call = opUpdate
	}
	if a.Spec.Rollout == nil {
		return p, nil
	}
	p.Ready, p.Followed = rolloutReady(a), c.Changes.In("functionVersion", "routingConfig")
	switch {
	case e.decision.Action == rollout.Update && p.Call != "":
		p.Does = "rollout " + a.Status.Rollout.ID + ": " + c.Changes.String()
	case e.decision.Action == rollout.Wake && p.Call == "":
		p.Call, p.Does = opInvoke, "invoked version "+e.decision.Version+", which is Inactive"
	case e.decision.Action == rollout.Invoke && p.Call == "":
		p.Call, p.Does = opInvoke, "invoked version "+a.Status.Rollout.Target.FunctionVersion+" for the smoke test "+e.decision.Test.Name
	}
	return p, nil
}

// Create creates the alias and returns its name. One that a rollout has made before is created with
// the version that was stable.
func (e *external) Create(ctx context.Context, a *v1beta1.Alias, s settings) (string, error) {
	defer e.cache.Forget(e.key())
	if r := a.Status.Rollout; a.Spec.Rollout != nil && r != nil && r.Stable.FunctionVersion != "" {
		e.recreate(ctx, r, ptr.Deref(s.FunctionVersion, ""))
		s.FunctionVersion, s.RoutingConfig = ptr.To(r.Stable.FunctionVersion), nil
	}
	out, err := e.api.CreateAlias(ctx, createInput(e.id, s))
	if err != nil {
		return "", errors.Wrapf(err, "cannot create %s", e.id)
	}
	a.Status.AtProvider = observation(e.id, types.AliasConfiguration{
		AliasArn: out.AliasArn, Name: out.Name, FunctionVersion: out.FunctionVersion, Description: out.Description, RoutingConfig: out.RoutingConfig, RevisionId: out.RevisionId,
	})
	return e.id.name, nil
}

// recreate records in the state of a rollout that its alias is created again: with the stable version, or with the
// desired one if AWS has no such version any more, as after the function was deleted and created again.
func (e *external) recreate(ctx context.Context, r *v1beta1.AliasRolloutStatus, desired string) {
	stable := r.Stable.FunctionVersion
	if desired != "" && desired != stable {
		if v, _, ok := e.version(ctx, stable); ok && v.Missing {
			reconcile.Emit(ctx, eventOf(rollout.Restarted(r, desired, e.now())))
			return
		}
	}
	rollout.Recreated(r, e.now())
}

// Update changes the alias in one call, which AWS rejects if the alias was changed since it was
// read, or makes a smoke test.
func (e *external) Update(ctx context.Context, a *v1beta1.Alias, o found, u update) error {
	if u.Call == opInvoke && e.decision.Action == rollout.Wake {
		return e.wake(ctx, a)
	}
	if u.Call == opInvoke {
		return e.smokeTest(ctx, a)
	}
	defer e.cache.Forget(e.key())
	_, err := e.api.UpdateAlias(ctx, updateInput(e.id, u.Target, u.Changes, o.Resource.RevisionId))
	switch {
	case e.decision.Action != rollout.Update:
	case err == nil:
		reconcile.RequeueAfter(ctx, rollout.Updated(a.Status.Rollout))
	case !awserr.IsThrottled(err):
		rollout.UpdateFailed(a.Status.Rollout, e.now(), short("cannot change the alias: "+awserr.Sanitize(err).Error()))
	}
	return errors.Wrapf(err, "cannot update %s", e.id)
}

// Delete deletes the alias. AWS accepts the call even if the alias no longer exists.
func (e *external) Delete(ctx context.Context, _ *v1beta1.Alias, o found) error {
	defer e.cache.Forget(e.key())
	_, err := e.api.DeleteAlias(ctx, &lambda.DeleteAliasInput{FunctionName: ptr.To(e.id.function), Name: ptr.To(e.id.name)})
	return errors.Wrapf(err, "cannot delete %s", o.Description)
}

// ConnectionDetails returns what an invoker needs.
func (e *external) ConnectionDetails(a *v1beta1.Alias) managed.ConnectionDetails {
	s := a.Status.AtProvider
	return managed.ConnectionDetails{
		"aliasArn":  []byte(ptr.Deref(s.AliasArn, "")),
		"invokeArn": []byte(ptr.Deref(s.InvokeArn, "")),
	}
}
