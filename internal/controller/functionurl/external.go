package functionurl

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
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
type found = flow.Found[types.FunctionUrlConfig]

// endpoint is the URL of a function or an alias, as flow sees it.
type endpoint struct {
	api    lambdaAPI
	reader *configured.Reader[types.FunctionUrlConfig]

	name functionname.Name
}

func newExternal(api lambdaAPI, cache *inventory.Cache) *flow.External[*v1beta1.FunctionURL, types.FunctionUrlConfig] {
	e := &endpoint{api: api}
	e.reader = &configured.Reader[types.FunctionUrlConfig]{
		Cache: cache, Operation: callList, Page: e.page, GetBy: callGet, Get: e.get,
		ARN: func(u types.FunctionUrlConfig) *string { return u.FunctionArn },
	}
	return flow.New[*v1beta1.FunctionURL](e, calls)
}

// page of the URLs of a function.
func (e *endpoint) page(ctx context.Context, function string, marker *string) ([]types.FunctionUrlConfig, *string, error) {
	out, err := e.api.ListFunctionUrlConfigs(ctx, &lambda.ListFunctionUrlConfigsInput{FunctionName: &function, Marker: marker})
	if err != nil {
		return nil, nil, errors.Wrapf(err, "cannot list the URLs of function %s", function)
	}
	return out.FunctionUrlConfigs, out.NextMarker, nil
}

// get a single one.
func (e *endpoint) get(ctx context.Context, n functionname.Name) (types.FunctionUrlConfig, error) {
	out, err := e.api.GetFunctionUrlConfig(ctx, &lambda.GetFunctionUrlConfigInput{FunctionName: &n.Function, Qualifier: qualifier(n)})
	if err != nil {
		return types.FunctionUrlConfig{}, errors.Wrapf(err, "cannot get %s", configured.What("the URL", n))
	}
	return types.FunctionUrlConfig{
		AuthType: out.AuthType, CreationTime: out.CreationTime, FunctionArn: out.FunctionArn, FunctionUrl: out.FunctionUrl,
		LastModifiedTime: out.LastModifiedTime, Cors: out.Cors, InvokeMode: out.InvokeMode,
	}, nil
}

// Read the URL from the list of those of its function.
func (e *endpoint) Read(ctx context.Context, mg *v1beta1.FunctionURL) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := configured.Target{Function: p.FunctionName, Qualifier: p.Qualifier}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	e.name = n
	u, exists, err := e.reader.Read(ctx, mg, n)
	return found{Thing: u, Exists: exists, Name: n.String(), What: configured.What("the URL", n)}, err
}

// Judge whose the URL is: it carries no tags.
func (e *endpoint) Judge(ctx context.Context, mg *v1beta1.FunctionURL, f found) (ownership.Verdict, error) {
	v := ownership.JudgeUntagged(mg, f.Name, asMade(mg, f.Thing))
	if !v.Manageable() {
		return v, managed.NewForeignUntaggedError(ctx, f.What, f.Name)
	}
	return v, nil
}

// Show the URL in status.
func (e *endpoint) Show(mg *v1beta1.FunctionURL, f found) {
	mg.Status.AtProvider = status(f.Thing, e.name)
}

// State of a URL: one that exists serves.
func (e *endpoint) State(mg *v1beta1.FunctionURL, _ found) xpv2.Condition {
	return condition.Available(mg.GetGeneration())
}

// Plan what is left to do.
func (e *endpoint) Plan(_ context.Context, mg *v1beta1.FunctionURL, f found) (flow.Plan, error) {
	_, changes := compare(mg, f.Thing)
	if len(changes) == 0 {
		return flow.Plan{Ready: e.State(mg, f)}, nil
	}
	return flow.Plan{Ready: condition.Updating(mg.GetGeneration(), "changing "+changes.String()), Changes: changes, Call: callUpdate}, nil
}

// Prepare notes which URL is about to be made.
func (e *endpoint) Prepare(_ context.Context, mg *v1beta1.FunctionURL) error {
	configured.Pending(mg, e.name)
	return nil
}

// Create the URL, whose address is AWS's choice.
func (e *endpoint) Create(ctx context.Context, mg *v1beta1.FunctionURL) (string, error) {
	defer e.reader.Forget(e.name)
	out, err := e.api.CreateFunctionUrlConfig(ctx, createInput(desired(mg).settings, e.name))
	if err != nil {
		return "", errors.Wrapf(err, "cannot create %s", configured.What("the URL", e.name))
	}
	mg.Status.AtProvider = created(out, e.name)
	return e.name.String(), nil
}

// Update what differs.
func (e *endpoint) Update(ctx context.Context, mg *v1beta1.FunctionURL, f found, p flow.Plan) error {
	defer e.reader.Forget(e.name)
	t, _ := compare(mg, f.Thing)
	_, err := e.api.UpdateFunctionUrlConfig(ctx, updateInput(t, p.Changes, e.name))
	return errors.Wrapf(err, "cannot update %s", f.What)
}

// Delete the URL. Its address is gone for good.
func (e *endpoint) Delete(ctx context.Context, _ *v1beta1.FunctionURL, f found) error {
	defer e.reader.Forget(e.name)
	_, err := e.api.DeleteFunctionUrlConfig(ctx, &lambda.DeleteFunctionUrlConfigInput{FunctionName: &e.name.Function, Qualifier: qualifier(e.name)})
	return errors.Wrapf(err, "cannot delete %s", f.What)
}

// Connection is the URL.
func (e *endpoint) Connection(mg *v1beta1.FunctionURL) xpmanaged.ConnectionDetails {
	at := mg.Status.AtProvider
	return xpmanaged.ConnectionDetails{
		"functionUrl": []byte(ptr.Deref(at.FunctionURL, "")),
		"functionArn": []byte(ptr.Deref(at.FunctionArn, "")),
	}
}
