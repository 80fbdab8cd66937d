package awsconfig

import (
	"context"
	"time"

	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

const (
	// mostThrottles limits how often a call is repeated that AWS has throttled, besides the SDK's own attempts.
	mostThrottles = 10

	// throttlePause is the time between such calls.
	throttlePause = 2 * time.Second
)

// Pace adds a middleware to the stack of an operation: a call waits until the quota allows it. A command may wait where
// a reconcile of the provider ends, and begins anew later.
func Pace(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Pace",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			out middleware.InitializeOutput, md middleware.Metadata, err error,
		) {
			for throttled := 0; ; {
				out, md, err = next.HandleInitialize(ctx, in)
				wait, deferred := quota.Deferred(err)
				switch {
				case deferred:
				case awserr.IsThrottled(err) && throttled < mostThrottles:
					throttled++
					wait = throttlePause
				default:
					return out, md, err
				}
				if kubectl.Wait(ctx, wait) != nil {
					return out, md, err
				}
			}
		}), middleware.Before)
}
