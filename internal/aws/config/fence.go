package config

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
)

// A Fence makes each attempt of each call of AWS's services, or refuses it with an
// error, which is then that of the call. The context that it hands to the attempt ends
// when the attempt may go on no longer.
type Fence func(ctx context.Context, attempt func(context.Context) error) error

// addTo has the clients of a config ask, nearest to the network: whatever the steps
// before have waited for, the answer is of the moment of sending.
func (f Fence) addTo(cfg *aws.Config) {
	if f == nil {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("Fence", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
			out middleware.FinalizeOutput, md middleware.Metadata, err error,
		) {
			err = f(ctx, func(ctx context.Context) (err error) {
				out, md, err = next.HandleFinalize(ctx, in)
				return err
			})
			return out, md, err
		}), middleware.After)
	})
}
