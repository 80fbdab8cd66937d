package runtimemanagementconfig

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// answer is what AWS says of the management of a runtime.
type answer = lambda.GetRuntimeManagementConfigOutput

// found is what one look has found.
type found = flow.Found[*answer]

// runtime is the management of a version's runtime, as flow sees it.
type runtime struct {
	api lambdaAPI

	name functionname.Name
}

func newExternal(api lambdaAPI) *flow.External[*v1beta1.RuntimeManagementConfig, *answer] {
	return flow.New[*v1beta1.RuntimeManagementConfig](&runtime{api: api}, calls)
}

// Read the configuration. AWS's default counts as none for a resource that has not set
// one yet, and for one that is being deleted.
func (r *runtime) Read(ctx context.Context, mg *v1beta1.RuntimeManagementConfig) (found, error) {
	p := mg.Spec.ForProvider
	n, ok, err := configured.Target{Function: p.FunctionName, Qualifier: p.Qualifier, Default: functionname.Latest}.Name(mg)
	if err != nil || !ok {
		return found{}, err
	}
	r.name = n
	out, err := r.api.GetRuntimeManagementConfig(ctx, &lambda.GetRuntimeManagementConfigInput{FunctionName: &n.Function, Qualifier: &n.Qualifier})
	if awserr.IsNotFound(err) {
		return found{}, nil
	}
	if err != nil {
		return found{}, errors.Wrapf(err, "cannot read %s", what(n))
	}
	if out.UpdateRuntimeOn == "" {
		return found{}, errors.Errorf("cannot read %s: AWS's answer to %s lacks updateRuntimeOn", what(n), callGet)
	}
	unset := meta.WasDeleted(mg) || ownership.WrittenName(mg) == "" && !flow.ObserveOnly(mg)
	return found{Thing: out, Exists: !isDefault(out) || !unset, Name: n.String(), What: what(n)}, nil
}

func what(n functionname.Name) string {
	return configured.What("the runtime management configuration", n)
}

// Judge whose the configuration is: everyone's who says what it shall be.
func (r *runtime) Judge(context.Context, *v1beta1.RuntimeManagementConfig, found) (ownership.Verdict, error) {
	return ownership.Ours, nil
}

// Show the configuration in status.
func (r *runtime) Show(mg *v1beta1.RuntimeManagementConfig, f found) {
	mg.Status.AtProvider = status(f.Thing, r.name)
}

// State of a configuration: it is in force.
func (r *runtime) State(mg *v1beta1.RuntimeManagementConfig, _ found) xpv2.Condition {
	return condition.Available(mg.GetGeneration())
}

// Plan what is left to do.
func (r *runtime) Plan(_ context.Context, mg *v1beta1.RuntimeManagementConfig, f found) (flow.Plan, error) {
	_, changes := compare(mg, f.Thing)
	if len(changes) == 0 {
		return flow.Plan{Ready: r.State(mg, f)}, nil
	}
	return flow.Plan{Ready: condition.Updating(mg.GetGeneration(), "changing "+changes.String()), Changes: changes, Call: callPut}, nil
}

// Prepare notes which configuration is about to be set.
func (r *runtime) Prepare(_ context.Context, mg *v1beta1.RuntimeManagementConfig) error {
	configured.Pending(mg, r.name)
	return nil
}

// Create sets the configuration.
func (r *runtime) Create(ctx context.Context, mg *v1beta1.RuntimeManagementConfig) (string, error) {
	return r.name.String(), r.put(ctx, "set", desired(mg).settings)
}

// Update sets it anew.
func (r *runtime) Update(ctx context.Context, mg *v1beta1.RuntimeManagementConfig, f found, _ flow.Plan) error {
	t, _ := compare(mg, f.Thing)
	return r.put(ctx, "update", t)
}

// Delete sets it back to AWS's default.
func (r *runtime) Delete(ctx context.Context, _ *v1beta1.RuntimeManagementConfig, _ found) error {
	return r.put(ctx, "reset", settings{UpdateRuntimeOn: ptr.To(auto)})
}

func (r *runtime) put(ctx context.Context, verb string, s settings) error {
	_, err := r.api.PutRuntimeManagementConfig(ctx, putInput(s, r.name))
	return errors.Wrapf(err, "cannot %s %s", verb, what(r.name))
}

// Connection is nothing: a runtime is not connected to.
func (r *runtime) Connection(*v1beta1.RuntimeManagementConfig) xpmanaged.ConnectionDetails {
	return nil
}
