package awsdouble

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

const (
	testRegion = "eu-west-1"
	testRole   = "arn:aws:iam::123456789012:role/r"
)

// A clock is a clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s := New(o)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// client returns a client of Lambda that never retries.
func client(s *Server) *lambda.Client { return clientOf(s.Config(testRegion)) }

func clientOf(c aws.Config) *lambda.Client {
	return lambda.NewFromConfig(c, func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
}

func retrying(s *Server) *lambda.Client {
	return lambda.NewFromConfig(s.Config(testRegion), func(o *lambda.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	})
}

// archive returns a zip with one file of the given content.
func archive(content string) []byte { return Zip(map[string]string{"index.py": content}) }

// zipFunction returns the input of a plain function.
func zipFunction(t *testing.T, name string) *lambda.CreateFunctionInput {
	t.Helper()
	return &lambda.CreateFunctionInput{
		FunctionName: aws.String(name), Role: aws.String(testRole), Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython312, Code: &types.FunctionCode{ZipFile: archive("v1")},
	}
}

func create(t *testing.T, c *lambda.Client, in *lambda.CreateFunctionInput) *lambda.CreateFunctionOutput {
	t.Helper()
	out, err := c.CreateFunction(t.Context(), in)
	if err != nil {
		t.Fatalf("CreateFunction: %v", err)
	}
	return out
}

func get(t *testing.T, c *lambda.Client, name string) *lambda.GetFunctionOutput {
	t.Helper()
	out, err := c.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String(name)})
	if err != nil {
		t.Fatalf("GetFunction: %v", err)
	}
	return out
}

// wantError checks the code and the message of an error of AWS.
func wantError(t *testing.T, err error, code, message string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) {
		t.Fatalf("error = %v, want an API error %s", err, code)
	}
	if api.ErrorCode() != code || message != "" && api.ErrorMessage() != message {
		t.Errorf("error = %s: %s\nwant %s: %s", api.ErrorCode(), api.ErrorMessage(), code, message)
	}
}
