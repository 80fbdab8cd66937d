package breaker

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// AddTo makes the clients of a config tell the breaker of a key what becomes of calls to
// Lambda's control plane. A call counts once, however often the SDK tries it, and so do
// the credentials that it has to get.
func (b *Breakers) AddTo(cfg *aws.Config, k Key) {
	if b == nil {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		s := &step{breakers: b, key: k}
		if err := stack.Initialize.Add(middleware.InitializeMiddlewareFunc("CircuitBreaker", s.call), middleware.After); err != nil {
			return err
		}
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("CircuitBreakerAnswer", s.attempt), middleware.Before)
	})
}

// step of the SDK's stack.
type step struct {
	breakers *Breakers
	key      Key
}

type answerKey struct{}

// call of an operation.
func (s *step) call(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	if quota.BucketOf(awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)) == quota.Unlimited {
		return next.HandleInitialize(ctx, in)
	}
	answered := &atomic.Bool{}
	out, md, err := next.HandleInitialize(context.WithValue(ctx, answerKey{}, answered), in)
	switch {
	case answered.Load():
		s.breakers.answered(s.key)
	case errors.Is(ctx.Err(), context.Canceled):
		// The provider ends.
	case awserr.IsUnanswered(err):
		s.breakers.unanswered(s.key)
	}
	return out, md, err
}

// attempt of a call: it was sent.
func (s *step) attempt(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	out, md, err := next.HandleDeserialize(ctx, in)
	if answered, ok := ctx.Value(answerKey{}).(*atomic.Bool); ok && !awserr.IsUnanswered(err) && out.RawResponse != nil {
		answered.Store(true)
	}
	return out, md, err
}
