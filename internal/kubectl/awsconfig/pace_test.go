package awsconfig

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// TestPace checks that a call waits as long as the quota says, and that it is not repeated without bound.
func TestPace(t *testing.T) {
	deferred := &quota.DeferredError{Operation: "GetAlias", After: 60 * time.Millisecond}
	throttled := &smithy.GenericAPIError{Code: "TooManyRequestsException"}
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	interrupted := errors.New("interrupted")
	cases := map[string]struct {
		reason string

		// answers are those of the calls. The last one is that of all further calls.
		answers []error

		// uninterrupted is after how many pauses the command is interrupted, 0 for never.
		uninterrupted int

		want   error
		calls  int
		paused time.Duration
	}{
		"Answered":          {reason: "An answer ends it.", answers: []error{nil}, calls: 1},
		"Denied":            {reason: "An error that is not of a quota is not repeated.", answers: []error{denied}, want: denied, calls: 1},
		"Deferred":          {reason: "The call waits for its share.", answers: []error{deferred, deferred, nil}, calls: 3, paused: 120 * time.Millisecond},
		"Throttled":         {reason: "Others use the quota up for a while.", answers: []error{throttled, deferred, throttled, nil}, calls: 4, paused: 2*throttlePause + 60*time.Millisecond},
		"ThrottledForever":  {reason: "AWS is not called without bound.", answers: []error{throttled}, want: throttled, calls: mostThrottles + 1, paused: mostThrottles * throttlePause},
		"InterruptedInside": {reason: "The user ends the command.", answers: []error{deferred}, uninterrupted: 2, want: deferred, calls: 3, paused: 120 * time.Millisecond},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls, pauses, paused := 0, 0, time.Duration(0)
			answer := func(stack *middleware.Stack) error {
				return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Answer", func(context.Context, middleware.InitializeInput, middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
					err := tc.answers[min(calls, len(tc.answers)-1)]
					calls++
					return middleware.InitializeOutput{Result: &lambda.GetAliasOutput{}}, middleware.Metadata{}, err
				}), middleware.Before)
			}
			pause := func(_ context.Context, d time.Duration) error {
				if pauses++; tc.uninterrupted > 0 && pauses > tc.uninterrupted {
					return interrupted
				}
				paused += d
				return nil
			}
			api := lambda.NewFromConfig(aws.Config{Region: "eu-central-1", APIOptions: []func(*middleware.Stack) error{answer, Pace(pause)}})
			_, err := api.GetAlias(t.Context(), &lambda.GetAliasInput{FunctionName: aws.String("f"), Name: aws.String("live")})
			if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) || calls != tc.calls || paused != tc.paused {
				t.Errorf("%s\nwant %v after %d calls and %s, got %v after %d calls and %s", tc.reason, tc.want, tc.calls, tc.paused, err, calls, paused)
			}
		})
	}
}
