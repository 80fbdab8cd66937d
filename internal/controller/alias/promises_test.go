package alias

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// The tests of this file are of sentences of docs/rollouts.md and docs/rollout-*.md. docs/design/rollout-tests.md names
// them.

// invocations records what is sent to Invoke.
func (r *rolloutEnv) invocations() *[]lambda.InvokeInput {
	var sent []lambda.InvokeInput
	r.OnCall = func(in any) {
		if i, ok := in.(*lambda.InvokeInput); ok {
			sent = append(sent, *i)
		}
	}
	return &sent
}

// TestRolloutOfAnInactiveVersion checks that an Inactive version is invoked by its number with the event of the first
// smoke test, or {}, and for its tenant, before it receives any invocation of the alias.
func TestRolloutOfAnInactiveVersion(t *testing.T) {
	ping := v1beta1.RolloutSmokeTest{Name: "ping", Invoke: v1beta1.RolloutInvoke{Payload: ptr.To(`{"ping": true}`)}}
	tenant := *ping.DeepCopy()
	tenant.Invoke.TenantID = ptr.To("blue")
	for name, tc := range map[string]struct {
		tests   []v1beta1.RolloutSmokeTest
		payload string
		tenant  string
	}{
		"Event":  {tests: []v1beta1.RolloutSmokeTest{ping}, payload: `{"ping": true}`},
		"Tenant": {tests: []v1beta1.RolloutSmokeTest{tenant}, payload: `{"ping": true}`, tenant: "blue"},
		"Empty":  {payload: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := canary()
			spec.PreTraffic = tc.tests
			r := newRollout(t, spec)
			sent := r.invocations()
			r.Double.SetVersionInactive("f", "2")
			r.desire("2")
			r.until("woken", func() bool { return len(*sent) > 0 })
			if got := (*sent)[0]; *got.Qualifier != "2" || string(got.Payload) != tc.payload ||
				ptr.Deref(got.TenantId, "") != tc.tenant {
				t.Errorf("invoked %s with %s for tenant %q", *got.Qualifier, got.Payload, ptr.Deref(got.TenantId, ""))
			}
			if got := r.route(); got != "1" {
				t.Errorf("the alias has moved to %s", got)
			}
			if tc.tenant != "" {
				return // The function of the double has no tenants, and refuses it.
			}
			r.ends(v1beta1.RolloutReady)
			if got := len(*sent); got != 1+len(tc.tests) {
				t.Errorf("%d invocations: each smoke test is made after that", got)
			}
		})
	}
}

// TestWokenAfterAnUpdate checks that an Inactive version is invoked after another change of the alias that was due in
// the same reconcile.
func TestWokenAfterAnUpdate(t *testing.T) {
	for reconciles := range 4 {
		r := newRollout(t, canary())
		sent := r.invocations()
		r.Double.SetVersionInactive("f", "2")
		r.desire("2")
		for range reconciles {
			r.Must(r.step())
		}
		r.alias.Spec.ForProvider.Description = ptr.To("other")
		r.alias.Generation++
		for range 12 {
			r.Must(r.step())
		}
		if len(*sent) == 0 {
			t.Errorf(
				"changed after %d reconciles: the version was not invoked in a minute: %s",
				reconciles,
				r.state().Message,
			)
		}
	}
}

// TestRolloutThatMayNotInvoke checks that the message names the permission if an Inactive version can't be invoked,
// that nothing moves, and that the rollout begins once it can.
func TestRolloutThatMayNotInvoke(t *testing.T) {
	spec := canary()
	spec.PreTraffic = nil
	r := newRollout(t, spec)
	r.Double.SetVersionInactive("f", "2")
	r.Double.Fail(
		awsdouble.Fault{Operation: opInvoke, Times: -1, Error: awsdouble.AccessDenied("lambda:InvokeFunction")},
	)
	r.desire("2")
	var err error
	for range 200 {
		if e := r.step(); e != nil {
			err = e
		}
	}
	if err == nil || !strings.Contains(err.Error(), "cannot invoke version 2, which is Inactive") ||
		!strings.Contains(err.Error(), "lambda:InvokeFunction") {
		t.Errorf("error %v", err)
	}
	r.wantRoutes("nothing moves", "1")
	if s := r.state(); s.Step != v1beta1.RolloutValidating || len(s.FailedTargets) > 0 {
		t.Errorf("state %+v", s)
	}
	r.Double.ClearFaults()
	r.ends(v1beta1.RolloutReady)
}

// TestSmokeTestThatAWSRefuses checks that an invocation that AWS does not accept is repeated twice, and is no evidence
// against the version.
func TestSmokeTestThatAWSRefuses(t *testing.T) {
	r := newRollout(t, canary())
	r.Double.Fail(
		awsdouble.Fault{
			Operation: opInvoke,
			Times:     -1,
			Error:     awsdouble.Error{Status: http.StatusBadGateway, Code: "EC2UnexpectedException", Message: "no"},
		},
	)
	before := len(r.Operations())
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	invoked := 0
	for _, op := range r.Operations()[before:] {
		if op == opInvoke {
			invoked++
		}
	}
	if s := r.state(); invoked != 3 || s.Reason != v1beta1.RolloutReasonSmokeTestError || len(s.FailedTargets) > 0 {
		t.Errorf("%d invocations, state %+v", invoked, s)
	}
	if c := r.alias.GetCondition(
		xpv2.TypeReady,
	); !strings.Contains(
		c.Message,
		"version 2 was not rolled out (SmokeTestError)",
	) {
		t.Errorf("Ready is %+v", c)
	}
	r.Double.ClearFaults()
	r.command(v1beta1.AnnotationRolloutRetry, "x")
	r.until(
		"ready",
		func() bool { return r.state().Phase == v1beta1.RolloutReady && r.state().Stable.FunctionVersion == "2" },
	)
}

