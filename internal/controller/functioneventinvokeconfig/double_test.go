package functioneventinvokeconfig

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

func (r rig) connect() xpmanaged.TypedExternalClient[*v1beta1.FunctionEventInvokeConfig] {
	return newExternal(r.AWS, r.Cache, fakeFields{"q": queueARN})
}

// settle reconciles until nothing is left to do.
func (r rig) settle(c *v1beta1.FunctionEventInvokeConfig) []configuredtest.Outcome {
	r.Helper()
	return configuredtest.Settle(r.Rig, c, r.connect)
}

func TestLife(t *testing.T) {
	r := newRig(t)
	c := newConfig(toQueue("q"), func(c *v1beta1.FunctionEventInvokeConfig) {
		c.Spec.ForProvider.Qualifier = ptr.To(configuredtest.Alias)
		c.Spec.ForProvider.MaximumEventAgeInSeconds = ptr.To[int32](60)
	})
	if diff := cmp.Diff([]configuredtest.Outcome{configuredtest.Created, configuredtest.Settled}, r.settle(c)); diff != "" {
		t.Errorf("a create and a look, -want +got:\n%s", diff)
	}
	if at := c.Status.AtProvider; meta.GetExternalName(c) != "cart:live" || *at.FunctionArn != configuredtest.FunctionARN+":live" || *at.OnFailureDestination != queueARN {
		t.Errorf("named %q, %+v", meta.GetExternalName(c), at)
	}

	c.Spec.ForProvider.MaximumEventAgeInSeconds, c.Spec.ForProvider.DestinationConfig = nil, nil
	if diff := cmp.Diff([]configuredtest.Outcome{configuredtest.Updated, configuredtest.Settled}, r.settle(c)); diff != "" {
		t.Errorf("one call carries all, -want +got:\n%s", diff)
	}
	if at := c.Status.AtProvider; at.MaximumEventAgeInSeconds != nil || at.OnFailureDestination != nil || *at.MaximumRetryAttempts != 1 {
		t.Errorf("got %+v, want that what left spec left AWS", at)
	}

	if _, err := r.AWS.UpdateFunctionEventInvokeConfig(t.Context(), &lambda.UpdateFunctionEventInvokeConfigInput{
		FunctionName: ptr.To(configuredtest.Function), Qualifier: ptr.To(configuredtest.Alias), MaximumEventAgeInSeconds: ptr.To[int32](300),
		DestinationConfig: &types.DestinationConfig{OnSuccess: &types.OnSuccess{Destination: ptr.To(topicARN)}},
	}); err != nil {
		t.Fatal(err)
	}
	r.Pass(1)
	if diff := cmp.Diff([]configuredtest.Outcome{configuredtest.Updated, configuredtest.Settled}, r.settle(c)); diff != "" {
		t.Errorf("a change by hand is put right, -want +got:\n%s", diff)
	}

	configuredtest.Delete(c)
	if diff := cmp.Diff([]configuredtest.Outcome{configuredtest.Deleted, configuredtest.Gone}, r.settle(c)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLostAnswer(t *testing.T) {
	r := newRig(t)
	// The SDK tries four times in all, and no answer comes to any.
	r.Double.Fail(awsdouble.Fault{Operation: callPut, Drop: awsdouble.DropAfter, Times: 4})
	c := newConfig()
	if _, err := configuredtest.Step(r.Rig, c, r.connect()); err == nil {
		t.Fatal("the answer was not lost")
	}
	r.Double.ClearFaults()
	if got := r.settle(c); len(got) != 1 || meta.GetExternalName(c) != "cart:$LATEST" {
		t.Errorf("%v, named %q, want that it is found again", got, meta.GetExternalName(c))
	}
}

func TestConfigurationsOfAFunctionShareACall(t *testing.T) {
	r := newRig(t)
	all := []*v1beta1.FunctionEventInvokeConfig{newConfig()}
	for _, q := range []string{"1", "2", configuredtest.Alias} {
		all = append(all, newConfig(func(c *v1beta1.FunctionEventInvokeConfig) { c.Spec.ForProvider.Qualifier = ptr.To(q) }))
	}
	for _, c := range all {
		r.settle(c)
	}
	r.Pass(1)
	r.Double.ResetCalls()
	for _, c := range all {
		if o, err := configuredtest.Step(r.Rig, c, r.connect()); o != configuredtest.Settled || err != nil {
			t.Fatal(o, err)
		}
	}
	if n := r.Double.Count(""); n != 1 {
		t.Errorf("%d calls for four looks at the same moment, want one", n)
	}
}

// generator makes random settings that AWS accepts.
type generator struct{ *rand.Rand }

func some[T any](g generator, of ...T) *T {
	if g.IntN(2) == 0 {
		return nil
	}
	return &of[g.IntN(len(of))]
}

func (g generator) settings() v1beta1.FunctionEventInvokeConfigSettings {
	s := v1beta1.FunctionEventInvokeConfigSettings{
		MaximumEventAgeInSeconds: some[int32](g, 60, 300, 21600),
		MaximumRetryAttempts:     some[int32](g, 0, 1, 2),
	}
	if g.IntN(2) == 0 {
		s.DestinationConfig = &v1beta1.EventDestinationConfig{}
		if g.IntN(2) == 0 {
			s.DestinationConfig.OnFailure = &v1beta1.OnFailureDestination{DestinationFrom: &v1beta1.FieldSelector{Name: "q"}}
		}
		if d := some(g, queueARN, topicARN); d != nil {
			s.DestinationConfig.OnSuccess = &v1beta1.OnSuccessDestination{Destination: d}
		}
	}
	return s
}

// Whatever is wanted comes to be and stays, whatever was before.
func TestRandomSettingsConverge(t *testing.T) {
	r := newRig(t)
	const pairs = 300
	for seed := range uint64(pairs) {
		g := generator{rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // Tests repeat.
		// AWS takes no configuration without a setting, and neither does the API.
		filled := func() v1beta1.FunctionEventInvokeConfigSettings {
			s := g.settings()
			if s.MaximumRetryAttempts == nil {
				s.MaximumRetryAttempts = ptr.To[int32](2)
			}
			return s
		}
		c := newConfig(func(c *v1beta1.FunctionEventInvokeConfig) {
			c.Spec.ForProvider.FunctionEventInvokeConfigSettings = filled()
			if g.IntN(3) == 0 {
				c.Spec.InitProvider = ptr.To(g.settings())
			}
		})
		if got := r.settle(c); len(got) != 2 {
			t.Fatalf("seed %d: %v to create %+v", seed, got, c.Spec)
		}
		created := c.DeepCopy()
		c.Spec.ForProvider.FunctionEventInvokeConfigSettings = filled()
		if got := r.settle(c); len(got) > 2 {
			t.Fatalf("seed %d: %v\nfrom %+v\nto   %+v", seed, got, created.Spec, c.Spec)
		}
		r.check(seed, c)
		configuredtest.Delete(c)
		r.settle(c)
	}
}

// check that AWS has what spec says, by the status that shows what AWS has.
func (r rig) check(seed uint64, c *v1beta1.FunctionEventInvokeConfig) {
	r.Helper()
	if c.Spec.InitProvider != nil {
		return
	}
	want, err := fromSpec(c.Spec.ForProvider.FunctionEventInvokeConfigSettings, func(string, v1beta1.FieldSelector) (string, error) { return queueARN, nil })
	if err != nil {
		r.Fatal(err)
	}
	at := c.Status.AtProvider
	got := settings{
		MaximumEventAgeInSeconds: at.MaximumEventAgeInSeconds, MaximumRetryAttempts: at.MaximumRetryAttempts,
		DestinationConfig: destinations{OnFailure: destination{at.OnFailureDestination}, OnSuccess: destination{at.OnSuccessDestination}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Fatalf("seed %d: -spec +AWS:\n%s", seed, diff)
	}
}
