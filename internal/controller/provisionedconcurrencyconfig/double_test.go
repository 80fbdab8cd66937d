package provisionedconcurrencyconfig

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// takes is the time that the double needs to provide concurrency.
const takes = time.Minute

// env is a test environment with a function.
type env struct {
	*testenv.Env[*v1beta1.ProvisionedConcurrencyConfig]
}

func newEnv(t testing.TB) env {
	t.Helper()
	return env{
		functionconfigtest.New(
			t,
			takes,
			func(w *testenv.AWS) reconcile.Observer[*v1beta1.ProvisionedConcurrencyConfig] {
				return newExternal(w.Lambda)
			},
		),
	}
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Want(c, "a create, and AWS is at it", testenv.Created, testenv.Waits)
	if at := c.Status.AtProvider; *at.Status != "IN_PROGRESS" || *at.RequestedProvisionedConcurrentExecutions != 5 ||
		*at.AllocatedProvisionedConcurrentExecutions != 0 ||
		meta.GetExternalName(c) != "cart:live" {
		t.Errorf("got %+v", at)
	}
	e.Advance(takes)
	e.Want(c, "AWS says that it is ready", testenv.Converged)
	if at := c.Status.AtProvider; *at.Status != "READY" || *at.AvailableProvisionedConcurrentExecutions != 5 {
		t.Errorf("got %+v", at)
	}

	c.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](9)
	e.Want(c, "one call, and AWS is at it", testenv.Updated, testenv.Waits)
	if ready := c.GetCondition(xpv2.TypeReady); ready.Reason != "Updating" || ready.Message != "IN_PROGRESS" {
		t.Errorf("Ready is %s %q", ready.Reason, ready.Message)
	}
	e.Advance(takes)
	e.Want(c, "AWS says that it is ready", testenv.Converged)

	if _, err := e.Lambda.PutProvisionedConcurrencyConfig(t.Context(), &lambda.PutProvisionedConcurrencyConfigInput{
		FunctionName: ptr.To(
			functionconfigtest.Function,
		),
		Qualifier:                       ptr.To(functionconfigtest.Alias),
		ProvisionedConcurrentExecutions: ptr.To[int32](1),
	}); err != nil {
		t.Fatal(err)
	}
	e.Advance(takes)
	e.Want(c, "a change by hand is put right", testenv.Updated, testenv.Waits)

	e.Remove(c)
	e.Want(c, "it goes while AWS is at it", testenv.Deleted, testenv.Gone)
}

func TestFailureIsShownAndTriedAgain(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Double.FailProvisioning(functionconfigtest.Function, "FUNCTION_ERROR_INIT_FAILURE")
	e.Want(c, "a create", testenv.Created, testenv.Waits)
	e.Advance(takes)
	e.Want(c, "it failed", testenv.Waits)
	if ready := c.GetCondition(
		xpv2.TypeReady,
	); ready.Reason != xpv2.ReasonUnavailable ||
		ready.Message != "FAILED: FUNCTION_ERROR_INIT_FAILURE" {
		t.Errorf("Ready is %s %q", ready.Reason, ready.Message)
	}
	if ptr.Deref(c.Status.AtProvider.StatusReason, "") != "FUNCTION_ERROR_INIT_FAILURE" {
		t.Errorf("got %+v", c.Status.AtProvider)
	}
	e.Advance(retryAfter - takes)
	e.Want(c, "it is tried again", testenv.Updated, testenv.Waits)
	e.Advance(takes)
	e.Want(c, "and is ready", testenv.Converged)
}

func TestAMoveOfTheAliasIsAwaitedAndNoDrift(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Outcomes(c)
	e.Advance(takes)
	e.Want(c, "AWS has provided it", testenv.Converged)
	if _, err := e.Lambda.UpdateAlias(
		t.Context(),
		&lambda.UpdateAliasInput{
			FunctionName:    ptr.To(functionconfigtest.Function),
			Name:            ptr.To(functionconfigtest.Alias),
			FunctionVersion: ptr.To("2"),
		},
	); err != nil {
		t.Fatal(err)
	}
	e.Advance(1)
	e.Want(c, "AWS provides for the new version", testenv.Waits)
	if ready := c.GetCondition(xpv2.TypeReady); ready.Reason != "Updating" {
		t.Errorf("Ready is %s %q", ready.Reason, ready.Message)
	}
	e.Advance(takes)
	e.Want(c, "and has", testenv.Converged)
	if n := e.Double.Count(opPut); n != 1 {
		t.Errorf("it was asked for %d times, want once", n)
	}
}

