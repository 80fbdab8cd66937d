package session

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// hostile returns a session whose Lambda and S3 are a handler of the test.
func hostile(t *testing.T, silence time.Duration, h http.HandlerFunc) *Session {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	e := newEnv(t, Options{Silence: silence}, namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.Endpoint = static(server.URL)
		s.SkipRequestingAccountID, s.SkipCredentialsValidation = true, true
	}), secret(ns, "aws", map[string]string{"creds": ini}))
	return e.resolve(t, function("ProviderConfig", "default"))
}

func getFunction(t *testing.T, s *Session) error {
	t.Helper()
	_, err := Client(s, lambda.NewFromConfig).GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: new("x")})
	return err
}

// TestHugeList has an endpoint with a list of which each page is longer than AWS's.
func TestHugeList(t *testing.T) {
	var calls atomic.Int64
	item := `{"StateTransitionReason":"` + strings.Repeat("x", 8*mib-1<<10) + `"}`
	s := hostile(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"NextMarker":"%d","EventSourceMappings":[%s]}`, calls.Add(1), item)
	})
	pages := lambda.NewListEventSourceMappingsPaginator(
		Client(s, lambda.NewFromConfig),
		&lambda.ListEventSourceMappingsInput{},
	)
	var last error
	for _, err := range lambdaapi.Each(t.Context(), "event source mappings", pages) {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "longer than 64 MiB") || calls.Load() != 9 {
		t.Errorf("%d pages are read: %v", calls.Load(), last)
	}
}

// TestHugeAnswer has an endpoint that sends without end.
func TestHugeAnswer(t *testing.T) {
	chunk := []byte(strings.Repeat(`{"Arn":"arn:aws:lambda:eu-west-1:1:layer:`+strings.Repeat("x", 200)+`:1"},`, 1000))
	cases := map[string]struct {
		reason string
		status int
		packed bool
		call   func(*Session) error
		most   int64
	}{
		"Answer": {"An answer.", 200, false, func(s *Session) error { return getFunction(t, s) }, mib},
		"Error":  {"An error.", 400, false, func(s *Session) error { return getFunction(t, s) }, mib},
		"Packed": {
			"What is small until it is unpacked.", 200, true,
			func(s *Session) error { return getFunction(t, s) }, mib,
		},
		"Page": {"A page of a list.", 200, false, func(s *Session) error {
			_, err := Client(s, lambda.NewFromConfig).ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
			return err
		}, 4 * mib},
		"Invoke": {"What a function returns.", 200, false, func(s *Session) error {
			_, err := Client(s, lambda.NewFromConfig).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: new("x")})
			return err
		}, 16 * mib},
		"ErrorOfObject": {
			"An error of S3, which the SDK keeps in memory, unlike an object.",
			400,
			false,
			func(s *Session) error {
				_, err := Client(
					s,
					s3.NewFromConfig,
				).GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("x"), Key: new("y")})
				return err
			},
			mib,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var sent, calls atomic.Int64
			s := hostile(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.Header().Set("Content-Type", "application/json")
				var out io.Writer = w
				if tc.packed {
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					defer func() { _ = z.Close() }()
					out = z
				}
				w.WriteHeader(tc.status)
				_, err := io.WriteString(out, `{"Configuration":{"Layers":[`)
				for ; err == nil && sent.Load() < 1<<30; sent.Add(int64(len(chunk))) {
					_, err = out.Write(chunk)
				}
			})
			err := tc.call(s)
			if _, ok := errors.AsType[*awserr.EndpointError](err); !ok {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
			if want := fmt.Sprintf("answered with more than %d MB", tc.most/mib); err != nil &&
				!strings.Contains(awserr.Sanitize(err).Error(), want) {
				t.Errorf("%s\ngot %v, want %q", tc.reason, awserr.Sanitize(err), want)
			}
			// Buffers hold some MB; compressed, that is a hundred times as much.
			if n := sent.Load(); !tc.packed && n > tc.most+16*mib {
				t.Errorf("%s\n%d MB were taken in", tc.reason, n/mib)
			}
			if calls.Load() != 1 {
				t.Errorf("%s\nit was asked for %d times", tc.reason, calls.Load())
			}
		})
	}
}

// TestLargestAnswers has the largest responses of AWS.
func TestLargestAnswers(t *testing.T) {
	const payload = 6 << 20
	s := hostile(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/invocations") {
			w.Header().Set("X-Amz-Log-Result", strings.Repeat("x", 5500))
			_, _ = w.Write(bytes.Repeat([]byte("x"), payload))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		body := `{"Configuration":{"Description":"%s"}}`
		_, _ = fmt.Fprintf(w, body, strings.Repeat("x", mib-len(body)+2))
	})
	out, err := Client(s, lambda.NewFromConfig).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: new("x")})
	if err != nil || len(out.Payload) != payload {
		t.Errorf("a payload of 6 MB: %v", err)
	}
	if err := getFunction(t, s); err != nil {
		t.Errorf("an answer that is as long as it may be: %v", err)
	}
}

// TestLongHeader has an endpoint that sends a header without end.
func TestLongHeader(t *testing.T) {
	s := hostile(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 8<<10))
		}
	})
	if err := getFunction(t, s); err == nil {
		t.Error("want an error")
	}
}

// TestSilence has hosts that are silent at different moments. The bound is short: the test is only
// about whether they are given up.
func TestSilence(t *testing.T) {
	const short = 50 * time.Millisecond
	cases := map[string]struct {
		reason string
		answer http.HandlerFunc
	}{
		"Tarpit": {
			"One that takes calls and does not answer.",
			func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		"Half": {"One that stops in the middle.", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"Configuration":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
		"Refusal": {"One that stops in the middle of an error.", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			s := hostile(t, short, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				tc.answer(w, r)
			})
			err := getFunction(t, s)
			if err == nil || !strings.HasPrefix(awserr.Sanitize(err).Error(), "no answer from 127.0.0.1 in time") ||
				!awserr.IsTransient(err) {
				t.Errorf("%s\ngot %v", tc.reason, awserr.Sanitize(err))
			}
			if calls.Load() > 1 { // The server may have been too slow to count the call.
				t.Errorf("%s\nit was waited for %d times", tc.reason, calls.Load())
			}
		})
	}
}

// A tripper responds in place of the network.
type tripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// slowly reads with a pause before each byte.
type slowly struct {
	io.Reader

	pause time.Duration
}

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(s.pause) // The clock is that of the test.
	return s.Reader.Read(p[:1])
}

// calling returns the context of a call of an operation.
func calling(t *testing.T, service, operation string) context.Context {
	t.Helper()
	m := awsmiddleware.RegisterServiceMetadata{ServiceID: service, OperationName: operation}
	out, _, err := m.HandleInitialize(t.Context(), middleware.InitializeInput{}, middleware.InitializeHandlerFunc(
		func(c context.Context, _ middleware.InitializeInput) (middleware.InitializeOutput, middleware.Metadata,
			error,
		) {
			return middleware.InitializeOutput{Result: c}, middleware.Metadata{}, nil
		}))
	ctx, ok := out.Result.(context.Context)
	if err != nil || !ok {
		t.Fatalf("no context: %v", err)
	}
	return ctx
}

// TestSlowIsNotSilent has uploads and responses that take longer than the allowed silence, and
// responses that begin late.
func TestSlowIsNotSilent(t *testing.T) {
	cases := map[string]struct {
		reason               string
		operation            string
		upload, wait, answer time.Duration
		silent               bool
	}{
		"Usual": {"Most calls are answered at once.", "GetFunction", 0, silence - 1, 0, false},
		"Late":  {"What is not, is given up.", "GetFunction", 0, silence + 1, 0, true},
		"Upload": {
			"An upload and an answer take their time.", "CreateFunction", silence / 4, codeSilence - 1,
			silence / 7, false,
		},
		"UploadTrails": {
			"An upload that hardly makes progress is given up.", "CreateFunction", silence / 2, 0, 0,
			true,
		},
		"UploadStops": {"One that stops is given up.", "CreateFunction", silence + 1, 0, 0, true},
		"Code":        {"AWS may take a while to unpack code.", "UpdateFunctionCode", 0, codeSilence - 1, 0, false},
		"CodeLate":    {"It does not take longer.", "UpdateFunctionCode", 0, codeSilence + 1, 0, true},
		"Invoke":      {"A function may run for long.", "Invoke", 0, time.Hour, silence / 7, false},
		"InvokeStops": {"What it returns comes at once.", "Invoke", 0, time.Hour, silence + 1, true},
		"AnswerStops": {"An answer that stops is given up.", "GetFunction", 0, 0, silence + 1, true},
		"AnswerTrails": {
			"One that hardly makes progress holds a worker just as well.", "GetFunction", 0, 0,
			silence / 3, true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := boundedClient{transport: tripper(func(r *http.Request) (*http.Response, error) {
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						return nil, err
					}
					select {
					case <-r.Context().Done():
						return nil, r.Context().Err()
					case <-time.After(tc.wait):
					}
					body := untilDone{ctx: r.Context(), Reader: slowly{
						Reader: strings.NewReader("answer"),
						pause:  tc.answer,
					}}
					return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body)}, nil
				})}
				ctx := calling(t, "Lambda", tc.operation)
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://lambda.example.org", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Body = io.NopCloser(untilDone{ctx: r.Context(), Reader: slowly{
					Reader: strings.NewReader("zip"),
					pause:  tc.upload,
				}})
				r.ContentLength = 3
				res, err := c.Do(r)
				if err == nil {
					_, err = io.ReadAll(res.Body)
					_ = res.Body.Close()
				}
				if _, silent := errors.AsType[*awserr.SilentError](err); silent != tc.silent || !tc.silent &&
					err != nil {
					t.Errorf("%s\ngot %v", tc.reason, err)
				}
			})
		})
	}
}

// TestTrickle has hosts that send forever, slowly. It checks when they are given up.
func TestTrickle(t *testing.T) {
	cases := map[string]struct {
		reason             string
		service, operation string
		part               int
		want               time.Duration
	}{
		"Read": {
			reason: "A byte now and then is no answer.", service: "Lambda", operation: "GetFunction", part: 1,
			want: silence,
		},
		"List": {
			reason: "Nor is it one in a list.", service: "Lambda", operation: "ListFunctions", part: 1,
			want: silence,
		},
		"Code": {reason: "Nor is it code.", service: "S3", operation: "GetObject", part: 1, want: silence},
		"Faster": {
			reason:  "The more it sends, the longer it may take, up to the limit of the operation.",
			service: "Lambda", operation: "GetFunction", part: 5 << 10, want: silence + silence/10,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := boundedClient{transport: tripper(func(r *http.Request) (*http.Response, error) {
					body := untilDone{ctx: r.Context(), Reader: trickle{part: tc.part}}
					return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body)}, nil
				})}
				r, err := http.NewRequestWithContext(calling(t, tc.service, tc.operation), http.MethodGet,
					"http://lambda.example.org", nil)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				res, err := c.Do(r)
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
				_, silent := errors.AsType[*awserr.SilentError](err)
				if took := time.Since(began); !silent || took < tc.want || took > tc.want+time.Second {
					t.Errorf("%s\nit was given up after %s, want %s: %v", tc.reason, took, tc.want, err)
				}
			})
		})
	}
}

// A trickle sends a part of an answer every 100 ms.
type trickle struct{ part int }

func (r trickle) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond) // The clock is that of the test.
	return min(len(p), r.part), nil
}

// untilDone blocks in Read until its call ends, as the network does.
type untilDone struct {
	io.Reader

	ctx context.Context //nolint:containedctx // It is that of one call.
}

func (u untilDone) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if u.ctx.Err() != nil {
		return 0, u.ctx.Err()
	}
	return n, err
}

// TestRedirects has hosts that redirect the provider.
func TestRedirects(t *testing.T) {
	elsewhere, calls := internal(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			s := hostile(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", elsewhere)
				w.WriteHeader(status)
			})
			err := getFunction(t, s)
			if want := fmt.Sprintf("127.0.0.1 redirects calls (HTTP %d)", status); err == nil ||
				!strings.HasPrefix(awserr.Sanitize(err).Error(), want) || awserr.IsTransient(err) {
				t.Errorf("got %v, want %q", awserr.Sanitize(err), want)
			}
			_, err = Client(s, s3.NewFromConfig).HeadObject(t.Context(), &s3.HeadObjectInput{
				Bucket: new("b"),
				Key:    new("k"),
			})
			if err == nil {
				t.Error("S3: want an error")
			} else if status == http.StatusMovedPermanently && !strings.Contains(awserr.Sanitize(err).Error(),
				"another region") {
				t.Errorf("S3 tells by this that a bucket lies elsewhere: %v", awserr.Sanitize(err))
			}
		})
	}
	if calls.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

// TestNothingIsReflected has a service other than AWS answer what only the provider may read.
func TestNothingIsReflected(t *testing.T) {
	const secret = "hunter2"
	for name, tc := range map[string]struct {
		status int
		kind   string
		body   string
	}{
		"String":    {200, "application/json", `"token-hunter2"`},
		"Value":     {200, "application/json", `{"Configuration":"token-hunter2"}`},
		"Error":     {403, "application/json", `{"kind":"Status","message":"User hunter2 cannot","code":"Forbidden"}`},
		"Number":    {403, "application/json", `{"kind":"Status","message":"User hunter2 cannot","code":403}`},
		"Type":      {400, "application/json", `{"__type":"hunter2","message":"hunter2"}`},
		"Text":      {200, "text/plain", "token-hunter2\n"},
		"TextError": {500, "text/plain", "panic at hunter2\n"},
		"Page":      {404, "text/html", "<html>hunter2</html>"},
		"XML":       {404, "application/xml", "<Error><Code>hunter2</Code><Message>hunter2</Message></Error>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := hostile(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			})
			_, s3err := Client(s, s3.NewFromConfig).GetObject(t.Context(),
				&s3.GetObjectInput{Bucket: new("b"), Key: new("k")})
			for _, err := range []error{getFunction(t, s), s3err} {
				if err != nil &&
					(strings.Contains(err.Error(), secret) || strings.Contains(awserr.Sanitize(err).Error(),
						secret)) {
					t.Errorf("it is told: %v", err)
				}
			}
			if err := getFunction(t, s); err == nil || !strings.Contains(awserr.Sanitize(err).Error(),
				fmt.Sprintf("the endpoint did not answer as AWS does: HTTP %d", tc.status)) {
				t.Errorf("got %v", awserr.Sanitize(err))
			}
		})
	}
}
