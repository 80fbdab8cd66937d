package runtimemanagementconfig

import (
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/configured/configuredtest"
)

// rig is a double with the real SDK before it.
type rig struct{ *configuredtest.Rig }

func newRig(t testing.TB) rig {
	t.Helper()
	return rig{configuredtest.New(t, 0)}
}

func (r rig) connect() xpmanaged.TypedExternalClient[*v1beta1.RuntimeManagementConfig] {
	return newExternal(r.AWS)
}

// want what reconciles come to.
func (r rig) want(c *v1beta1.RuntimeManagementConfig, why string, want ...configuredtest.Outcome) {
	r.Helper()
	if diff := cmp.Diff(want, configuredtest.Settle(r.Rig, c, r.connect)); diff != "" {
		r.Errorf("%s, -want +got:\n%s", why, diff)
	}
}

// there is what AWS has for a qualifier.
func (r rig) there(qualifier string) settings {
	r.Helper()
	out, err := r.AWS.GetRuntimeManagementConfig(r.Context(), &lambda.GetRuntimeManagementConfigInput{FunctionName: ptr.To(configuredtest.Function), Qualifier: &qualifier})
	if err != nil {
		r.Fatal(err)
	}
	return fromAWS(out)
}

func TestLife(t *testing.T) {
	r := newRig(t)
	c := newConfig(func(c *v1beta1.RuntimeManagementConfig) { c.Spec.ForProvider.Qualifier = ptr.To("1") })
	r.want(c, "it is set", configuredtest.Created, configuredtest.Settled)
	if at := c.Status.AtProvider; meta.GetExternalName(c) != "cart:1" || *at.UpdateRuntimeOn != "FunctionUpdate" || *at.FunctionArn != configuredtest.FunctionARN+":1" {
		t.Errorf("named %q, %+v", meta.GetExternalName(c), at)
	}
	c.Spec.ForProvider.RuntimeManagementConfigSettings = on(manual, runtimeA)
	r.want(c, "one call carries all", configuredtest.Updated, configuredtest.Settled)

	if _, err := r.AWS.PutRuntimeManagementConfig(t.Context(), &lambda.PutRuntimeManagementConfigInput{
		FunctionName: ptr.To(configuredtest.Function), Qualifier: ptr.To("1"), UpdateRuntimeOn: types.UpdateRuntimeOnAuto,
	}); err != nil {
		t.Fatal(err)
	}
	r.want(c, "a change by hand is put right", configuredtest.Updated, configuredtest.Settled)

	configuredtest.Delete(c)
	r.want(c, "it is set back", configuredtest.Deleted, configuredtest.Gone)
	if diff := cmp.Diff(on(auto, ""), r.there("1")); diff != "" {
		t.Errorf("-default +AWS:\n%s", diff)
	}
}

func TestLostAnswer(t *testing.T) {
	r := newRig(t)
	r.Double.Fail(awsdouble.Fault{Operation: callPut, Drop: awsdouble.DropAfter, Times: 4})
	c := newConfig()
	if _, err := configuredtest.Step(r.Rig, c, r.connect()); err == nil {
		t.Fatal("the answer was not lost")
	}
	r.Double.ClearFaults()
	c.Spec.ForProvider.FunctionName = nil // The Function that it referred to is gone.
	configuredtest.Delete(c)
	r.want(c, "what was set is set back", configuredtest.Deleted, configuredtest.Gone)
}

func TestSteadyLooksAreOneCallEach(t *testing.T) {
	r := newRig(t)
	c := newConfig()
	r.want(c, "it is set", configuredtest.Created, configuredtest.Settled)
	r.Double.ResetCalls()
	const looks = 3
	for range looks {
		r.want(c, "nothing is left to do", configuredtest.Settled)
	}
	if n := r.Double.Count(""); n != looks {
		t.Errorf("%d calls for %d looks", n, looks)
	}
}

// Whatever is wanted comes to be and stays, whatever was before.
func TestRandomSettingsConverge(t *testing.T) {
	r := newRig(t)
	all := []settings{on(auto, ""), on("FunctionUpdate", ""), on(manual, runtimeA), on(manual, runtimeB)}
	const pairs = 200
	for seed := range uint64(pairs) {
		g := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // Tests repeat.
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
			configuredtest.Settle(r.Rig, c, r.connect)
			r.want(c, "it stays", configuredtest.Settled)
			if c.Spec.InitProvider == nil {
				if diff := cmp.Diff(c.Spec.ForProvider.RuntimeManagementConfigSettings, r.there(qualifier)); diff != "" {
					t.Fatalf("seed %d: -spec +AWS:\n%s", seed, diff)
				}
			}
			c.Spec.ForProvider.RuntimeManagementConfigSettings = pick()
		}
		configuredtest.Delete(c)
		configuredtest.Settle(r.Rig, c, r.connect)
	}
}
