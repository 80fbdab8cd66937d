package runtimemanagementconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// The AWS operations that this kind calls.
const (
	opGet = "GetRuntimeManagementConfig"
	opPut = "PutRuntimeManagementConfig"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opPut, Update: opPut, Delete: opPut}

type (
	awsResource = reconcile.Resource[*v1beta1.RuntimeManagementConfig, *answer, settings]
	found       = reconcile.Observation[*answer, settings]
)

// external is the runtime management configuration of a version in AWS. It lives for one reconcile.
type external struct {
	api *lambda.Client

	name functionname.Name
}

func newExternal(api *lambda.Client) awsResource {
	e := &external{api: api}
	return awsResource{
		Calls: calls, Read: e.read, Owner: e.owner, Desired: desired, Create: e.put, Delete: e.delete,
		Status: func(mg *v1beta1.RuntimeManagementConfig, o found) {
			mg.Status.AtProvider = observation(o.Resource, e.name)
		},
		Compare: reconcile.By[*v1beta1.RuntimeManagementConfig, *answer](compare),
	}
}

// desired returns the settings of spec.
func desired(_ context.Context, mg *v1beta1.RuntimeManagementConfig) (forProvider, initProvider settings, _ error) {
	return mg.Spec.ForProvider.RuntimeManagementConfigSettings, ptr.Deref(mg.Spec.InitProvider, settings{}), nil
}

// read reads the configuration. AWS's default counts as absent for a resource that has not
// set one yet, and for one that is being deleted. A function that runs an image has none to delete.
func (e *external) read(ctx context.Context, _ reconcile.Facts, mg *v1beta1.RuntimeManagementConfig) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := functionconfig.Target{
		Function: p.FunctionName, Qualifier: p.Qualifier,
		Default: functionname.Latest,
	}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	e.name = n
	out, err := e.api.GetRuntimeManagementConfig(ctx,
		&lambda.GetRuntimeManagementConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	if awserr.IsNotFound(err) || meta.WasDeleted(mg) && awserr.IsOfImage(err) {
		return found{Parent: n.String(), Description: description(n)}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(err, "cannot read %s", description(n))
	}
	if out.UpdateRuntimeOn == "" {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s lacks updateRuntimeOn", description(n), opGet)
	}
	unset := meta.WasDeleted(mg) || ownership.WrittenName(mg) == "" && !reconcile.ObserveOnly(mg)
	return found{
		Resource: out, Settings: fromAWS(out), Exists: !isDefault(out) || !unset, Name: n.String(),
		Description: description(n), Parent: n.String(),
	}, nil
}

func description(n functionname.Name) string {
	return functionconfig.Description("the runtime management configuration", n)
}

// owner returns that the configuration is owned, whoever has set it before, unless another resource has.
func (e *external) owner(
	ctx context.Context, f reconcile.Facts, mg *v1beta1.RuntimeManagementConfig, o found,
) (ownership.Ownership, error) {
	return f.Others.CheckUntaggedOwner(ctx, mg, ownership.Ours, o.Description, o.Parent, o.Name)
}

// put sets the configuration.
func (e *external) put(ctx context.Context, _ *v1beta1.RuntimeManagementConfig, s settings) (reconcile.Result, error) {
	_, err := e.api.PutRuntimeManagementConfig(ctx, putInput(s, e.name))
	return reconcile.Result{Name: e.name.String()}, errors.Wrapf(err, "cannot set %s", description(e.name))
}

// delete resets the configuration to AWS's default.
func (e *external) delete(
	ctx context.Context, mg *v1beta1.RuntimeManagementConfig, _ found,
) (reconcile.Result, error) {
	_, err := e.put(ctx, mg, settings{UpdateRuntimeOn: ptr.To(auto)})
	return reconcile.Result{}, err
}
