package functioneventinvokeconfig

import (
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env is a test environment with a function.
type env struct {
	*testenv.Env[*v1beta1.FunctionEventInvokeConfig]
}

func newEnv(t testing.TB) env {
	t.Helper()
	return env{
		functionconfigtest.New(t, 0, func(w *testenv.AWS) reconcile.Observer[*v1beta1.FunctionEventInvokeConfig] {
			return newExternal(w.Lambda, testenv.Fields{"q": queueARN})
		}),
	}
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	c := newConfig(toQueue("q"), func(c *v1beta1.FunctionEventInvokeConfig) {
		c.Spec.ForProvider.Qualifier = ptr.To(functionconfigtest.Alias)
		c.Spec.ForProvider.MaximumEventAgeInSeconds = ptr.To[int32](60)
	})
	e.Want(c, "a create and a look", testenv.Created, testenv.Converged)
	if at := c.Status.AtProvider; meta.GetExternalName(c) != "cart:live" ||
		*at.FunctionArn != functionconfigtest.FunctionARN+":live" ||
		*at.OnFailureDestination != queueARN {
		t.Errorf("named %q, %+v", meta.GetExternalName(c), at)
	}

	c.Spec.ForProvider.MaximumEventAgeInSeconds, c.Spec.ForProvider.DestinationConfig = nil, nil
	e.Want(c, "one call carries all", testenv.Updated, testenv.Converged)
	if at := c.Status.AtProvider; at.MaximumEventAgeInSeconds != nil || at.OnFailureDestination != nil ||
		*at.MaximumRetryAttempts != 1 {
		t.Errorf("got %+v, want that what left spec left AWS", at)
	}

	if _, err := e.Lambda.UpdateFunctionEventInvokeConfig(t.Context(), &lambda.UpdateFunctionEventInvokeConfigInput{
		FunctionName: ptr.To(
			functionconfigtest.Function,
		),
		Qualifier:                ptr.To(functionconfigtest.Alias),
		MaximumEventAgeInSeconds: ptr.To[int32](300),
		DestinationConfig:        &types.DestinationConfig{OnSuccess: &types.OnSuccess{Destination: ptr.To(topicARN)}},
	}); err != nil {
		t.Fatal(err)
	}
	e.Advance(1)
	e.Want(c, "a change by hand is put right", testenv.Updated, testenv.Converged)

	e.Remove(c)
	e.Want(c, "it goes", testenv.Deleted, testenv.Gone)
}

func TestLostAnswer(t *testing.T) {
	e := newEnv(t)
	// The SDK tries four times, and gets no response.
	c := newConfig()
	e.Lose(c, opPut)
	if got := e.Outcomes(c); len(got) != 1 || meta.GetExternalName(c) != "cart:$LATEST" {
		t.Errorf("%v, named %q, want that it is found again", got, meta.GetExternalName(c))
	}
}

// generator generates random settings that AWS accepts.
type generator struct{ *rand.Rand }

func (g generator) settings() v1beta1.FunctionEventInvokeConfigSettings {
	s := v1beta1.FunctionEventInvokeConfigSettings{
		MaximumEventAgeInSeconds: testenv.Some[int32](g.Rand, 60, 300, 21600),
		MaximumRetryAttempts:     testenv.Some[int32](g.Rand, 0, 1, 2),
	}
	if g.IntN(2) == 0 {
		s.DestinationConfig = &v1beta1.EventDestinationConfig{}
		if g.IntN(2) == 0 {
			s.DestinationConfig.OnFailure = &v1beta1.EventDestination{
				DestinationFrom: &v1beta1.FieldSelector{Name: "q"},
			}
		}
		if d := testenv.Some(g.Rand, queueARN, topicARN); d != nil {
			s.DestinationConfig.OnSuccess = &v1beta1.EventDestination{Destination: d}
		}
	}
	return s
}

// TestRandomSettingsConverge checks that random settings are reached from random former
// ones and stay.
func TestRandomSettingsConverge(t *testing.T) {
	e := newEnv(t)
	const pairs = 300
	for seed := range uint64(pairs) {
		g := generator{rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // Tests are reproducible.
		// Neither AWS nor the API accepts a configuration without any setting.
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
		if got := e.Outcomes(c); len(got) != 2 {
			t.Fatalf("seed %d: %v to create %+v", seed, got, c.Spec)
		}
		created := c.DeepCopy()
		c.Spec.ForProvider.FunctionEventInvokeConfigSettings = filled()
		if got := e.Outcomes(c); len(got) > 2 {
			t.Fatalf("seed %d: %v\nfrom %+v\nto   %+v", seed, got, created.Spec, c.Spec)
		}
		e.check(seed, c)
		e.Remove(c)
		e.Outcomes(c)
	}
}

// check checks that AWS has what spec says, by the observed status.
func (e env) check(seed uint64, c *v1beta1.FunctionEventInvokeConfig) {
	e.Helper()
	if c.Spec.InitProvider != nil {
		return
	}
	p, err := refs.Resolve(
		e.Context(),
		testenv.Fields{"q": queueARN},
		c.Namespace,
		"spec.forProvider",
		c.Spec.ForProvider,
	)
	if err != nil {
		e.Fatal(err)
	}
	at := c.Status.AtProvider
	got := settings{
		MaximumEventAgeInSeconds: at.MaximumEventAgeInSeconds,
		MaximumRetryAttempts:     at.MaximumRetryAttempts,
		DestinationConfig: destinations{
			OnFailure: destination{at.OnFailureDestination},
			OnSuccess: destination{at.OnSuccessDestination},
		},
	}
	if diff := cmp.Diff(fromSpec(p.FunctionEventInvokeConfigSettings), got); diff != "" {
		e.Fatalf("seed %d: -spec +AWS:\n%s", seed, diff)
	}
}