func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1beta1.ProvisionedConcurrencyConfig)
		want   string
	}{
		"TooMany": {"The account has so many.", func(c *v1beta1.ProvisionedConcurrencyConfig) {
			c.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](2000)
		}, "greater than account's unreserved concurrency [1000]"},
		"NoAlias": {
			"The alias must be there.",
			func(c *v1beta1.ProvisionedConcurrencyConfig) { c.Spec.ForProvider.Qualifier = ptr.To("gone") },
			"Cannot find alias arn",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			_, err := e.Do(newConfig(tc.edit))
			if err == nil || !strings.Contains(err.Error(), tc.want) ||
				!strings.Contains(err.Error(), "cannot set the provisioned concurrency") {
				t.Errorf("%s\ngot %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestOverlapOfVersionAndAliasIsReported(t *testing.T) {
	e := newEnv(t)
	e.Outcomes(newConfig(func(c *v1beta1.ProvisionedConcurrencyConfig) { c.Spec.ForProvider.Qualifier = ptr.To("1") }))
	_, err := e.Do(newConfig())
	if err == nil || !strings.Contains(err.Error(), "already Provisioned version") {
		t.Errorf("got %v, want why the alias of version 1 cannot have it too", err)
	}
}

func TestLostAnswer(t *testing.T) {
	e := newEnv(t)
	c := newConfig()
	e.Lose(c, opPut)
	e.Want(c, "it is found again", testenv.Waits)
	if meta.GetExternalName(c) != "cart:live" {
		t.Errorf("named %q", meta.GetExternalName(c))
	}
}

// TestRandomNumbersConverge checks that random settings are reached from random former
// ones and stay.
func TestRandomNumbersConverge(t *testing.T) {
	e := newEnv(t)
	const pairs = 200
	for seed := range uint64(pairs) {
		g := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // Tests are reproducible.
		number := func() *int32 { return ptr.To(1 + g.Int32N(20)) }
		c := newConfig(func(c *v1beta1.ProvisionedConcurrencyConfig) {
			p := &c.Spec.ForProvider
			p.Qualifier, p.ProvisionedConcurrentExecutions = ptr.To(
				[]string{functionconfigtest.Alias, "2"}[g.IntN(2)],
			), number()
			if g.IntN(3) == 0 {
				c.Spec.InitProvider, p.ProvisionedConcurrentExecutions = &settings{
					ProvisionedConcurrentExecutions: p.ProvisionedConcurrentExecutions,
				}, nil
			}
		})
		for range 2 {
			e.Outcomes(c)
			e.Advance(takes)
			e.Want(c, "AWS has provided it", testenv.Converged)
			asked := c.Status.AtProvider.AvailableProvisionedConcurrentExecutions
			if want := c.Spec.ForProvider.ProvisionedConcurrentExecutions; want != nil && *want != *asked {
				t.Fatalf("seed %d: %d wanted, %d there", seed, *want, *asked)
			}
			c.Spec.ForProvider.ProvisionedConcurrentExecutions = number()
		}
		e.Remove(c)
		e.Outcomes(c)
	}
}

// TestRepeatedRequest checks that a request is known to be under way if the SDK has repeated it after its answer was
// lost: AWS rejects the second one while the first is in progress.
func TestRepeatedRequest(t *testing.T) {
	e := newEnv(t)
	drop := func() { e.Double.Fail(awsdouble.Fault{Operation: opPut, Drop: awsdouble.DropAfter, Times: 1}) }
	c := newConfig()
	drop()
	if got := e.Outcomes(c); meta.GetExternalName(c) != "cart:live" {
		t.Errorf("%v, named %q, want that it is found again", got, meta.GetExternalName(c))
	}
	e.Advance(takes)
	e.Want(c, "AWS has provided it", testenv.Converged)

	c.Spec.ForProvider.ProvisionedConcurrentExecutions = ptr.To[int32](9)
	drop()
	if _, err := e.Do(c); err != nil {
		t.Errorf("got %v, want that AWS is at it", err)
	}
	e.Advance(takes)
	e.Want(c, "AWS has provided what it was asked for once", testenv.Converged)
}

func TestRepeatedRequestOfADeletedResource(t *testing.T) {
	e := newEnv(t)
	e.Double.Fail(awsdouble.Fault{Operation: opPut, Drop: awsdouble.DropAfter, Times: 1})
	c := newConfig()
	if _, err := e.Do(c); err != nil {
		t.Fatal(err)
	}
	c.Spec.ForProvider.FunctionName = nil // The Function that it referred to no longer exists.
	e.Remove(c)
	e.Want(c, "nothing stays behind", testenv.Deleted, testenv.Gone)
}
