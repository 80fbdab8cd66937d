package quota

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// lambdaClient returns a client of the SDK whose calls a handler answers.
func lambdaClient(t *testing.T, l *Limiter, h http.HandlerFunc) *lambda.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	cfg := aws.Config{
		Region:       here.Region,
		BaseEndpoint: &server.URL,
		Credentials:  credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxAttempts = 3
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return errors.Join(
			stack.Finalize.Insert(l.PreferAnswer(), "Retry", middleware.Before),
			stack.Finalize.Add(l.Middleware(here), middleware.After),
		)
	})
	return lambda.NewFromConfig(cfg)
}

func TestMiddlewareUsesReservations(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	calls := 0
	c := lambdaClient(t, l, func(rw http.ResponseWriter, _ *http.Request) {
		calls++
		_, _ = rw.Write([]byte(`{}`))
	})
	ctx := WithCaller(t.Context(), user("a"))
	name := "orders"
	list := func(ctx context.Context) error {
		_, err := c.ListAliases(ctx, &lambda.ListAliasesInput{FunctionName: &name})
		return err
	}

	if wait := l.Reserve(here, user("a"), "ListAliases", "ListTags"); wait != 0 {
		t.Fatalf("Reserve: %v", wait)
	}
	err := list(WithCaller(t.Context(), user("b")))
	if wait, ok := Deferred(err); !ok || !near(wait, time.Second) || calls != 0 {
		t.Errorf("b has no reservation: got %v (%v), %d calls sent", err, wait, calls)
	}
	if after, ok := awserr.RetryAfter(err); !awserr.IsTransient(err) || awserr.IsTerminal(err) || !ok ||
		!near(after, time.Second) {
		t.Errorf("a call that was deferred passes: %v", err)
	}
	if err := list(t.Context()); err == nil {
		t.Errorf("a stranger got a's reservation")
	}
	if err := errors.Join(list(ctx), list(ctx)); err != nil || calls != 2 {
		t.Errorf("a has two reservations: got %v, %d calls sent", err, calls)
	}
	if err := list(ctx); err == nil {
		t.Errorf("a has no third reservation")
	}
	if _, err := c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: &name}); err != nil {
		t.Errorf("GetFunction has a quota of its own: %v", err)
	}
	e.now = e.now.Add(2 * time.Second)
	if err := list(WithCaller(t.Context(), user("b"))); err != nil {
		t.Errorf("b came back in time: %v", err)
	}
	if sent, deferred := counted(t, l, "sent"), counted(t, l, "deferred"); sent != 3 || deferred != 3 {
		t.Errorf("%d calls sent and %d deferred, want 3 and 3", sent, deferred)
	}
}

func TestMiddlewareCountsAttempts(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	calls := 0
	c := lambdaClient(t, l, func(rw http.ResponseWriter, _ *http.Request) {
		calls++
		rw.WriteHeader(http.StatusInternalServerError)
	})
	name := "orders"
	_, err := c.ListAliases(WithCaller(t.Context(), user("a")), &lambda.ListAliasesInput{FunctionName: &name})
	if calls != 2 || counted(t, l, "deferred") != 1 {
		t.Errorf("the third attempt has no token: got %v after %d calls", err, calls)
	}
	if _, ok := Deferred(err); ok || awserr.StatusCode(err) != http.StatusInternalServerError {
		t.Errorf("AWS has answered the call, so it was not deferred: want AWS's error, got %v", err)
	}
}

func TestMiddlewareRecordsThrottles(t *testing.T) {
	e := newEnv(1)
	l := New(e.clock, nil)
	c := lambdaClient(t, l, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-Amzn-Errortype", "TooManyRequestsException")
		rw.Header().Set("Retry-After", "2")
		rw.WriteHeader(http.StatusTooManyRequests)
		_, _ = rw.Write([]byte(`{"Reason":"CallerRateLimitExceeded","Type":"User","message":"Rate exceeded"}`))
	})
	name := "orders"
	list := func() error {
		_, err := c.ListAliases(t.Context(), &lambda.ListAliasesInput{FunctionName: &name})
		return err
	}
	if err := list(); !awserr.IsThrottled(err) {
		t.Errorf("want AWS's error, got %v", err)
	}
	err := list()
	if wait, ok := Deferred(err); !ok || !near(wait, 2*time.Second) {
		t.Errorf("the bucket is closed after a throttle: got %v, %v", err, wait)
	}
	if s := l.Stats()[ControlPlane]; counted(t, l, "throttled") != 1 || s.Paused != 2*time.Second {
		t.Errorf("Stats: %+v", s)
	}
}

// TestSnapshotLimit checks that others' calls go on if AWS makes no snapshot now: its limit is not one of requests.
func TestSnapshotLimit(t *testing.T) {
	for name, body := range map[string]string{
		"Reason": `{"Reason":"ConcurrentSnapshotCreateLimitExceeded","Type":"User","message":"Rate exceeded"}`,
		"Message": `{"Reason":"CallerRateLimitExceeded","Type":"User","message":"Lambda was unable to create new ` +
			`snapshot because you have reached your concurrent snapshot creation limit"}`,
	} {
		t.Run(name, func(t *testing.T) {
			l := New(newEnv(1).clock, nil)
			c := lambdaClient(t, l, func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("X-Amzn-Errortype", "TooManyRequestsException")
				rw.WriteHeader(http.StatusTooManyRequests)
				_, _ = rw.Write([]byte(body))
			})
			_, err := c.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: new("orders")})
			if s := l.Stats()[ControlPlane]; !awserr.IsThrottled(err) || s.Paused != 0 || counted(t, l, "throttled") != 0 {
				t.Errorf("the bucket is slowed down after %v: %+v", err, s)
			}
		})
	}
}

func TestCallerFrom(t *testing.T) {
	if _, ok := callerFrom(t.Context()); ok {
		t.Error("an empty context has no caller")
	}
	if h, ok := callerFrom(WithCaller(t.Context(), user("a"))); !ok || h != user("a") {
		t.Errorf("got %v, %v", h, ok)
	}
}
