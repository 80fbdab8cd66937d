package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// tagging is the only operation that may be part of a proven plan: the tags say who owns a resource.
const tagging = "TagResource"

// prove plans all resources. One that would be changed gets managementPolicies that only observe, so that applying the
// manifests changes nothing in any case.
func (b *builder) prove(ctx context.Context) {
	p := b.planner()
	var resources []plan.Resource
	var items []*Item
	for _, i := range b.items {
		if i.Secret != nil {
			p.Add(i.Secret)
			continue
		}
		desired, ok := i.Resource.DeepCopyObject().(reconcile.Managed)
		if !ok {
			continue
		}
		plan.SetDefaults(desired)
		resources, items = append(resources, plan.Resource{Desired: desired}), append(items, i)
	}
	b.o.Progress(Proving, 0, len(items))
	for n, pl := range p.All(ctx, resources) {
		i := items[n]
		if why := objection(pl); why != "" {
			if !slices.ContainsFunc(i.Limits, func(l string) bool { return strings.HasSuffix(l, why) }) {
				i.Limits = append(i.Limits, why)
			}
			i.Resource.SetManagementPolicies(observe)
		}
	}
	b.o.Progress(Proving, len(items), len(items))
}

// objection returns why a plan is no proof that nothing but tags is changed. It is empty if it is one.
func objection(p plan.Plan) string {
	var calls []string
	for _, c := range p.Calls {
		if c.Operation != tagging {
			calls = append(calls, c.String())
		}
	}
	switch {
	case p.Action == plan.Reject:
		return p.Message
	case len(calls) > 0:
		return "the provider would call " + strings.Join(calls, ", ") + p.Fields()
	case len(p.Changes) > 0:
		return "it would be changed:" + p.Fields()
	case p.Action == plan.Wait:
		return "the plan is not complete: " + p.Message
	case p.Action != plan.None && p.Action != plan.Adopt && p.Action != plan.Update:
		return fmt.Sprintf("the provider would %s it", p.Action)
	}
	return ""
}

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
