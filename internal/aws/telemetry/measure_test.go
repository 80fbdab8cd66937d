package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

// samples returns the values of a Recorder that are more than 0: counters, and counts and sums of
// histograms, by name and label values.
func samples(t *testing.T, r *Recorder) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(r); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			parts := []string{strings.TrimPrefix(f.GetName(), "provider_lambda_")}
			for _, l := range m.GetLabel() {
				parts = append(parts, l.GetValue())
			}
			name := strings.Join(parts, " ")
			if h := m.GetHistogram(); h != nil {
				got[name+" sum"] = h.GetSampleSum()
				continue
			}
			if v := m.GetCounter().GetValue(); v > 0 {
				got[name] = v
			}
		}
	}
	return got
}

// clock advances by a second each time it is read.
type clock struct{ at time.Time }

func (c *clock) now() time.Time {
	c.at = c.at.Add(time.Second)
	return c.at
}

func config(url string, attempts int) aws.Config {
	return aws.Config{
		Region:       "eu-central-1",
		BaseEndpoint: &url,
		Credentials:  credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxAttempts = attempts
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}
}

func TestRequestsByResult(t *testing.T) {
	cases := map[string]struct {
		reason string
		status int
		code   string
		want   string
	}{
		"OK": {reason: "A successful call.", status: 200, want: OK},
		"NotFound": {
			reason: "A function that is yet to be created.", status: 404, code: "ResourceNotFoundException",
			want: NotFound,
		},
		"Throttled": {reason: "Too many calls.", status: 429, code: "TooManyRequestsException", want: Throttled},
		"Denied":    {reason: "The role lacks a right.", status: 403, code: "AccessDeniedException", want: Denied},
		"Expired": {
			reason: "The credentials are no longer good.", status: 403, code: "ExpiredTokenException",
			want: Denied,
		},
		"Rejected": {reason: "A field is wrong.", status: 400, code: "InvalidParameterValueException", want: Rejected},
		"Failed":   {reason: "A server error of AWS.", status: 500, code: "ServiceException", want: Failed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Amzn-Errortype", tc.code)
				w.WriteHeader(tc.status)
				_, _ = fmt.Fprint(w, `{"Message":"m"}`)
			}))
			defer s.Close()
			r := New((&clock{}).now)
			cfg := config(s.URL, 1)
			addTo(&cfg, r)
			_, _ = lambda.NewFromConfig(cfg).GetFunction(t.Context(),
				&lambda.GetFunctionInput{FunctionName: aws.String("f")})
			want := map[string]float64{
				"aws_requests_total GetFunction " + tc.want + " Lambda": 1,
				"aws_request_duration_seconds GetFunction Lambda sum":   1,
			}
			if diff := cmp.Diff(want, samples(t, r)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEachRetryIsARequest(t *testing.T) {
	answers := []int{500, 500, 200}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[0])
		answers = answers[1:]
		_, _ = fmt.Fprint(w, `{}`)
	}))
	defer s.Close()
	r := New((&clock{}).now)
	cfg := config(s.URL, 3)
	addTo(&cfg, r)
	if _, err := lambda.NewFromConfig(cfg).GetFunction(t.Context(),
		&lambda.GetFunctionInput{FunctionName: aws.String("f")}); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"aws_requests_total GetFunction failed Lambda":        2,
		"aws_requests_total GetFunction ok Lambda":            1,
		"aws_request_duration_seconds GetFunction Lambda sum": 3,
	}
	if diff := cmp.Diff(want, samples(t, r)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestWithoutAnAnswer(t *testing.T) {
	r := New((&clock{}).now)
	cfg := config(nowhere(t), 1)
	addTo(&cfg, r)
	if _, err := lambda.NewFromConfig(cfg).ListTags(t.Context(),
		&lambda.ListTagsInput{Resource: aws.String("arn")}); err == nil {
		t.Fatal("want an error")
	}
	if got := samples(t, r)["aws_requests_total ListTags unanswered Lambda"]; got != 1 {
		t.Errorf("want 1 unanswered request, got %v", samples(t, r))
	}
}

func TestUnsentCallsAreNotCounted(t *testing.T) {
	errAborted := errors.New("held")
	r := New((&clock{}).now)
	cfg := config("http://127.0.0.1:1", 1)
	addTo(&cfg, r)
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("Hold",
			func(context.Context, middleware.FinalizeInput, middleware.FinalizeHandler) (middleware.FinalizeOutput,
				middleware.Metadata, error,
			) {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, errAborted
			}), middleware.After)
	})
	if _, err := lambda.NewFromConfig(cfg).ListTags(t.Context(),
		&lambda.ListTagsInput{Resource: aws.String("arn")}); !errors.Is(err, errAborted) {
		t.Fatalf("want the call held, got %v", err)
	}
	if got := samples(t, r); len(got) != 0 {
		t.Errorf("a call that the quota holds up is no request, got %v", got)
	}
}

func TestCredentials(t *testing.T) {
	r := New((&clock{}).now)
	var fail error
	p := r.Credentials("AssumeRole", aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIA"}, fail
	}))
	for _, fail = range []error{nil, nil, errors.New("boom")} {
		if c, err := p.Retrieve(t.Context()); !errors.Is(err, fail) || c.AccessKeyID != "AKIA" {
			t.Errorf("want what the provider returns, got %v, %v", c, err)
		}
	}
	want := map[string]float64{
		"credential_refreshes_total ok AssumeRole":     2,
		"credential_refreshes_total failed AssumeRole": 1,
	}
	if diff := cmp.Diff(want, samples(t, r)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestNothingIsCountedWithoutARecorder(t *testing.T) {
	var none *Recorder
	p := &credentials.StaticCredentialsProvider{}
	if got := none.Credentials("AssumeRole", p); none.Middleware() != nil || got != aws.CredentialsProvider(p) {
		t.Errorf("want nothing added, got %v, %v", none.Middleware(), got)
	}
}

// addTo adds the middleware to the clients of a config.
func addTo(cfg *aws.Config, r *Recorder) {
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(r.Middleware(), middleware.Before)
	})
}