// TestSmokeTestThatIsNotSent checks that an invocation for which there are no credentials in time is no evidence
// against the version.
func TestSmokeTestThatIsNotSent(t *testing.T) {
	r := newRollout(t, canary())
	r.alias.Spec.Rollout.PreTraffic[0].Invoke.TimeoutSeconds = ptr.To[int32](1)
	credentials := r.Lambda.Options().Credentials
	r.Lambda = lambda.New(r.Lambda.Options(), func(o *lambda.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
			if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 2*time.Second { // That of a smoke test.
				<-ctx.Done()
				return aws.Credentials{}, ctx.Err()
			}
			return credentials.Retrieve(ctx)
		})
	})
	before := len(r.Operations())
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	if slices.Contains(r.Operations()[before:], opInvoke) {
		t.Error("version 2 was invoked")
	}
	if s := r.state(); s.Reason != v1beta1.RolloutReasonSmokeTestError || len(s.FailedTargets) > 0 {
		t.Errorf("state %+v", s)
	}
}

// TestSmokeTestWithoutConcurrency checks that a function without concurrency, which AWS answers as it throttles, ends
// the rollout before its deadline, and that Ready says why.
func TestSmokeTestWithoutConcurrency(t *testing.T) {
	r := newRollout(t, canary())
	_, err := r.Lambda.PutFunctionConcurrency(t.Context(), &lambda.PutFunctionConcurrencyInput{
		FunctionName: ptr.To("f"), ReservedConcurrentExecutions: ptr.To[int32](0),
	})
	r.Must(err)
	start := r.Now()
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	if s := r.state(); s.Reason != v1beta1.RolloutReasonSmokeTestError || len(s.FailedTargets) > 0 ||
		r.Now().Sub(start) > 2*time.Minute {
		t.Errorf("after %s, state %+v", r.Now().Sub(start), s)
	}
	if c := r.alias.GetCondition(
		xpv2.TypeReady,
	); !strings.Contains(
		c.Message,
		"reservedConcurrentExecutions are 0 or in use",
	) {
		t.Errorf("Ready is %+v", c)
	}
}

// TestRollbackWhileAWSMovesTheAlias checks that a rollback is sent while AWS still moves the alias with its provisioned
// concurrency to the target, and that it clears the weight of the old version.
func TestRollbackWhileAWSMovesTheAlias(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("sent", func() bool { return r.route() == "2" })
	r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) {
		a.RoutingConfig = &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{"1": 1}}
	})
	r.health = unhealthy
	start := r.Now()
	r.until("back", func() bool { return r.route() == "1" })
	if took := r.Now().Sub(start); took > time.Minute {
		t.Errorf("the rollback was sent after %s", took)
	}
	r.ends(v1beta1.RolloutFailed)
}

// TestRollbackThatAWSNeverEnds checks that a rollback ends although AWS cannot allocate provisioned concurrency for the
// stable version, so that the target would keep all invocations.
func TestRollbackThatAWSNeverEnds(t *testing.T) {
	r := newRollout(t, canary())
	_, err := r.Lambda.PutProvisionedConcurrencyConfig(t.Context(), &lambda.PutProvisionedConcurrencyConfigInput{
		FunctionName: ptr.To("f"), Qualifier: ptr.To("live"), ProvisionedConcurrentExecutions: ptr.To[int32](1),
	})
	r.Must(err)
	r.desire("2")
	r.until("baking", func() bool { return r.state().Step == v1beta1.RolloutBaking })
	r.Double.FailProvisioning("f", "FUNCTION_ERROR_INIT_FAILURE")
	r.health = unhealthy
	r.until("sent", func() bool { return r.route() == "1+2:1" })
	start := r.Now()
	r.ends(v1beta1.RolloutFailed)
	if took := r.Now().Sub(start); r.route() != "1" || took > 12*time.Minute {
		t.Errorf("the alias is %s after %s", r.route(), took)
	}
}

// TestEventOfARecreatedFunction checks that an event says that a rollout begins from another version, because AWS does
// not have the stable one any more.
func TestEventOfARecreatedFunction(t *testing.T) {
	r := newRollout(t, canary())
	var messages []string
	_, err := r.Lambda.DeleteAlias(
		t.Context(),
		&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")},
	)
	r.Must(err)
	_, err = r.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To("1")},
	)
	r.Must(err)
	r.desire("3")
	r.Advance(time.Minute)
	for range 20 {
		_, _ = r.Do(r.alias)
		for _, e := range r.Done.Events {
			if e.Reason == v1beta1.EventRolloutRestarted {
				messages = append(messages, e.Message)
			}
		}
		r.Advance(30 * time.Second)
	}
	want := []string{
		"the alias and its stable version 1 do not exist in AWS any more: the alias is created again with version 3",
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
	if got := r.route(); got != "3" {
		t.Errorf("route %s", got)
	}
}
