package breaker

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/test/pipe"
)

// TestMiddleware calls an endpoint with the SDK, and checks what counts.
func TestMiddleware(t *testing.T) {
	// The deadline passes before the response.
	hang := func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	name := "orders"
	get := func(ctx context.Context, cfg aws.Config) error {
		_, err := lambda.NewFromConfig(cfg).GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: &name})
		return err
	}
	cases := map[string]struct {
		reason string
		answer http.HandlerFunc
		call   func(context.Context, aws.Config) error
		cancel bool
		gone   bool
		want   int
		served bool
	}{
		"Hangs": {reason: "No answer in time.", answer: hang, call: get, want: 1},
		"Gone":  {reason: "The connection is refused.", answer: hang, gone: true, call: get, want: 1},
		"HalfGone": {reason: "The body never ends.", answer: func(w http.ResponseWriter, q *http.Request) {
			_, _ = w.Write([]byte(`{"Configuration":`))
			w.(http.Flusher).Flush()
			<-q.Context().Done()
		}, call: get, want: 1},
		"OK":        {reason: "An answer.", answer: answer(200, `{}`), call: get, served: true},
		"NotFound":  {reason: "An answer.", answer: answer(404, `{"Type":"User"}`), call: get, served: true},
		"Failed":    {reason: "An answer.", answer: answer(500, `{}`), call: get},
		"Throttled": {reason: "An answer.", answer: answer(429, `{}`), call: get, served: true},
		"Page":      {reason: "An answer, of whoever.", answer: answer(200, `<html>`), call: get},
		"Ends":      {reason: "The provider ends.", answer: hang, cancel: true, call: get},
		"Invoke": {
			reason: "A function takes its time.", answer: hang,
			call: func(ctx context.Context, cfg aws.Config) error {
				_, err := lambda.NewFromConfig(cfg).Invoke(ctx, &lambda.InvokeInput{FunctionName: &name})
				return err
			},
		},
		"S3": {reason: "Another service.", answer: hang, call: func(ctx context.Context, cfg aws.Config) error {
			_, err := s3.NewFromConfig(cfg).ListBuckets(ctx, &s3.ListBucketsInput{})
			return err
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // A deadline passes only once all wait for it.
				l := pipe.Listen()
				server := &http.Server{Handler: tc.answer} //nolint:gosec // Its clients are here.
				go func() { _ = server.Serve(l) }()
				t.Cleanup(func() { _ = server.Close() })
				if tc.gone {
					_ = l.Close()
				}
				cfg := aws.Config{
					Region: here.Region, BaseEndpoint: aws.String("http://aws.test"),
					Credentials: credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
					HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
						t.DialContext, t.DisableKeepAlives = l.Dial, true
					}),
					Retryer: func() aws.Retryer {
						return retry.NewStandard(func(o *retry.StandardOptions) {
							o.MaxAttempts = 2
							o.Backoff = retry.BackoffDelayerFunc(
								func(int, error) (time.Duration, error) { return 0, nil },
							)
						})
					},
				}
				e := newEnv()
				e.addTo(&cfg)
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				if tc.cancel {
					cancel()
				}
				err := tc.call(ctx, cfg)
				got := 0
				if c := e.config(here.Config).circuits[here.Region]; c != nil {
					got = c.failures
				}
				if got != tc.want {
					t.Errorf("%s\n%d calls without an answer, want %d: %v", tc.reason, got, tc.want, err)
				}
				if served := e.Reachable(here); served != tc.served {
					t.Errorf("%s\nReachable: want %t, got %t: %v", tc.reason, tc.served, served, err)
				}
			})
		})
	}
}

// TestMiddlewareCloses has an endpoint that answers again.
func TestMiddlewareCloses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_,
			_ = rw.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	cfg := aws.Config{
		Region: here.Region, BaseEndpoint: &server.URL,
		Credentials: credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
	}
	e := newEnv()
	e.addTo(&cfg)
	e.fail(most)
	if _, err := lambda.NewFromConfig(cfg).ListFunctions(t.Context(), &lambda.ListFunctionsInput{}); err != nil ||
		e.IsOpen(here) || e.config(here.Config).circuits[here.Region] != nil {
		t.Errorf("an answer closes the breaker: %v, %+v", err, e.configs)
	}
}

// addTo adds the middleware to the clients of a config.
func (e *env) addTo(cfg *aws.Config) {
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(e.Middleware(here), middleware.After)
	})
}
