package runtimemanagementconfig

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env is a test environment with a function.
type env struct {
	*testenv.Env[*v1beta1.RuntimeManagementConfig]
}

func newEnv(t testing.TB) env {
	t.Helper()
	return env{functionconfigtest.New(t, 0, func(w *testenv.AWS) reconcile.Observer[*v1beta1.RuntimeManagementConfig] {
		return newExternal(w.Lambda)
	})}
}

// there returns the settings in AWS for a qualifier.
func (e env) there(qualifier string) settings {
	e.Helper()
	out, err := e.Lambda.GetRuntimeManagementConfig(
		e.Context(),
		&lambda.GetRuntimeManagementConfigInput{
			FunctionName: ptr.To(functionconfigtest.Function),
			Qualifier:    &qualifier,
		},
	)
	if err != nil {
		e.Fatal(err)
	}
	return fromAWS(out)
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	c := newConfig(func(c *v1beta1.RuntimeManagementConfig) { c.Spec.ForProvider.Qualifier = ptr.To("1") })
	e.Want(c, "it is set", testenv.Created, testenv.Converged)
	if at := c.Status.AtProvider; meta.GetExternalName(c) != "cart:1" || *at.UpdateRuntimeOn != "FunctionUpdate" ||
		*at.FunctionArn != functionconfigtest.FunctionARN+":1" {
		t.Errorf("named %q, %+v", meta.GetExternalName(c), at)
	}
	c.Spec.ForProvider.RuntimeManagementConfigSettings = on(manual, runtimeA)
	e.Want(c, "one call carries all", testenv.Updated, testenv.Converged)

	if _, err := e.Lambda.PutRuntimeManagementConfig(t.Context(), &lambda.PutRuntimeManagementConfigInput{
		FunctionName: ptr.To(
			functionconfigtest.Function,
		),
		Qualifier:       ptr.To("1"),
		UpdateRuntimeOn: types.UpdateRuntimeOnAuto,
	}); err != nil {
		t.Fatal(err)
	}
	e.Want(c, "a change by hand is put right", testenv.Updated, testenv.Converged)

	e.Remove(c)
	e.Want(c, "it is set back", testenv.Deleted, testenv.Gone)
	if diff := cmp.Diff(on(auto, ""), e.there("1")); diff != "" {
		t.Errorf("-default +AWS:\n%s", diff)
	}
}

// TestImage checks that a configuration is gone if its function was created again from an image, which has none: AWS
// refuses to read it.
func TestImage(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Want(c, "it is set", testenv.Created, testenv.Converged)
	_, err := e.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To(functionconfigtest.Function)},
	)
	e.Must(err)
	e.AddFunction(functionconfigtest.Function, func(in *lambda.CreateFunctionInput) {
		in.PackageType, in.Runtime, in.Handler = types.PackageTypeImage, "", nil
		in.Code = &types.FunctionCode{ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/cart:1")}
	})
	const refused = "cart is a container image function"
	if _, err := e.Step(c); err == nil || !strings.Contains(err.Error(), refused) || !awserr.IsTerminal(err) {
		t.Errorf("the error names the reason, got %v", err)
	}
	e.Advance(time.Minute)
	e.Remove(c)
	if o, err := e.Do(c); err != nil || o != testenv.Aborted {
		t.Errorf("a single report is not believed: %v, %v", o, err)
	}
	e.Advance(time.Minute)
	e.Want(c, "nothing is left to reset", testenv.Gone)
}

func TestLostAnswer(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Lose(c, opPut)
	c.Spec.ForProvider.FunctionName = nil // The Function that it referred to no longer exists.
	e.Remove(c)
	e.Want(c, "what was set is set back", testenv.Deleted, testenv.Gone)
}

func TestSteadyObservationsAreOneCallEach(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Want(c, "it is set", testenv.Created, testenv.Converged)
	e.Share([]*v1beta1.RuntimeManagementConfig{c, c, c}, opGet, opGet, opGet)
}

// TestRandomSettingsConverge checks that random settings are reached from random former
// ones and stay.
func TestRandomSettingsConverge(t *testing.T) {
	e := newEnv(t)
	all := []settings{on(auto, ""), on("FunctionUpdate", ""), on(manual, runtimeA), on(manual, runtimeB)}
	const pairs = 200
	for seed := range uint64(pairs) {
		g := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // Tests are reproducible.
		pick := func() settings { return all[g.IntN(len(all))] }
		qualifier := []string{"$LATEST", "1", "2"}[g.IntN(3)]
		c := newConfig(func(c *v1beta1.RuntimeManagementConfig) {
			c.Spec.ForProvider.Qualifier = &qualifier
			c.Spec.ForProvider.RuntimeManagementConfigSettings = pick()
			if g.IntN(3) == 0 {
				c.Spec.InitProvider = ptr.To(pick())
			}
		})
		for range 2 {
			e.Outcomes(c)
			e.Want(c, "it stays", testenv.Converged)
			if c.Spec.InitProvider == nil {
				if diff := cmp.Diff(
					c.Spec.ForProvider.RuntimeManagementConfigSettings,
					e.there(qualifier),
				); diff != "" {
					t.Fatalf("seed %d: -spec +AWS:\n%s", seed, diff)
				}
			}
			c.Spec.ForProvider.RuntimeManagementConfigSettings = pick()
		}
		e.Advance(time.Minute) // Until then, AWS may not show what was created.
		e.Remove(c)
		e.Converge(c)
	}
}

// TestDeletedCopy checks that the deletion of a copy of another resource's manifest, which has set nothing because its
// function was never known, does not reset what the other resource has set.
func TestDeletedCopy(t *testing.T) {
	e := newEnv(t)
	e.Converge(newConfig())
	e.NextFacts = func() reconcile.Facts {
		return reconcile.Facts{Others: &reconcile.Others{
			Owns:       func() []tenancy.Target { return nil },
			Claims:     func() []tenancy.Target { return nil },
			OtherOwner: func(_ context.Context, _, _ string) resource.ModernManaged { return newConfig(named) },
		}}
	}
	e.Converge(newConfig(testenv.BeingDeleted, func(c *v1beta1.RuntimeManagementConfig) {
		c.Name, c.UID, c.Spec.ForProvider.FunctionName = "copy", "u2", nil
		meta.SetExternalName(c, "cart:$LATEST")
	}))
	if got := e.there("$LATEST"); ptr.Deref(got.UpdateRuntimeOn, "") != "FunctionUpdate" {
		t.Errorf("it was reset: %v", got)
	}
}
