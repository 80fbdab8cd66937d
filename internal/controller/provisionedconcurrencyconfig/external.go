package provisionedconcurrencyconfig

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The AWS operations that this kind calls.
const (
	opGet    = "GetProvisionedConcurrencyConfig"
	opPut    = "PutProvisionedConcurrencyConfig"
	opDelete = "DeleteProvisionedConcurrencyConfig"
)

// calls are the operations by which this kind creates, updates and deletes.
var calls = reconcile.Calls{Create: opPut, Update: opPut, Delete: opDelete}

type (
	awsResource = reconcile.Resource[*v1beta1.ProvisionedConcurrencyConfig, *answer, settings]
	found       = reconcile.Observation[*answer, settings]
)

// external is the provisioned concurrency of an alias or a version in AWS. It lives for one reconcile.
type external struct {
	api   *lambda.Client
	facts reconcile.Facts
	name  functionname.Name
}

func newExternal(api *lambda.Client) awsResource {
	e := &external{api: api}
	return awsResource{
		Calls: calls, Read: e.read, Status: e.status, Ready: e.ready, Desired: desired, Plan: e.plan,
		Create: e.put, Delete: e.delete,
	}
}

// desired returns the settings of spec. What only initProvider sets is left to others
// after the creation, such as Application Auto Scaling.
func desired(
	_ context.Context, mg *v1beta1.ProvisionedConcurrencyConfig,
) (forProvider, initProvider settings, _ error) {
	return mg.Spec.ForProvider.ProvisionedConcurrencyConfigSettings, ptr.Deref(mg.Spec.InitProvider, settings{}), nil
}

// read reads the provisioned concurrency.
func (e *external) read(
	ctx context.Context, f reconcile.Facts, mg *v1beta1.ProvisionedConcurrencyConfig,
) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := functionconfig.Target{Function: p.FunctionName, Qualifier: p.Qualifier}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	if n.Qualifier == "" {
		return found{}, reconcile.Invalid(errors.Errorf("no alias or version of function %s is named: set "+
			"spec.forProvider.qualifier, or set the external name to %s:qualifier", n, n))
	}
	e.facts, e.name = f, n
	o := found{Name: n.String(), Description: description(n), Parent: n.String()}
	out, err := e.api.GetProvisionedConcurrencyConfig(ctx,
		&lambda.GetProvisionedConcurrencyConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	switch {
	case awserr.IsNotFound(err):
		return o, nil
	case err != nil:
		return o, errors.Wrapf(err, "cannot get %s", o.Description)
	case out.RequestedProvisionedConcurrentExecutions == nil && !meta.WasDeleted(mg):
		return o, errors.Errorf("cannot get %s: AWS's answer to %s lacks requestedProvisionedConcurrentExecutions",
			o.Description, opGet)
	}
	o.Resource, o.Settings, o.Exists = out, fromAWS(out), true
	return o, nil
}

func description(n functionname.Name) string {
	return functionconfig.Description("the provisioned concurrency", n)
}

// status sets status.atProvider.
func (e *external) status(mg *v1beta1.ProvisionedConcurrencyConfig, o found) {
	mg.Status.AtProvider = observation(o.Resource, e.name)
}

// ready returns the Ready condition from the AWS value.
func (e *external) ready(mg *v1beta1.ProvisionedConcurrencyConfig, o found) xpv2.Condition {
	return state(o.Resource, mg.GetCondition(xpv2.TypeReady), mg.GetGeneration())
}

// plan decides what is due. A failed request is repeated ever less often: AWS's record of its time may be unreadable,
// or older than the last repetition.
func (e *external) plan(
	_ context.Context, mg *v1beta1.ProvisionedConcurrencyConfig, o found,
	c reconcile.Comparison[settings]) (reconcile.Plan,
	error,
) {
	p := decide(o.Resource, c.Changes, e.ready(mg, o), e.facts.Now())
	if p.Call != "" && len(p.Changes) == 0 {
		if due, wait, _ := e.facts.Due(reconcile.PlannedCall{Call: p.Call}); len(due) == 0 {
			p.Call, p.Wait = "", wait
		}
	}
	return p, nil
}

// decide returns the plan. While a request is in progress in AWS, no call is due.
func decide(
	p *answer, changes diff.Changes, state xpv2.Condition,
	now time.Time,
) reconcile.Plan {
	plan := reconcile.Plan{Ready: state, Changes: changes}
	failed := p.Status == types.ProvisionedConcurrencyStatusEnumFailed
	switch {
	case reconcile.InMotion(state):
	case len(changes) > 0:
		plan.Call = opPut
		if !failed {
			plan.Ready = reconcile.UpdatingFields(state.ObservedGeneration, changes)
		}
	case failed:
		plan.Wait = max(retryAfter-since(p, now), 0)
		if plan.Wait == 0 {
			plan.Call, plan.Does = opPut, "retried the failed request"
		}
	}
	return plan
}

// put requests provisioned concurrency, which AWS takes some minutes to provide: another number, or the same again if
// AWS failed to provide it.
func (e *external) put(
	ctx context.Context, _ *v1beta1.ProvisionedConcurrencyConfig, s settings,
) (reconcile.Result, error) {
	_, err := e.api.PutProvisionedConcurrencyConfig(ctx, putInput(s, e.name))
	return reconcile.Result{Name: e.name.String()}, errors.Wrapf(err, "cannot set %s", description(e.name))
}

// delete deletes the provisioned concurrency. The version or alias remains.
func (e *external) delete(
	ctx context.Context, _ *v1beta1.ProvisionedConcurrencyConfig, o found,
) (reconcile.Result, error) {
	_, err := e.api.DeleteProvisionedConcurrencyConfig(ctx,
		&lambda.DeleteProvisionedConcurrencyConfigInput{FunctionName: &e.name.Function, Qualifier: &e.name.Qualifier})
	return reconcile.Result{}, errors.Wrapf(err, "cannot delete %s", o.Description)
}
