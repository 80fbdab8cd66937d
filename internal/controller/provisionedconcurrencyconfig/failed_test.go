package provisionedconcurrencyconfig

import (
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/functionconfigtest"
)

// TestFailureIsNoDifference checks that a failure that may not be tried again is not reported as a difference.
func TestFailureIsNoDifference(t *testing.T) {
	for name, policies := range map[string]xpv2.ManagementPolicies{
		"ObserveOnly": {xpv2.ManagementActionObserve},
		"NoUpdate":    {xpv2.ManagementActionObserve, xpv2.ManagementActionCreate},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Double.FailProvisioning(functionconfigtest.Function, "FUNCTION_ERROR_INIT_FAILURE")
			has("live", 5)(e)
			e.Advance(2 * retryAfter)
			c := newConfig(
				named,
				func(c *v1beta1.ProvisionedConcurrencyConfig) { c.Spec.ManagementPolicies = policies },
			)
			got := e.Observe(c)
			if got.Diff != "" || got.Ready != xpv2.ReasonUnavailable {
				t.Errorf("AWS has what spec asks for: %+v", got)
			}
		})
	}
}

// TestLastingFailure checks that Ready says why AWS fails, however often it does, and that it is tried ever less often.
func TestLastingFailure(t *testing.T) {
	const failure = "FAILED: FUNCTION_ERROR_INIT_FAILURE"
	e := newEnv(t)
	c := newConfig()
	for began := e.Now(); e.Now().Sub(began) < 4*time.Hour; e.Advance(takes) {
		e.Double.FailProvisioning(functionconfigtest.Function, "FUNCTION_ERROR_INIT_FAILURE")
		if _, err := e.Step(c); err != nil {
			t.Fatal(err)
		}
		if ready := c.GetCondition(xpv2.TypeReady); ready.Reason == xpv2.ReasonUnavailable && ready.Message != failure {
			t.Fatalf("after %v, Ready is %s %q, want %q", e.Now().Sub(began), ready.Reason, ready.Message, failure)
		}
	}
	if n := e.Double.Count(opPut); n < 8 || n > 12 {
		t.Errorf("it was requested %d times in 4 hours", n)
	}
}
