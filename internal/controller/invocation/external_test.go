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

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// script returns the answers to reading a function and to invoking it.
func script(
	get func(*lambda.GetFunctionConfigurationInput) (*lambda.GetFunctionConfigurationOutput, error),
	invoke func(*lambda.InvokeInput) (*lambda.InvokeOutput, error),
) testenv.Script {
	return testenv.Script{"GetFunctionConfiguration": testenv.Scripted(get), "Invoke": testenv.Scripted(invoke)}
}

func active(*lambda.GetFunctionConfigurationInput) (*lambda.GetFunctionConfigurationOutput, error) {
	return &lambda.GetFunctionConfigurationOutput{State: types.StateActive, Timeout: ptr.To[int32](3)}, nil
}

func TestPendingFunctionIsWaitedFor(t *testing.T) {
	e := &external{
		now: func() time.Time { return testenv.Start },
		api: testenv.NewScripted(
			t,
			script(func(in *lambda.GetFunctionConfigurationInput) (*lambda.GetFunctionConfigurationOutput, error) {
				if *in.FunctionName != "f" || *in.Qualifier != "live" {
					t.Errorf("what is to be invoked must be looked at, got %s, %s", *in.FunctionName, *in.Qualifier)
				}
				return &lambda.GetFunctionConfigurationOutput{State: types.StatePending}, nil
			}, nil),
		).Lambda,
	}
	i := newInvocation()
	i.Spec.ForProvider.Qualifier = ptr.To("live")
	done := engine.Observe(t.Context(), reconcile.Observer[*v1beta1.Invocation](e), reconcile.Facts{}, i)
	if done.Err != nil || done.Call != nil || done.Ready.Reason != xpv2.ReasonCreating ||
		done.Ready.Message != "function f is being created" {
		t.Errorf("want Ready to say what is awaited, got %+v, %v", done.Ready, done.Err)
	}
}

func TestAllIsSent(t *testing.T) {
	var sent *lambda.InvokeInput
	e := &external{
		now: func() time.Time { return testenv.Start },
		api: testenv.NewScripted(t, script(active, func(in *lambda.InvokeInput) (*lambda.InvokeOutput, error) {
			sent = in
			return &lambda.InvokeOutput{StatusCode: 200, DurableExecutionArn: ptr.To("arn:d")}, nil
		})).Lambda,
	}
	i := newInvocation()
	p := &i.Spec.ForProvider
	p.Qualifier, p.ClientContext, p.TenantID, p.DurableExecutionName = ptr.To(
		"live",
	), ptr.To(
		"e30=",
	), ptr.To(
		"blue",
	), ptr.To(
		"x",
	)
	p.InvocationType, p.LogType = ptr.To("RequestResponse"), ptr.To("Tail")
	done := engine.Once(t.Context(), reconcile.Observer[*v1beta1.Invocation](e), reconcile.Facts{}, i, nil)
	if done.Err != nil || done.Later != nil || done.Called != reconcile.ToCreate {
		t.Fatalf("%+v", done)
	}
	if *sent.FunctionName != "f" || *sent.Qualifier != "live" || *sent.ClientContext != "e30=" ||
		*sent.TenantId != "blue" ||
		*sent.DurableExecutionName != "x" ||
		sent.InvocationType != types.InvocationTypeRequestResponse ||
		sent.LogType != types.LogTypeTail ||
		string(sent.Payload) != `{"a":1}` {
		t.Errorf("each field must be sent, got %+v", sent)
	}
	if got := i.Status.AtProvider; *got.DurableExecutionArn != "arn:d" || *got.Qualifier != "live" {
		t.Errorf("the execution must be told, got %+v", got)
	}
}

// A writer records what is written as the record. It fails if the context has ended, and after a number of writes.
type writer struct {
	most    int
	written []string
}

func (w *writer) Annotate(ctx context.Context, obj client.Object, a map[string]string) error {
	if ctx.Err() != nil || len(w.written) == w.most {
		return errors.New("cannot write")
	}
	w.written = append(w.written, a[v1beta1.AnnotationLastInvocation])
	meta.AddAnnotations(obj, a)
	return nil
}

func (w *writer) AnnotateIfUnchanged(ctx context.Context, obj client.Object, a map[string]string) error {
	return w.Annotate(ctx, obj, a)
}

// TestOutcomeIsWritten checks that the outcome is recorded even if the reconcile's context ended with the call, and is
// in status even if it could not be recorded. What a creation records is written with its pending and its end.
func TestOutcomeIsWritten(t *testing.T) {
	cases := map[string]struct {
		creates bool
		most    int
		err     string
	}{
		"Created":    {creates: true, most: 2},
		"Updated":    {most: 2},
		"Unwritable": {most: 1, err: "cannot record the outcome of the invocation"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			w := &writer{most: tc.most}
			e := &external{
				now: func() time.Time { return testenv.Start },
				api: testenv.NewScripted(t, script(active, func(*lambda.InvokeInput) (*lambda.InvokeOutput, error) {
					if len(w.written) != 1 {
						t.Errorf("the intent must be written before the call, got %q", w.written)
					}
					cancel()
					return &lambda.InvokeOutput{StatusCode: 200}, nil
				})).Lambda,
			}
			i, verb := newInvocation(), reconcile.ToCreate
			if !tc.creates {
				before := record{
					Of:       "shop/seed",
					Input:    "other",
					Action:   actionCreate,
					Outcome:  succeeded,
					Attempts: 1,
					Serial:   1,
				}
				i.SetAnnotations(before.annotation())
				verb = reconcile.ToUpdate
			}
			done := engine.Once(ctx, reconcile.Observer[*v1beta1.Invocation](e), reconcile.Facts{}, i, w)
			if done.Called != verb || !testenv.ErrorMatches(done.Err, tc.err) {
				t.Errorf("want %q and error %q, got %q, %v", verb, tc.err, done.Called, done.Err)
			}
			if len(w.written) != tc.most || !strings.Contains(w.written[0], `"outcome":"Unknown"`) ||
				(tc.err == "" && !strings.Contains(w.written[1], `"outcome":"Succeeded"`)) {
				t.Errorf("the intent must be written before the call and the outcome after it, got %q", w.written)
			}
			if got := *i.Status.AtProvider.Outcome; got != succeeded {
				t.Errorf("status must tell what is known, got %s", got)
			}
			i.SetAnnotations(map[string]string{v1beta1.AnnotationLastInvocation: w.written[len(w.written)-1]})
			done = engine.Observe(t.Context(), reconcile.Observer[*v1beta1.Invocation](e), reconcile.Facts{}, i)
			ready := i.GetCondition(xpv2.TypeReady)
			if done.Err != nil || !done.Exists || done.Call != nil || ready.Status != corev1.ConditionTrue {
				t.Errorf("what is known must not be forgotten, got %+v, %+v", done, ready)
			}
		})
	}
}
