package awsconfig

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
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
	cases := map[string]struct {
		reason string

		// answers are those of the calls. The last one is that of all further calls.
		answers []error

		// interrupted is after how long the command is interrupted, 0 for never.
		interrupted time.Duration

		want   error
		calls  int
		paused time.Duration
	}{
		"Answered": {reason: "An answer ends it.", answers: []error{nil}, calls: 1},
		"Denied": {
			reason:  "An error that is not of a quota is not repeated.",
			answers: []error{denied},
			want:    denied,
			calls:   1,
		},
		"Deferred": {
			reason:  "The call waits for its share.",
			answers: []error{deferred, deferred, nil},
			calls:   3,
			paused:  120 * time.Millisecond,
		},
		"Throttled": {
			reason:  "Others use the quota up for a while.",
			answers: []error{throttled, deferred, throttled, nil},
			calls:   4,
			paused:  2*throttlePause + 60*time.Millisecond,
		},
		"ThrottledForever": {
			reason:  "AWS is not called without bound.",
			answers: []error{throttled},
			want:    throttled,
			calls:   mostThrottles + 1,
			paused:  mostThrottles * throttlePause,
		},
		"InterruptedInside": {
			reason:      "The user ends the command.",
			answers:     []error{deferred},
			interrupted: 150 * time.Millisecond,
			want:        deferred,
			calls:       3,
			paused:      150 * time.Millisecond,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, begin := 0, time.Now()
				answer := func(stack *middleware.Stack) error {
					return stack.Initialize.Add(
						middleware.InitializeMiddlewareFunc(
							"Answer",
							func(
								context.Context, middleware.InitializeInput, middleware.InitializeHandler,
							) (middleware.InitializeOutput, middleware.Metadata, error) {
								err := tc.answers[min(calls, len(tc.answers)-1)]
								calls++
								return middleware.InitializeOutput{
									Result: &lambda.GetAliasOutput{},
								}, middleware.Metadata{}, err
							},
						),
						middleware.Before,
					)
				}
				ctx := t.Context()
				if tc.interrupted > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.interrupted)
					defer cancel()
				}
				api := lambda.NewFromConfig(
					aws.Config{Region: "eu-central-1", APIOptions: []func(*middleware.Stack) error{answer, Pace}},
				)
				_, err := api.GetAlias(
					ctx,
					&lambda.GetAliasInput{FunctionName: aws.String("f"), Name: aws.String("live")},
				)
				paused := time.Since(begin)
				if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) || calls != tc.calls ||
					paused != tc.paused {
					t.Errorf(
						"%s\nwant %v after %d calls and %s, got %v after %d calls and %s",
						tc.reason,
						tc.want,
						tc.calls,
						tc.paused,
						err,
						calls,
						paused,
					)
				}
			})
		})
	}
}
