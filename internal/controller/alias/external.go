package alias

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// thing is how an alias is seen in AWS. It lives for one reconcile.
type thing struct {
	api   lambdaAPI
	cache *inventory.Cache
	// functions are read for what they published last.
	functions client.Reader

	// id of the alias, once Read has worked it out, and the settings to send.
	id     id
	target settings
}

type found = flow.Found[types.AliasConfiguration]

// Read the alias out of those of its function, which all Aliases of it share.
func (t *thing) Read(ctx context.Context, a *v1beta1.Alias) (found, error) {
	var err error
	if t.id, err = idOf(a); err != nil {
		return found{}, err
	}
	if t.id.function == "" {
		return found{}, nil // It is being deleted, and was never created.
	}
	aliases, err := inventory.Read(ctx, t.cache, t.key(), managed.Freshness(ctx), t.list)
	if err != nil {
		return found{}, err
	}
	c, ok := aliases[t.id.name]
	if !ok && (aliases == nil || made(a)) {
		if c, ok, err = t.get(ctx); err != nil {
			return found{}, err
		}
	}
	return found{Thing: c, Exists: ok, Name: t.id.name, What: t.id.String()}, nil
}

// made tells whether a resource has made its alias, or may have: then a list that lacks
// it is no proof.
func made(a *v1beta1.Alias) bool {
	return !meta.WasDeleted(a) && (ownership.WrittenName(a) != "" || !meta.GetExternalCreatePending(a).IsZero())
}

// get the alias alone, where the list may lack what is there. Who may not ask goes by the
// list.
func (t *thing) get(ctx context.Context) (types.AliasConfiguration, bool, error) {
	if !managed.Reserve(ctx, callGet) {
		return types.AliasConfiguration{}, false, nil
	}
	out, err := t.api.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: ptr.To(t.id.function), Name: ptr.To(t.id.name)})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) || awserr.IsAccessDenied(err) {
		return types.AliasConfiguration{}, false, nil
	}
	if err != nil {
		return types.AliasConfiguration{}, false, errors.Wrapf(err, "cannot get %s", t.id)
	}
	return types.AliasConfiguration{
		AliasArn: out.AliasArn, Name: out.Name, FunctionVersion: out.FunctionVersion, Description: out.Description, RoutingConfig: out.RoutingConfig, RevisionId: out.RevisionId,
	}, true, nil
}

func (t *thing) key() inventory.Key { return inventory.Key{Operation: callList, Of: t.id.function} }

// list the function's aliases by name. They are nil where the function is gone, or the
// endpoint has no such list.
func (t *thing) list(ctx context.Context) (map[string]types.AliasConfiguration, error) {
	all := map[string]types.AliasConfiguration{}
	pages := lambda.NewListAliasesPaginator(t.api, &lambda.ListAliasesInput{FunctionName: ptr.To(t.id.function)})
	var read answer.Pages
	for pages.HasMorePages() {
		if err := read.Next("aliases"); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
			return nil, nil
		}
		if err != nil {
			return nil, errors.Wrapf(err, "cannot list the aliases of function %s", t.id.function)
		}
		for _, a := range page.Aliases {
			all[ptr.Deref(a.Name, "")] = a
		}
	}
	return all, nil
}

