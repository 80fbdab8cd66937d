package config

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
)

// A Fence is asked before each attempt of each call of AWS's services whether it may
// be sent. An error of it is that of the call.
type Fence func(context.Context) error

// addTo has the clients of a config ask, nearest to the network: whatever the steps
// before have waited for, the answer is of the moment of sending.
func (f Fence) addTo(cfg *aws.Config) {
	if f == nil {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("Fence", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
			middleware.FinalizeOutput, middleware.Metadata, error,
		) {
			if err := f(ctx); err != nil {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, err
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.After)
	})
}
