package managed

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// errAborted drops a reconcile. The runtime takes a conflict for a reason to come back
// without a word: it writes no status and emits no event.
var errAborted error = kerrors.NewConflict(schema.GroupResource{}, "", nil)

// connector connects a kind's external clients, and wraps each in an attemptClient.
type connector[T Managed] struct {
	kind       Kind[T]
	tracker    Tracker
	references *references[T]
	tenants    *tenancy.Book
	policies   bool
	tracer     trace.Tracer
}

// Connect with the configuration that the gate has resolved. A resource that is refused is
// no user of its configuration, unless it may have made something with it.
func (c *connector[T]) Connect(ctx context.Context, mg T) (xpmanaged.TypedExternalClient[T], error) {
	a := attemptFrom(ctx)
	e, err := c.connect(ctx, a, mg)
	track := c.tracker.Track
	if config.IsRefused(err) || isRefused(err) && !mayHaveCreated(mg) {
		track = c.tracker.Drop
	}
	if err := track(ctx, mg); err != nil {
		return nil, toRuntimeError(a, err)
	}
	if err != nil {
		return nil, toRuntimeError(a, unusableError{err})
	}
	return &attemptClient[T]{inner: e, policies: c.policies, tracer: c.tracer}, nil
}

// mayHaveCreated tells whether a resource may have made or taken over something in AWS.
func mayHaveCreated(mg resource.Managed) bool {
	return ownership.WrittenName(mg) != "" || !meta.GetExternalCreatePending(mg).IsZero()
}

// connect without noting that the configuration is used. It makes no call.
func (c *connector[T]) connect(ctx context.Context, a *Attempt, mg T) (xpmanaged.TypedExternalClient[T], error) {
	s, err := sessionOf(ctx)
	if open, ok := asCircuitOpen(err); ok {
		return unreachableClient[T](open), nil
	}
	if err != nil {
		return nil, err
	}
	if meta.WasDeleted(mg) {
		c.references.resolveDeleted(ctx, mg)
	}
	if c.kind.FunctionName != nil {
		if err := plainFunctionName(mg, c.kind.FunctionName(mg), s); err != nil {
			return nil, err
		}
	}
	return c.client(ctx, a, mg, s)
}

// client of a resource that may use what it is about. One that is being deleted and may
// not lets go of it.
func (c *connector[T]) client(ctx context.Context, a *Attempt, mg T, s *config.Session) (xpmanaged.TypedExternalClient[T], error) {
	err := c.permit(ctx, a, mg, s)
	switch {
	case err == nil:
		return c.kind.Connect(ctx, mg, s)
	case meta.WasDeleted(mg) && isDenied(err):
		return releasingClient[T](err), nil
	}
	mg.SetConditions(condition.Unavailable(mg.GetGeneration(), err.Error()))
	if isDenied(err) {
		err = &refusedError{err}
	}
	return nil, err
}

// A refusedError says that a resource may not use what it is about.
type refusedError struct{ error }

// Unwrap returns the reason.
func (e *refusedError) Unwrap() error { return e.error }

func isRefused(err error) bool {
	var r *refusedError
	return errors.As(err, &r)
}

// toRuntimeError turns an error of the external client into what the runtime is to see. A
// call held up by quota is no error: the reconcile is dropped. Nor is one that AWS throttles,
// until it has throttled many in a row.
func toRuntimeError(a *Attempt, err error) error {
	if errors.Is(err, errAborted) {
		return errAborted
	}
	if wait, ok := quota.Deferred(err); ok {
		a.abort(wait)
		return errAborted
	}
	if awserr.IsThrottled(err) {
		after, _ := awserr.RetryAfter(err)
		if a.throttlesBefore < manyThrottles {
			a.abortThrottled(after)
			return errAborted
		}
		err = errors.Wrap(awserr.Clean(err), "AWS has throttled the calls of this resource for a while")
	}
	err = awserr.Front(nameField(awserr.Clean(err)))
	a.recordFailure(err)
	return err
}

// nameField names the field of spec that AWS does not accept, where its answer tells.
func nameField(err error) error {
	field, c := awserr.Field(err), classify(err)
	switch {
	case field == "", field == "functionName", c != terminal && c != ambiguous:
		return err
	case c == ambiguous && field == "role":
		// The role of a mapping, say, is its function's.
		return err
	}
	return errors.Wrapf(err, "AWS does not accept spec.forProvider.%s", field)
}

// recordAction notes what the external client did, unless it has held the reconcile: then
// it did nothing.
func (a *Attempt) recordAction(d action) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.aborted {
		return errAborted
	}
	a.action = d
	return nil
}

// recordDeletion notes what a deletion waits for, which the runtime is about to overwrite. A
// condition that says what it said before keeps its time.
func (a *Attempt) recordDeletion(before, after xpv2.Condition) {
	if after.Reason != xpv2.ReasonDeleting || after.Message == "" {
		return
	}
	if before.Equal(after) {
		after = before
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deletion = after
}

// abortThrottled holds the reconcile because AWS refused a call for the rate of calls.
// after is what AWS asked for, 0 if nothing.
func (a *Attempt) abortThrottled(after time.Duration) {
	a.abort(after)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.throttled = true
}