// Judge by the name, since an alias has no tags. One that is there before a create
// whose answer was lost, and is as this resource would have made it, is its own.
func (t *thing) Judge(ctx context.Context, a *v1beta1.Alias, f found) (ownership.Verdict, error) {
	_, changes, err := t.compare(ctx, a, f)
	v := ownership.JudgeUntagged(a, f.Name, err == nil && asMade(a, changes))
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// asMade says that an alias is as this resource would have made it. Where it follows a
// Function, that may have published since.
func asMade(a *v1beta1.Alias, changes diff.Changes) bool {
	if follows(a) {
		return len(changes) == len(changes.In("functionVersion"))
	}
	return len(changes) == 0
}

// Show the alias in status.
func (t *thing) Show(a *v1beta1.Alias, f found) { a.Status.AtProvider = observation(t.id, f.Thing) }

// State is that an alias which is there is served.
func (t *thing) State(a *v1beta1.Alias, _ found) xpv2.Condition {
	return condition.Available(a.GetGeneration())
}

// Plan compares the alias with spec.
func (t *thing) Plan(ctx context.Context, a *v1beta1.Alias, f found) (flow.Plan, error) {
	target, changes, err := t.compare(ctx, a, f)
	if err != nil {
		return flow.Plan{}, err
	}
	t.target = target
	if len(changes) == 0 {
		return flow.Plan{Ready: condition.Available(a.GetGeneration())}, nil
	}
	return flow.Plan{Changes: changes, Call: callUpdate, Ready: condition.Updating(a.GetGeneration(), changes.String())}, nil
}

func (t *thing) compare(ctx context.Context, a *v1beta1.Alias, f found) (settings, diff.Changes, error) {
	followed, err := t.followed(ctx, a)
	if err != nil {
		return settings{}, nil, err
	}
	wanted, left := want(a, followed)
	have := fromObserved(f.Thing)
	s := target(wanted, left, have)
	return s, diff.Compare(s, have), nil
}

// followed is the version that the Function published last, for an alias that follows
// it. It is empty for others.
func (t *thing) followed(ctx context.Context, a *v1beta1.Alias) (string, error) {
	if !follows(a) {
		return "", nil
	}
	ref := a.Spec.ForProvider.FunctionNameRef
	key := client.ObjectKey{Namespace: cmp.Or(ref.Namespace, a.GetNamespace()), Name: ref.Name}
	f := &v1beta1.Function{}
	if err := t.functions.Get(ctx, key, f); err != nil {
		return "", errors.Wrapf(err, "cannot tell which version to follow: cannot get Function %s", key)
	}
	if v := ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, ""); v != "" {
		return v, nil
	}
	if !ptr.Deref(f.Spec.ForProvider.Publish, false) {
		return "", errors.Errorf("cannot tell which version to follow, since Function %s publishes none: set its spec.forProvider.publish to true, or set spec.forProvider.functionVersion", key)
	}
	err := errors.Errorf("Function %s has not published a version yet", key)
	managed.ReportWaiting(ctx, a, err)
	return "", err
}

// Prepare works out what to create, and notes whose alias it will be, for when it is
// to be deleted.
func (t *thing) Prepare(ctx context.Context, a *v1beta1.Alias) error {
	followed, err := t.followed(ctx, a)
	if err != nil {
		return err
	}
	meta.AddAnnotations(a, map[string]string{ownership.AnnotationParent: t.id.function})
	t.target, _ = want(a, followed)
	return nil
}

// Create the alias.
func (t *thing) Create(ctx context.Context, a *v1beta1.Alias) (string, error) {
	defer t.cache.Forget(t.key())
	out, err := t.api.CreateAlias(ctx, createInput(t.id, t.target))
	if err != nil {
		return "", errors.Wrapf(err, "cannot create %s", t.id)
	}
	a.Status.AtProvider = observation(t.id, types.AliasConfiguration{
		AliasArn: out.AliasArn, Name: out.Name, FunctionVersion: out.FunctionVersion, Description: out.Description, RoutingConfig: out.RoutingConfig, RevisionId: out.RevisionId,
	})
	return t.id.name, nil
}

// Update the alias in one call. AWS refuses it if someone changed the alias since it
// was read.
func (t *thing) Update(ctx context.Context, _ *v1beta1.Alias, f found, p flow.Plan) error {
	defer t.cache.Forget(t.key())
	_, err := t.api.UpdateAlias(ctx, updateInput(t.id, t.target, p.Changes, f.Thing.RevisionId))
	return errors.Wrapf(err, "cannot update %s", t.id)
}

// Delete the alias. AWS does not mind one that is gone.
func (t *thing) Delete(ctx context.Context, _ *v1beta1.Alias, f found) error {
	defer t.cache.Forget(t.key())
	_, err := t.api.DeleteAlias(ctx, &lambda.DeleteAliasInput{FunctionName: ptr.To(t.id.function), Name: ptr.To(t.id.name)})
	return errors.Wrapf(err, "cannot delete %s", f.What)
}

// Connection is what an invoker needs to know.
func (t *thing) Connection(a *v1beta1.Alias) xpmanaged.ConnectionDetails {
	s := a.Status.AtProvider
	return xpmanaged.ConnectionDetails{
		"aliasArn":  []byte(ptr.Deref(s.AliasArn, "")),
		"invokeArn": []byte(ptr.Deref(s.InvokeArn, "")),
	}
}
