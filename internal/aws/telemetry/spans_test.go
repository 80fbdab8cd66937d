package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

const (
	secret = "correct-horse-battery-staple"
	code   = "print('the code is secret too')"
)

// env is a client of the double whose calls are traced.
type env struct {
	*tracingtest.Recorder

	t *testing.T

	double  *awsdouble.Server
	lambda  *lambda.Client
	headers []http.Header
}

func newEnv(t *testing.T, limiter *quota.Limiter) *env {
	t.Helper()
	e := &env{t: t, Recorder: tracingtest.New(t), double: awsdouble.New(awsdouble.Options{StrictCredentials: true})}
	e.double.AddUser(awsdouble.User{
		ARN: "arn:aws:iam::123456789012:user/ci", AccessKeyID: "AKIAONE",
		SecretAccessKey: "hunter2",
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.headers = append(e.headers, r.Header.Clone())
		e.double.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	cfg := aws.Config{
		Region:       "eu-central-1",
		BaseEndpoint: &s.URL,
		Credentials:  aws.CredentialsProviderFunc(keys),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxAttempts = 2
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		err := errors.Join(stack.Initialize.Add(Call(e.Tracer), middleware.After),
			stack.Finalize.Insert(Attempt(e.Tracer), "Retry", middleware.After))
		if limiter == nil {
			return err
		}
		return errors.Join(err,
			stack.Finalize.Insert(limiter.PreferAnswer(), "Retry", middleware.Before),
			stack.Finalize.Add(limiter.Middleware(quota.Scope{Account: "123456789012", Region: "eu-central-1"}),
				middleware.After),
		)
	})
	e.lambda = lambda.NewFromConfig(cfg)
	return e
}

func (e *env) get() {
	e.t.Helper()
	// What it answers is what the span tells.
	_, _ = e.lambda.GetFunction(e.t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("f")})
}

