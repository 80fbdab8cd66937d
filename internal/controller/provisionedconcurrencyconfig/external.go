package provisionedconcurrencyconfig

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// found is what one look has found.
type found = flow.Found[types.ProvisionedConcurrencyConfigListItem]

// concurrency is the provisioned concurrency of an alias or a version, as flow sees it.
type concurrency struct {
	api    lambdaAPI
	reader *configured.Reader[types.ProvisionedConcurrencyConfigListItem]
	now    func() time.Time

	name functionname.Name
}

func newExternal(api lambdaAPI, cache *inventory.Cache, now func() time.Time) *flow.External[*v1beta1.ProvisionedConcurrencyConfig, types.ProvisionedConcurrencyConfigListItem] {
	c := &concurrency{api: api, now: now}
	c.reader = &configured.Reader[types.ProvisionedConcurrencyConfigListItem]{
		Cache: cache, Operation: callList, Page: c.page, GetBy: callGet, Get: c.get,
		ARN: func(p types.ProvisionedConcurrencyConfigListItem) *string { return p.FunctionArn },
	}
	return flow.New[*v1beta1.ProvisionedConcurrencyConfig](c, calls)
}

// page of the provisioned concurrency of a function.
func (c *concurrency) page(ctx context.Context, function string, marker *string) ([]types.ProvisionedConcurrencyConfigListItem, *string, error) {
	out, err := c.api.ListProvisionedConcurrencyConfigs(ctx, &lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: &function, Marker: marker})
	if err != nil {
		return nil, nil, errors.Wrapf(err, "cannot list the provisioned concurrency of function %s", function)
	}
	return out.ProvisionedConcurrencyConfigs, out.NextMarker, nil
}

// get a single one.
func (c *concurrency) get(ctx context.Context, n functionname.Name) (types.ProvisionedConcurrencyConfigListItem, error) {
	out, err := c.api.GetProvisionedConcurrencyConfig(ctx, &lambda.GetProvisionedConcurrencyConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	if err != nil {
		return types.ProvisionedConcurrencyConfigListItem{}, errors.Wrapf(err, "cannot get %s", what(n))
	}
	return types.ProvisionedConcurrencyConfigListItem{
		AllocatedProvisionedConcurrentExecutions: out.AllocatedProvisionedConcurrentExecutions, AvailableProvisionedConcurrentExecutions: out.AvailableProvisionedConcurrentExecutions,
		LastModified: out.LastModified, RequestedProvisionedConcurrentExecutions: out.RequestedProvisionedConcurrentExecutions, Status: out.Status, StatusReason: out.StatusReason,
	}, nil
}

// Read the provisioned concurrency from the list of its function's.
func (c *concurrency) Read(ctx context.Context, mg *v1beta1.ProvisionedConcurrencyConfig) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := configured.Target{Function: p.FunctionName, Qualifier: p.Qualifier}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	if n.Qualifier == "" {
		return found{}, errors.Errorf("no alias or version of function %s is named: set spec.forProvider.qualifier, or set the external name to %s:qualifier", n, n)
	}
	c.name = n
	item, exists, err := c.reader.Read(ctx, mg, n)
	return found{Thing: item, Exists: exists, Name: n.String(), What: what(n)}, err
}

func what(n functionname.Name) string { return configured.What("the provisioned concurrency", n) }

// Judge whose the provisioned concurrency is: it carries no tags.
func (c *concurrency) Judge(ctx context.Context, mg *v1beta1.ProvisionedConcurrencyConfig, f found) (ownership.Verdict, error) {
	v := ownership.JudgeUntagged(mg, f.Name, asMade(mg, f.Thing))
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// Show what AWS says in status.
func (c *concurrency) Show(mg *v1beta1.ProvisionedConcurrencyConfig, f found) {
	mg.Status.AtProvider = status(f.Thing, c.name)
}

// State by what AWS says.
func (c *concurrency) State(mg *v1beta1.ProvisionedConcurrencyConfig, f found) xpv2.Condition {
	return state(f.Thing, mg.GetCondition(xpv2.TypeReady), mg.GetGeneration())
}

// Plan what is left to do.
func (c *concurrency) Plan(_ context.Context, mg *v1beta1.ProvisionedConcurrencyConfig, f found) (flow.Plan, error) {
	_, changes := compare(mg, f.Thing)
	return decide(f.Thing, changes, c.State(mg, f), c.now()), nil
}

// Prepare notes what is about to be made.
func (c *concurrency) Prepare(_ context.Context, mg *v1beta1.ProvisionedConcurrencyConfig) error {
	configured.Pending(mg, c.name)
	return nil
}

// Create asks for provisioned concurrency, which AWS takes some minutes to provide.
func (c *concurrency) Create(ctx context.Context, mg *v1beta1.ProvisionedConcurrencyConfig) (string, error) {
	return c.name.String(), c.put(ctx, "create", desired(mg).settings)
}

// Update asks for another number, or for the same again where AWS failed to provide it.
func (c *concurrency) Update(ctx context.Context, mg *v1beta1.ProvisionedConcurrencyConfig, f found, _ flow.Plan) error {
	t, _ := compare(mg, f.Thing)
	return c.put(ctx, "update", t)
}

func (c *concurrency) put(ctx context.Context, verb string, s settings) error {
	defer c.reader.Forget(c.name)
	_, err := c.api.PutProvisionedConcurrencyConfig(ctx, putInput(s, c.name))
	return errors.Wrapf(err, "cannot %s %s", verb, what(c.name))
}

// Delete the provisioned concurrency. What it invokes stays.
func (c *concurrency) Delete(ctx context.Context, _ *v1beta1.ProvisionedConcurrencyConfig, f found) error {
	defer c.reader.Forget(c.name)
	_, err := c.api.DeleteProvisionedConcurrencyConfig(ctx, &lambda.DeleteProvisionedConcurrencyConfigInput{FunctionName: &c.name.Function, Qualifier: &c.name.Qualifier})
	return errors.Wrapf(err, "cannot delete %s", f.What)
}

// Connection is nothing: provisioned concurrency is not connected to.
func (c *concurrency) Connection(*v1beta1.ProvisionedConcurrencyConfig) xpmanaged.ConnectionDetails {
	return nil
}
