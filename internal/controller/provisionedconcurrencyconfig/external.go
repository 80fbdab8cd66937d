package provisionedconcurrencyconfig

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

type (
	found  = reconcile.Observation[types.ProvisionedConcurrencyConfigListItem, settings]
	update = reconcile.Update[settings]
)

// The optional interfaces that this kind implements.
var (
	_ reconcile.ReadyConditioner[*v1beta1.ProvisionedConcurrencyConfig, types.ProvisionedConcurrencyConfigListItem, settings] = &external{}
	_ reconcile.Planner[*v1beta1.ProvisionedConcurrencyConfig, types.ProvisionedConcurrencyConfigListItem, settings]          = &external{}
)

// external is the provisioned concurrency of an alias or a version in AWS. It lives for
// one reconcile.
type external struct {
	api    lambdaAPI
	reader *functionconfig.Reader[types.ProvisionedConcurrencyConfigListItem]
	now    func() time.Time

	name functionname.Name
}

func newExternal(api lambdaAPI, cache *readcache.Cache, now func() time.Time) *reconcile.External[*v1beta1.ProvisionedConcurrencyConfig, types.ProvisionedConcurrencyConfigListItem, settings] {
	e := &external{api: api, now: now}
	e.reader = &functionconfig.Reader[types.ProvisionedConcurrencyConfigListItem]{
		Cache: cache, Operation: opList, Page: e.page, GetBy: opGet, Get: e.get,
		ARN: func(p types.ProvisionedConcurrencyConfigListItem) *string { return p.FunctionArn },
	}
	return reconcile.NewExternal(e, calls)
}

// page returns a page of the provisioned concurrency of a function.
func (e *external) page(ctx context.Context, function string, marker *string) ([]types.ProvisionedConcurrencyConfigListItem, *string, error) {
	out, err := e.api.ListProvisionedConcurrencyConfigs(ctx, &lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: &function, Marker: marker})
	if err != nil {
		return nil, nil, errors.Wrapf(err, "cannot list the provisioned concurrency of function %s", function)
	}
	return out.ProvisionedConcurrencyConfigs, out.NextMarker, nil
}

// get reads a single configuration.
func (e *external) get(ctx context.Context, n functionname.Name) (types.ProvisionedConcurrencyConfigListItem, error) {
	out, err := e.api.GetProvisionedConcurrencyConfig(ctx, &lambda.GetProvisionedConcurrencyConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	if err != nil {
		return types.ProvisionedConcurrencyConfigListItem{}, errors.Wrapf(err, "cannot get %s", description(n))
	}
	return types.ProvisionedConcurrencyConfigListItem{
		AllocatedProvisionedConcurrentExecutions: out.AllocatedProvisionedConcurrentExecutions, AvailableProvisionedConcurrentExecutions: out.AvailableProvisionedConcurrentExecutions,
		LastModified: out.LastModified, RequestedProvisionedConcurrentExecutions: out.RequestedProvisionedConcurrentExecutions, Status: out.Status, StatusReason: out.StatusReason,
	}, nil
}

// Read reads the provisioned concurrency from the list of its function's.
func (e *external) Read(ctx context.Context, mg *v1beta1.ProvisionedConcurrencyConfig) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := functionconfig.Target{Function: p.FunctionName, Qualifier: p.Qualifier}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	if n.Qualifier == "" {
		return found{}, errors.Errorf("no alias or version of function %s is named: set spec.forProvider.qualifier, or set the external name to %s:qualifier", n, n)
	}
	e.name = n
	item, exists, err := e.reader.Read(ctx, mg, n)
	return found{Resource: item, Settings: fromAWS(item), Exists: exists, Name: n.String(), Description: description(n), Parent: n.String()}, err
}

func description(n functionname.Name) string {
	return functionconfig.Description("the provisioned concurrency", n)
}

// SetStatus sets status.atProvider.
func (e *external) SetStatus(mg *v1beta1.ProvisionedConcurrencyConfig, o found) {
	mg.Status.AtProvider = observation(o.Resource, e.name)
}

// ReadyCondition returns the Ready condition from the AWS value.
func (e *external) ReadyCondition(mg *v1beta1.ProvisionedConcurrencyConfig, o found) xpv2.Condition {
	return state(o.Resource, mg.GetCondition(xpv2.TypeReady), mg.GetGeneration())
}

// Desired returns the settings of spec.
func (e *external) Desired(_ context.Context, mg *v1beta1.ProvisionedConcurrencyConfig) (forProvider, initProvider settings, err error) {
	forProvider, initProvider = desired(mg)
	return forProvider, initProvider, nil
}

// Plan decides what is due.
func (e *external) Plan(_ context.Context, mg *v1beta1.ProvisionedConcurrencyConfig, o found, c reconcile.Comparison[settings]) (reconcile.Plan, error) {
	return decide(o.Resource, c.Changes, e.ReadyCondition(mg, o), e.now()), nil
}

// Create requests provisioned concurrency, which AWS takes some minutes to provide.
func (e *external) Create(ctx context.Context, _ *v1beta1.ProvisionedConcurrencyConfig, s settings) (string, error) {
	return e.name.String(), e.put(ctx, "create", s)
}

// Update requests another number, or the same again if AWS failed to provide it.
func (e *external) Update(ctx context.Context, _ *v1beta1.ProvisionedConcurrencyConfig, _ found, u update) error {
	return e.put(ctx, "update", u.Target)
}

func (e *external) put(ctx context.Context, verb string, s settings) error {
	defer e.reader.Forget(e.name)
	_, err := e.api.PutProvisionedConcurrencyConfig(ctx, putInput(s, e.name))
	return errors.Wrapf(err, "cannot %s %s", verb, description(e.name))
}

// Delete deletes the provisioned concurrency. The version or alias remains.
func (e *external) Delete(ctx context.Context, _ *v1beta1.ProvisionedConcurrencyConfig, o found) error {
	defer e.reader.Forget(e.name)
	_, err := e.api.DeleteProvisionedConcurrencyConfig(ctx, &lambda.DeleteProvisionedConcurrencyConfigInput{FunctionName: &e.name.Function, Qualifier: &e.name.Qualifier})
	return errors.Wrapf(err, "cannot delete %s", o.Description)
}
