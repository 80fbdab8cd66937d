package quota

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// A DeferredError says that a call was not sent, since the quota is used up.
type DeferredError struct {
	// Operation that was not called.
	Operation string
	// After is how long to stay away.
	After time.Duration
}

// Error says what to do: nothing. The time is left out, since it differs at
// each try.
func (e *DeferredError) Error() string {
	return fmt.Sprintf("the call of %s waits for its turn in the request quota of AWS Lambda", e.Operation)
}

// RetryableError tells the SDK not to try again by itself.
func (e *DeferredError) RetryableError() bool { return false }

// RetryAfter is how long to stay away.
func (e *DeferredError) RetryAfter() time.Duration { return e.After }

// Deferred says whether err is of a call that was not sent, and how long to
// stay away.
func Deferred(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*DeferredError](err); ok {
		return e.After, true
	}
	return 0, false
}

// AddTo makes the clients of a config keep to the quotas of a scope.
func (l *Limiter) AddTo(cfg *aws.Config, s Scope) {
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		// After everything else, and so within the retries: an attempt is counted
		// when it is sent, not before its credentials have come.
		if err := stack.Finalize.Add(&limit{limiter: l, scope: s}, middleware.After); err != nil {
			return err
		}
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("RequestQuotaAnswered", answered), "Retry", middleware.Before)
	})
}

// answered returns AWS's error where only another attempt of a call was deferred. The call was
// sent, and has failed.
func answered(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	out, md, err := next.HandleFinalize(ctx, in)
	if _, ok := Deferred(err); !ok {
		return out, md, err
	}
	attempts, _ := retry.GetAttemptResults(md)
	for _, a := range attempts.Results {
		if _, ok := Deferred(a.Err); !ok {
			err = a.Err
		}
	}
	return out, md, err
}

// limit is a step of the SDK's stack.
type limit struct {
	limiter *Limiter
	scope   Scope
}

// ID of the step.
func (m *limit) ID() string { return "RequestQuota" }

// HandleFinalize sends the call if there is a token for it.
func (m *limit) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	operation := awsmiddleware.GetOperationName(ctx)
	b := BucketOf(awsmiddleware.GetServiceID(ctx), operation)
	if b == Unlimited {
		return next.HandleFinalize(ctx, in)
	}
	h, ok := RequesterFrom(ctx)
	if !ok {
		h = Requester{Priority: User}
	}
	if wait := m.limiter.take(m.scope, b, h); wait > 0 {
		return middleware.FinalizeOutput{}, middleware.Metadata{}, &DeferredError{Operation: operation, After: wait}
	}
	out, md, err := next.HandleFinalize(ctx, in)
	if awserr.IsThrottled(err) {
		pause, _ := awserr.RetryAfter(err)
		m.limiter.throttled(m.scope, b, pause)
	}
	return out, md, err
}
