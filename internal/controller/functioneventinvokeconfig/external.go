package functioneventinvokeconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// found is what one look has found.
type found = flow.Found[types.FunctionEventInvokeConfig]

// invocation is how a function is invoked asynchronously, as flow sees it.
type invocation struct {
	api    lambdaAPI
	reader *configured.Reader[types.FunctionEventInvokeConfig]
	fields fieldReader

	name functionname.Name
	// wanted is what spec comes to, once what it refers to was read.
	wanted wanted
}

func newExternal(api lambdaAPI, cache *inventory.Cache, fields fieldReader) *flow.External[*v1beta1.FunctionEventInvokeConfig, types.FunctionEventInvokeConfig] {
	i := &invocation{api: api, fields: fields}
	i.reader = &configured.Reader[types.FunctionEventInvokeConfig]{
		Cache: cache, Operation: callList, Page: i.page, GetBy: callGet, Get: i.get,
		ARN: func(c types.FunctionEventInvokeConfig) *string { return c.FunctionArn },
	}
	return flow.New[*v1beta1.FunctionEventInvokeConfig](i, calls)
}

// page of the configurations of a function.
func (i *invocation) page(ctx context.Context, function string, marker *string) ([]types.FunctionEventInvokeConfig, *string, error) {
	out, err := i.api.ListFunctionEventInvokeConfigs(ctx, &lambda.ListFunctionEventInvokeConfigsInput{FunctionName: &function, Marker: marker})
	if err != nil {
		return nil, nil, errors.Wrapf(err, "cannot list the asynchronous invocation configurations of function %s", function)
	}
	return out.FunctionEventInvokeConfigs, out.NextMarker, nil
}

// get a single one.
func (i *invocation) get(ctx context.Context, n functionname.Name) (types.FunctionEventInvokeConfig, error) {
	out, err := i.api.GetFunctionEventInvokeConfig(ctx, &lambda.GetFunctionEventInvokeConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	if err != nil {
		return types.FunctionEventInvokeConfig{}, errors.Wrapf(err, "cannot get %s", what(n))
	}
	return types.FunctionEventInvokeConfig{
		DestinationConfig: out.DestinationConfig, FunctionArn: out.FunctionArn, LastModified: out.LastModified,
		MaximumEventAgeInSeconds: out.MaximumEventAgeInSeconds, MaximumRetryAttempts: out.MaximumRetryAttempts,
	}, nil
}

// Read the configuration from the list of those of its function.
func (i *invocation) Read(ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := configured.Target{Function: p.FunctionName, Qualifier: p.Qualifier, Default: functionname.Latest}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	i.name = n
	c, exists, err := i.reader.Read(ctx, mg, n)
	return found{Thing: c, Exists: exists, Name: n.String(), What: what(n)}, err
}

func what(n functionname.Name) string {
	return configured.What("the asynchronous invocation configuration", n)
}

// Judge whose the configuration is: it carries no tags.
func (i *invocation) Judge(ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig, f found) (ownership.Verdict, error) {
	v := ownership.JudgeUntagged(mg, f.Name, i.asMade(ctx, mg, f))
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// asMade says that the configuration is just as this resource would have made it. It
// matters only where the answer to a create may have been lost.
func (i *invocation) asMade(ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig, f found) bool {
	if meta.GetExternalCreatePending(mg).IsZero() || i.resolve(ctx, mg) != nil {
		return false
	}
	return i.wanted.made(fromAWS(f.Thing))
}

// resolve what spec refers to.
func (i *invocation) resolve(ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig) (err error) {
	i.wanted, err = desired(mg, func(field string, s v1beta1.FieldSelector) (string, error) {
		v, err := i.fields.Get(ctx, mg.GetNamespace(), s)
		return v, errors.Wrapf(err, "cannot resolve spec.forProvider.%s.destinationFrom", field)
	})
	return err
}

// Show the configuration in status.
func (i *invocation) Show(mg *v1beta1.FunctionEventInvokeConfig, f found) {
	mg.Status.AtProvider = status(f.Thing, i.name)
}

// State of a configuration: one that exists is in force.
func (i *invocation) State(mg *v1beta1.FunctionEventInvokeConfig, _ found) xpv2.Condition {
	return condition.Available(mg.GetGeneration())
}

// Plan what is left to do.
func (i *invocation) Plan(ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig, f found) (flow.Plan, error) {
	if err := i.resolve(ctx, mg); err != nil {
		return flow.Plan{}, err
	}
	_, changes := i.wanted.compare(fromAWS(f.Thing))
	if len(changes) == 0 {
		return flow.Plan{Ready: i.State(mg, f)}, nil
	}
	return flow.Plan{Ready: condition.Updating(mg.GetGeneration(), "changing "+changes.String()), Changes: changes, Call: callPut}, nil
}

// Prepare resolves what spec refers to, and notes what is about to be made.
func (i *invocation) Prepare(ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig) error {
	configured.Pending(mg, i.name)
	return i.resolve(ctx, mg)
}

// Create the configuration.
func (i *invocation) Create(ctx context.Context, _ *v1beta1.FunctionEventInvokeConfig) (string, error) {
	return i.name.String(), i.put(ctx, "create", i.wanted.settings)
}

// Update replaces all settings.
func (i *invocation) Update(ctx context.Context, _ *v1beta1.FunctionEventInvokeConfig, f found, _ flow.Plan) error {
	t, _ := i.wanted.compare(fromAWS(f.Thing))
	return i.put(ctx, "update", t)
}

func (i *invocation) put(ctx context.Context, verb string, s settings) error {
	defer i.reader.Forget(i.name)
	_, err := i.api.PutFunctionEventInvokeConfig(ctx, putInput(s, i.name))
	return errors.Wrapf(err, "cannot %s %s", verb, what(i.name))
}

// Delete the configuration: Lambda's defaults are in force again.
func (i *invocation) Delete(ctx context.Context, _ *v1beta1.FunctionEventInvokeConfig, f found) error {
	defer i.reader.Forget(i.name)
	_, err := i.api.DeleteFunctionEventInvokeConfig(ctx, &lambda.DeleteFunctionEventInvokeConfigInput{FunctionName: &i.name.Function, Qualifier: &i.name.Qualifier})
	return errors.Wrapf(err, "cannot delete %s", f.What)
}

// Connection is nothing: a configuration is not connected to.
func (i *invocation) Connection(*v1beta1.FunctionEventInvokeConfig) xpmanaged.ConnectionDetails {
	return nil
}
