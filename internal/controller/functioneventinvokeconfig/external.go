package functioneventinvokeconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The AWS operations that this kind calls.
const (
	opGet    = "GetFunctionEventInvokeConfig"
	opPut    = "PutFunctionEventInvokeConfig"
	opDelete = "DeleteFunctionEventInvokeConfig"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opPut, Update: opPut, Delete: opDelete}

type (
	awsResource = reconcile.Resource[*v1beta1.FunctionEventInvokeConfig, *answer, settings]
	found       = reconcile.Observation[*answer, settings]
)

// external is the asynchronous invocation configuration of a function in AWS. It lives for one reconcile.
type external struct {
	api    *lambda.Client
	fields refs.Getter

	name   functionname.Name
	others *reconcile.Others
}

func newExternal(api *lambda.Client, fields refs.Getter) awsResource {
	e := &external{api: api, fields: fields}
	return awsResource{
		Calls: calls, Read: e.read, Desired: e.desired, Create: e.put, Delete: e.delete,
		Status: func(mg *v1beta1.FunctionEventInvokeConfig, o found) {
			mg.Status.AtProvider = observation(o.Resource, e.name)
		},
		Compare: reconcile.By[*v1beta1.FunctionEventInvokeConfig, *answer](compare),
	}
}

// read reads the configuration.
func (e *external) read(ctx context.Context, f reconcile.Facts, mg *v1beta1.FunctionEventInvokeConfig) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := functionconfig.Target{
		Function: p.FunctionName, Qualifier: p.Qualifier,
		Default: functionname.Latest,
	}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	e.name, e.others = n, f.Others
	o := found{Name: n.String(), Description: description(n), Parent: n.String()}
	out, err := e.api.GetFunctionEventInvokeConfig(ctx,
		&lambda.GetFunctionEventInvokeConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	switch {
	case awserr.IsNotFound(err):
		return o, nil
	case err != nil:
		return o, errors.Wrapf(err, "cannot get %s", o.Description)
	case out.FunctionArn == nil && !meta.WasDeleted(mg):
		return o, errors.Errorf("cannot get %s: AWS's answer to %s lacks functionArn", o.Description, opGet)
	}
	o.Resource, o.Settings, o.Exists = out, fromAWS(out), true
	return o, nil
}

func description(n functionname.Name) string {
	return functionconfig.Description("the asynchronous invocation configuration", n)
}

// desired returns the settings of spec, with what it refers to resolved.
func (e *external) desired(
	ctx context.Context, mg *v1beta1.FunctionEventInvokeConfig,
) (forProvider, initProvider settings, err error) {
	p, err := refs.Resolve(ctx, permitted(*e), mg.GetNamespace(), "spec.forProvider", mg.Spec.ForProvider)
	forProvider = fromSpec(p.FunctionEventInvokeConfigSettings)
	if err != nil || mg.Spec.InitProvider == nil {
		return forProvider, initProvider, err
	}
	i, err := refs.Resolve(ctx, permitted(*e), mg.GetNamespace(), "spec.initProvider", *mg.Spec.InitProvider)
	return forProvider, fromSpec(i), err
}

// permitted reads fields of other objects that name what the resource may act on.
type permitted external

// Get returns the selected value, and an error if it names what others own.
func (p permitted) Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	v, err := p.fields.Get(ctx, namespace, s)
	if err != nil {
		return "", err
	}
	return v, p.others.MayAct(ctx, tenancy.Named(&v)...)
}

// put sets all settings.
func (e *external) put(
	ctx context.Context, _ *v1beta1.FunctionEventInvokeConfig, s settings,
) (reconcile.Result, error) {
	_, err := e.api.PutFunctionEventInvokeConfig(ctx, putInput(s, e.name))
	return reconcile.Result{Name: e.name.String()}, errors.Wrapf(err, "cannot set %s", description(e.name))
}

// delete deletes the configuration, which restores Lambda's defaults.
func (e *external) delete(
	ctx context.Context, _ *v1beta1.FunctionEventInvokeConfig, o found,
) (reconcile.Result, error) {
	_, err := e.api.DeleteFunctionEventInvokeConfig(ctx,
		&lambda.DeleteFunctionEventInvokeConfigInput{FunctionName: &e.name.Function, Qualifier: &e.name.Qualifier})
	return reconcile.Result{}, errors.Wrapf(err, "cannot delete %s", o.Description)
}
