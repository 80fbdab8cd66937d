package functionurl

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The AWS operations that this kind calls.
const (
	opGet    = "GetFunctionUrlConfig"
	opCreate = "CreateFunctionUrlConfig"
	opUpdate = "UpdateFunctionUrlConfig"
	opDelete = "DeleteFunctionUrlConfig"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opCreate, Update: opUpdate, Delete: opDelete}

type (
	awsResource = reconcile.Resource[*v1beta1.FunctionURL, *answer, settings]
	found       = reconcile.Observation[*answer, settings]
	update      = reconcile.Update[settings]
)

// external is the URL of a function or an alias in AWS. It lives for one reconcile.
type external struct {
	api *lambda.Client

	name functionname.Name
}

func newExternal(api *lambda.Client) awsResource {
	e := &external{api: api}
	return awsResource{
		Calls: calls, Read: e.read, Desired: desired, Create: e.create, Update: e.update, Delete: e.delete,
		Details: details,
		Status:  func(mg *v1beta1.FunctionURL, o found) { mg.Status.AtProvider = observation(o.Resource, e.name) },
		Compare: reconcile.By[*v1beta1.FunctionURL, *answer](compare),
	}
}

// desired returns the settings of spec.
func desired(_ context.Context, mg *v1beta1.FunctionURL) (forProvider, initProvider settings, _ error) {
	return mg.Spec.ForProvider.FunctionURLSettings, ptr.Deref(mg.Spec.InitProvider, settings{}), nil
}

// read reads the URL.
func (e *external) read(ctx context.Context, _ reconcile.Facts, mg *v1beta1.FunctionURL) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := functionconfig.Target{Function: p.FunctionName, Qualifier: p.Qualifier}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	e.name = n
	o := found{Name: n.String(), Description: functionconfig.Description("the URL", n), Parent: n.String()}
	out, err := e.api.GetFunctionUrlConfig(ctx, &lambda.GetFunctionUrlConfigInput{
		FunctionName: &n.Function, Qualifier: lambdaapi.Text(n.Qualifier),
	})
	switch {
	case awserr.IsNotFound(err):
		return o, nil
	case err != nil:
		return o, errors.Wrapf(err, "cannot get %s", o.Description)
	case out.FunctionUrl == nil && !meta.WasDeleted(mg):
		return o, errors.Errorf("cannot get %s: AWS's answer to %s lacks functionUrl", o.Description, opGet)
	}
	o.Resource, o.Settings, o.Exists = out, fromAWS(out), true
	return o, nil
}

// create creates the URL. AWS chooses its address.
func (e *external) create(ctx context.Context, mg *v1beta1.FunctionURL, s settings) (reconcile.Result, error) {
	out, err := e.api.CreateFunctionUrlConfig(ctx, createInput(s, e.name))
	if err != nil {
		return reconcile.Result{}, errors.Wrapf(err, "cannot create %s", functionconfig.Description("the URL", e.name))
	}
	var u answer
	createdToAnswer.Copy(&u, out)
	mg.Status.AtProvider = observation(&u, e.name)
	return reconcile.Result{Name: e.name.String()}, nil
}

// update changes what differs.
func (e *external) update(ctx context.Context, _ *v1beta1.FunctionURL, o found, u update) (reconcile.Result, error) {
	_, err := e.api.UpdateFunctionUrlConfig(ctx, updateInput(u.Target, u.Changes, e.name))
	return reconcile.Result{}, errors.Wrapf(err, "cannot update %s", o.Description)
}

// delete deletes the URL. Its address is lost: another URL gets another one.
func (e *external) delete(ctx context.Context, _ *v1beta1.FunctionURL, o found) (reconcile.Result, error) {
	_, err := e.api.DeleteFunctionUrlConfig(ctx, &lambda.DeleteFunctionUrlConfigInput{
		FunctionName: &e.name.Function, Qualifier: lambdaapi.Text(e.name.Qualifier),
	})
	return reconcile.Result{}, errors.Wrapf(err, "cannot delete %s", o.Description)
}

// details returns the address of the URL.
func details(mg *v1beta1.FunctionURL) managed.ConnectionDetails {
	at := mg.Status.AtProvider
	return managed.ConnectionDetails{
		"functionUrl": []byte(ptr.Deref(at.FunctionURL, "")),
		"functionArn": []byte(ptr.Deref(at.FunctionArn, "")),
	}
}
