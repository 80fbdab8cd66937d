package breaker

import (
	"context"
	"errors"
	"net/http"
	"slices"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// Middleware returns the middleware that reports to the breaker of a key whether AWS answers calls
// to Lambda's control plane. It counts a call once, however often the SDK tries it, and does not
// count the calls that fetch credentials for it. It is nil if the breakers are nil.
func (b *Breakers) Middleware(k Key) middleware.InitializeMiddleware {
	if b == nil {
		return nil
	}
	return middleware.InitializeMiddlewareFunc("CircuitBreaker",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			middleware.InitializeOutput, middleware.Metadata, error,
		) {
			out, md, err := next.HandleInitialize(ctx, in)
			switch {
			case quota.BucketOf(awsmiddleware.GetServiceID(ctx),
				awsmiddleware.GetOperationName(ctx)) == quota.Unlimited:
			case isAnswered(md):
				b.answered(k, isServed(err))
			case errors.Is(ctx.Err(), context.Canceled):
				// The provider is shutting down.
			case awserr.IsUnanswered(err):
				b.unanswered(k)
			}
			return out, md, err
		})
}

// Report reports the error of a call to the breaker of a key. It is for calls that the middleware does not count.
func (b *Breakers) Report(k Key, err error) {
	switch {
	case b == nil:
	case awserr.IsUnanswered(err):
		b.unanswered(k)
	default:
		b.answered(k, isServed(err))
	}
}

// isServed reports whether a call that AWS answered has succeeded or was rejected. An answer that cannot be read is
// neither, nor is a failure of the server.
func isServed(err error) bool {
	r, ok := errors.AsType[*smithyhttp.ResponseError](err)
	return err == nil || ok && r.HTTPStatusCode() >= http.StatusBadRequest &&
		r.HTTPStatusCode() < http.StatusInternalServerError
}

// isAnswered reports whether AWS answered at least one attempt of a call.
func isAnswered(md middleware.Metadata) bool {
	attempts, _ := retry.GetAttemptResults(md)
	return slices.ContainsFunc(attempts.Results, func(a retry.AttemptResult) bool {
		return !awserr.IsUnanswered(a.Err) && awsmiddleware.GetRawResponse(a.ResponseMetadata) != nil
	})
}
