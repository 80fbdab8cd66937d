package quota

import (
	"context"
	"errors"
	"fmt"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// A DeferredError says that a call was not sent because the request quota is exhausted.
type DeferredError struct {
	// Operation is the operation that was not called.
	Operation string
	// After is the time to wait before the next attempt.
	After time.Duration
}

// Error returns the message. It leaves out the time, which differs at each attempt.
func (e *DeferredError) Error() string {
	return fmt.Sprintf("%s was not called yet, to stay within the request quota of AWS Lambda: it is retried "+
		"automatically", e.Operation)
}

// RetryableError keeps the SDK from retrying.
func (e *DeferredError) RetryableError() bool { return false }

// RetryAfter returns how long to wait before the next attempt.
func (e *DeferredError) RetryAfter() time.Duration { return e.After }

// Deferred reports whether err is of a call that was not sent because the request quota is
// exhausted, and how long to wait before the next attempt.
func Deferred(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*DeferredError](err); ok {
		return e.After, true
	}
	return 0, false
}

// Middleware returns the middleware that takes a token of a scope for each attempt of a call,
// and fails with a DeferredError if there is none. It is nil if the limiter is nil.
func (l *Limiter) Middleware(s Scope) middleware.FinalizeMiddleware {
	if l == nil {
		return nil
	}
	return middleware.FinalizeMiddlewareFunc("RequestQuota", func(ctx context.Context, in middleware.FinalizeInput,
		next middleware.FinalizeHandler) (
		middleware.FinalizeOutput, middleware.Metadata, error,
	) {
		operation := awsmiddleware.GetOperationName(ctx)
		b := BucketOf(awsmiddleware.GetServiceID(ctx), operation)
		if b == Unlimited {
			return next.HandleFinalize(ctx, in)
		}
		c, ok := callerFrom(ctx)
		if !ok {
			c = Caller{Priority: User}
		}
		if wait := l.take(s, b, c); wait > 0 {
			return middleware.FinalizeOutput{}, middleware.Metadata{}, &DeferredError{Operation: operation, After: wait}
		}
		out, md, err := next.HandleFinalize(ctx, in)
		if awserr.IsThrottled(err) && !awserr.LacksSnapshots(err) {
			pause, _ := awserr.RetryAfter(err)
			l.throttled(s, b, pause)
		}
		return out, md, err
	})
}

// PreferAnswer returns the middleware that goes around the retries of a call. If AWS answered one
// attempt with an error and the next attempt was deferred, the error of the call is the one from
// AWS: the call was sent and has failed. It is nil if the limiter is nil.
func (l *Limiter) PreferAnswer() middleware.FinalizeMiddleware {
	if l == nil {
		return nil
	}
	return middleware.FinalizeMiddlewareFunc("RequestQuotaAnswered", preferAnswer)
}

func preferAnswer(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
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
