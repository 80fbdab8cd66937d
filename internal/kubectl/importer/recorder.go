package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
)

// A recorder is a middleware that reads everything once: a later call with the same input has the same answer. Calls
// that are not reads fail.
type recorder struct {
	answers sync.Map // An answer by its keyOf.

	// calls is the number of calls that AWS was sent.
	calls atomic.Int64
}

// An answer is the answer of AWS to a call.
type answer struct {
	result any
	err    error
}

// addTo adds the middleware to the stack of an operation.
func (r *recorder) addTo(stack *middleware.Stack) error {
	operation := stack.ID()
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Recorder",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			middleware.InitializeOutput, middleware.Metadata, error,
		) {
			if !dryrun.IsRead(operation) {
				return middleware.InitializeOutput{}, middleware.Metadata{},
					fmt.Errorf("%s was not called: an import only reads", operation)
			}
			key := keyOf(operation, in.Parameters)
			if known, ok := r.answers.Load(key); ok {
				a := known.(answer) //nolint:forcetypeassert // There are no others.
				return middleware.InitializeOutput{Result: a.result}, middleware.Metadata{}, a.err
			}
			out, md, err := next.HandleInitialize(ctx, in)
			r.calls.Add(1)
			if _, answered := errors.AsType[smithy.APIError](err); err == nil || answered && !awserr.IsThrottled(err) {
				r.answers.Store(key, answer{out.Result, err})
			}
			return out, md, err
		}), middleware.Before)
}

func keyOf(operation string, in any) string {
	b, err := json.Marshal(in)
	if err != nil {
		return operation + fmt.Sprintf("%+v", in)
	}
	return operation + string(b)
}

// answered remembers the answer to a call that AWS has given in another form, such as in a list.
func (r *recorder) answered(operation string, in, result any) {
	r.answers.Store(keyOf(operation, in), answer{result: result})
}
