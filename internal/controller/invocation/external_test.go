package invocation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// script returns the answers to reading a function and to invoking it.
func script(get func(*lambda.GetFunctionConfigurationInput) (*lambda.GetFunctionConfigurationOutput, error), invoke func(*lambda.InvokeInput) (*lambda.InvokeOutput, error)) testenv.Script {
	return testenv.Script{"GetFunctionConfiguration": testenv.Scripted(get), "Invoke": testenv.Scripted(invoke)}
}

func active(*lambda.GetFunctionConfigurationInput) (*lambda.GetFunctionConfigurationOutput, error) {
	return &lambda.GetFunctionConfigurationOutput{State: types.StateActive, Timeout: ptr.To[int32](3)}, nil
}

func TestPendingFunctionIsWaitedFor(t *testing.T) {
	attempt := &reconcile.Attempt{}
	e := &external{now: func() time.Time { return testenv.Start }, api: testenv.NewScripted(t, script(func(in *lambda.GetFunctionConfigurationInput) (*lambda.GetFunctionConfigurationOutput, error) {
		if *in.FunctionName != "f" || *in.Qualifier != "live" {
			t.Errorf("what is to be invoked must be looked at, got %s, %s", *in.FunctionName, *in.Qualifier)
		}
		return &lambda.GetFunctionConfigurationOutput{State: types.StatePending}, nil
	}, nil)).Lambda}
	i := newInvocation()
	i.Spec.ForProvider.Qualifier = ptr.To("live")
	if _, err := e.Observe(reconcile.WithAttempt(t.Context(), attempt), i); err != nil {
		t.Fatal(err)
	}
	if after, aborted := attempt.Aborted(); !aborted || after != busyWait {
		t.Errorf("want to come back in %s, got %s, %t", busyWait, after, aborted)
	}
}

func TestAllIsSent(t *testing.T) {
	var sent *lambda.InvokeInput
	e := &external{now: func() time.Time { return testenv.Start }, api: testenv.NewScripted(t, script(active, func(in *lambda.InvokeInput) (*lambda.InvokeOutput, error) {
		sent = in
		return &lambda.InvokeOutput{StatusCode: 200, DurableExecutionArn: ptr.To("arn:d")}, nil
	})).Lambda}
	i := newInvocation()
	p := &i.Spec.ForProvider
	p.Qualifier, p.ClientContext, p.TenantID, p.DurableExecutionName = ptr.To("live"), ptr.To("e30="), ptr.To("blue"), ptr.To("x")
	p.InvocationType, p.LogType = ptr.To("RequestResponse"), ptr.To("Tail")
	ctx := reconcile.WithAttempt(t.Context(), &reconcile.Attempt{})
	if _, err := e.Observe(ctx, i); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Create(ctx, i); err != nil {
		t.Fatal(err)
	}
	if *sent.FunctionName != "f" || *sent.Qualifier != "live" || *sent.ClientContext != "e30=" || *sent.TenantId != "blue" || *sent.DurableExecutionName != "x" ||
		sent.InvocationType != types.InvocationTypeRequestResponse || sent.LogType != types.LogTypeTail || string(sent.Payload) != `{"a":1}` {
		t.Errorf("each field must be sent, got %+v", sent)
	}
	if got := i.Status.AtProvider; *got.DurableExecutionArn != "arn:d" || *got.Qualifier != "live" {
		t.Errorf("the execution must be told, got %+v", got)
	}
}

// TestOutcomeIsWritten checks that the outcome is recorded even if the reconcile's context
// ended with the call, and is in status even if it could not be recorded. The runtime writes
// what Create records.
func TestOutcomeIsWritten(t *testing.T) {
	cases := map[string]struct {
		creates, unwritable bool
		writes              int
	}{
		"Created":    {creates: true, writes: 1},
		"Updated":    {writes: 2},
		"Unwritable": {unwritable: true, writes: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var written []string
			attempt := &reconcile.Attempt{AnnotateFn: func(ctx context.Context, _ client.Object, a map[string]string) error {
				if ctx.Err() != nil || (tc.unwritable && len(written) > 0) {
					return errors.New("cannot write")
				}
				for _, v := range a {
					written = append(written, v)
				}
				return nil
			}}
			e := &external{now: func() time.Time { return testenv.Start }, api: testenv.NewScripted(t, script(active, func(*lambda.InvokeInput) (*lambda.InvokeOutput, error) {
				cancel()
				return &lambda.InvokeOutput{StatusCode: 200}, nil
			})).Lambda}
			i := newInvocation()
			ctx = reconcile.WithAttempt(ctx, attempt)
			if _, err := e.Observe(ctx, i); err != nil {
				t.Fatal(err)
			}
			var err error
			if tc.creates {
				_, err = e.Create(ctx, i)
				written = append(written, i.GetAnnotations()["lambda.aws.m.crossplane.io/last-invocation"])
				tc.writes++
			} else {
				_, err = e.Update(ctx, i)
			}
			if (err != nil) != tc.unwritable {
				t.Errorf("got %v", err)
			}
			if len(written) != tc.writes || !strings.Contains(written[0], `"outcome":"Unknown"`) || (!tc.unwritable && !strings.Contains(written[1], `"outcome":"Succeeded"`)) {
				t.Errorf("the intent must be written before the call and the outcome after it, got %q", written)
			}
			if got := *i.Status.AtProvider.Outcome; got != succeeded {
				t.Errorf("status must tell what is known, got %s", got)
			}
			i.SetAnnotations(map[string]string{"lambda.aws.m.crossplane.io/last-invocation": written[len(written)-1]})
			o, err := e.Observe(t.Context(), i)
			if err != nil || !o.ResourceUpToDate || i.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
				t.Errorf("what is known must not be forgotten, got %+v, %v, %+v", o, err, i.GetCondition(xpv2.TypeReady))
			}
		})
	}
}
