package alias

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// The AWS operations that this kind calls.
const (
	opGet    = "GetAlias"
	opList   = "ListAliases"
	opCreate = "CreateAlias"
	opUpdate = "UpdateAlias"
	opDelete = "DeleteAlias"

	opGetConfiguration = "GetFunctionConfiguration"
	opInvoke           = "Invoke"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opCreate, Update: opUpdate, Delete: opDelete}

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

// An analyzer validates the checks of a rollout, and measures them. wait is after how long to measure the checks again
// that have no value yet.
type analyzer interface {
	Validate(spec *v1beta1.AliasRollout) error
	Measure(
		ctx context.Context, s rollout.Subject, spec *v1beta1.AliasRollout, due []rollout.CheckID,
	) (results []rollout.Measurement, wait time.Duration)
}

// time returns AWS's time, by which a rollout is decided: it is compared with that of invocations and alarms.
func (e *external) time() time.Time { return e.clock.Time(e.now()) }

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

// rollsOut reports whether the alias has a rollout, and may be updated by it.
func rollsOut(a *v1beta1.Alias) bool {
	return a.Spec.Rollout != nil && reconcile.Allows(a, xpv2.ManagementActionUpdate)
}