func (e *env) create() {
	e.t.Helper()
	_, err := e.lambda.CreateFunction(e.t.Context(), &lambda.CreateFunctionInput{
		FunctionName: aws.String("f"), Role: aws.String(
			"arn:aws:iam::123456789012:role/r"), Runtime: types.RuntimePython313, Handler: aws.String("index.handler"),
		Code:        &types.FunctionCode{ZipFile: zipped(e.t, code)},
		Environment: &types.Environment{Variables: map[string]string{"PASSWORD": secret}},
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

func TestSpans(t *testing.T) {
	const is = " cloud.region=eu-central-1"
	cases := map[string]struct {
		reason string
		do     func(*env)
		want   string
	}{
		"Success": {
			reason: "The span has what the conventions of AWS SDKs name.",
			do:     (*env).create,
			want: "Lambda.CreateFunction aws.request_id=..." + is + " http.response.status_code=201 " +
				"rpc.method=CreateFunction rpc.service=Lambda rpc.system=aws-api\n",
		},
		"Absent": {
			reason: "A NotFound is no error, because a function is read before it is created.",
			do:     (*env).get,
			want: "Lambda.GetFunction aws.request_id=..." + is + " error.type=ResourceNotFoundException " +
				"http.response.status_code=404 rpc.method=GetFunction rpc.service=Lambda rpc.system=aws-api\n",
		},
		"Throttled": {
			reason: "AWS's refusal is an event and an error.",
			do: func(e *env) {
				e.double.Fail(awsdouble.Fault{Error: awsdouble.Throttle(), Times: -1})
				e.get()
			},
			want: "Lambda.GetFunction aws.request_id=..." + is + " error.type=TooManyRequestsException " +
				"http.request.resend_count=1 http.response.status_code=429 rpc.method=GetFunction rpc.service=Lambda " +
				"rpc.system=aws-api !TooManyRequestsException: Rate exceeded\n" +
				"  * call throttled crossplane.wait=...\n" +
				"  * call retried error.type=TooManyRequestsException\n" +
				"  * call throttled crossplane.wait=...\n",
		},
		"Retried": {
			reason: "A retry is an event of the span, and its status is that of the last response.",
			do: func(e *env) {
				e.create()
				e.Reset()
				e.double.Fail(awsdouble.Fault{Error: awsdouble.ServiceFailure()})
				e.get()
			},
			want: "Lambda.GetFunction aws.request_id=..." + is + " http.request.resend_count=1 " +
				"http.response.status_code=200 rpc.method=GetFunction rpc.service=Lambda rpc.system=aws-api\n" +
				"  * call retried error.type=ServiceException\n",
		},
		"Denied": {
			reason: "The status has the message of the condition.",
			do: func(e *env) {
				e.double.Fail(awsdouble.Fault{Error: awsdouble.AccessDenied("lambda:GetFunction")})
				e.get()
			},
			want: "Lambda.GetFunction aws.request_id=..." + is + " error.type=AccessDeniedException " +
				"http.response.status_code=403 rpc.method=GetFunction rpc.service=Lambda rpc.system=aws-api" +
				" !AccessDeniedException: arn:aws:iam::123456789012:user/double may not lambda:GetFunction on " +
				"arn:aws:lambda:eu-central-1:123456789012:function:f:" +
				" allow it in a policy of the identity\n",
		},
		"Dropped": {
			reason: "Without an answer there is no status and no request id.",
			do: func(e *env) {
				e.double.Fail(awsdouble.Fault{Drop: awsdouble.DropBefore, Times: -1})
				e.get()
			},
			want: "Lambda.GetFunction" + is + " error.type=_OTHER http.request.resend_count=1 rpc.method=GetFunction " +
				"rpc.service=Lambda rpc.system=aws-api !127.0.0.1 closed the connection before it answered\n" +
				"  * call retried error.type=_OTHER\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, nil)
			tc.do(e)
			if diff := cmp.Diff(tc.want, strings.Join(e.Traces(), "")); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDeferred checks that a call that is not sent is a span without a response and without an error.
func TestDeferred(t *testing.T) {
	rates := map[quota.Bucket]quota.Rate{quota.GetFunction: {PerSecond: 0.001, Burst: 1}}
	e := newEnv(t, quota.New(time.Now, rates))
	e.get()
	e.Reset()
	e.get()
	want := "Lambda.GetFunction cloud.region=eu-central-1 rpc.method=GetFunction rpc.service=Lambda " +
		"rpc.system=aws-api\n  * call deferred crossplane.wait=...\n"
	if diff := cmp.Diff(want, strings.Join(e.Traces(), "")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestNothingIsAddedToRequests uses the double's check of signatures: it would reject a header that
// is added after signing.
func TestNothingIsAddedToRequests(t *testing.T) {
	e := newEnv(t, nil)
	e.create()
	for _, h := range e.headers {
		for name := range h {
			if n := strings.ToLower(name); strings.HasPrefix(n, "trace") || strings.Contains(n, "b3") ||
				strings.Contains(n, "baggage") {
				t.Errorf("header %s is sent", name)
			}
		}
	}
}

func TestNoSecrets(t *testing.T) {
	e := newEnv(t, nil)
	e.create()
	e.get()
	e.double.Fail(awsdouble.Fault{Operation: "UpdateFunctionConfiguration", Error: awsdouble.Error{
		Status: http.StatusBadRequest, Code: "ValidationException",
		Message: "1 validation error detected: Value '" + secret + "' at 'environment.variables' failed to satisfy " +
			"constraint: Member must not be null",
	}})
	if _, err := e.lambda.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{
		FunctionName: aws.String("f"), Environment: &types.Environment{
			Variables: map[string]string{"PASSWORD": secret},
		},
	}); err == nil {
		t.Fatal("the update must fail")
	}
	all := e.Everything()
	if !strings.Contains(all, "ValidationException") {
		t.Errorf("the failure must be told: %s", all)
	}
	for _, s := range []string{secret, "PASSWORD", code, "hunter2", "AKIAONE", "Signature"} {
		if strings.Contains(all, s) {
			t.Errorf("spans hold %q", s)
		}
	}
}

// TestWithoutTracer checks that no middleware is added without a tracer.
func TestWithoutTracer(t *testing.T) {
	if Call(nil) != nil || Attempt(nil) != nil {
		t.Error("a step is added that nobody asked for")
	}
}

// TestErrorType distinguishes the reasons why there was no response.
func TestErrorType(t *testing.T) {
	cases := map[string]error{
		"TooManyRequestsException": &smithy.GenericAPIError{Code: "TooManyRequestsException"},
		"canceled":                 fmt.Errorf("request: %w", context.Canceled),
		"timeout":                  fmt.Errorf("request: %w", context.DeadlineExceeded),
		"_OTHER":                   io.ErrUnexpectedEOF,
	}
	for want, err := range cases {
		if got := errorType(err).Value.AsString(); got != want {
			t.Errorf("%v: want %s, got %s", err, want, got)
		}
	}
}
