package reconcile

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// errAborted aborts a reconcile. The runtime requeues on a conflict without writing status or
// emitting an event.
var errAborted error = kerrors.NewConflict(schema.GroupResource{}, "", nil)

// connector connects a kind's external clients, and wraps each in an attemptClient.
type connector[T Managed] struct {
	kind       Kind[T]
	tracker    Tracker
	references *references[T]
	referral   *referral[T]
	tenants    *tenancy.Registry
	policies   bool
	tracer     trace.Tracer
	planner    ResourcePlanner
	brake      *brake[T]
	events     event.Recorder
}

// Connect connects with the session that the reconciler has resolved. It tracks the resource
// as a user of its config. If the resource is refused, it is not tracked, unless it may have
// created something with that config.
func (c *connector[T]) Connect(ctx context.Context, mg T) (managed.TypedExternalClient[T], error) {
	a := attemptFrom(ctx)
	e, err := c.planning(ctx, mg, func() (managed.TypedExternalClient[T], error) { return c.connect(ctx, a, mg) })
	track := c.tracker.Track
	if session.IsRefused(err) || isRefused(err) && !mayHaveCreated(mg) {
		track = c.tracker.Drop
	}
	if err := track(ctx, mg); err != nil {
		return nil, toRuntimeError(a, err)
	}
	if err != nil {
		return nil, toRuntimeError(a, unusableError{err})
	}
	return &attemptClient[T]{inner: e, policies: c.policies, tracer: c.tracer, kind: c.kind, referral: c.referral, brake: c.brake}, nil
}

// mayHaveCreated returns whether the resource may have created or adopted something in AWS.
func mayHaveCreated(mg resource.Managed) bool {
	return ownership.WrittenName(mg) != "" || !meta.GetExternalCreatePending(mg).IsZero()
}

// connect returns the kind's external client, without tracking the use of the config. It makes
// no AWS call.
func (c *connector[T]) connect(ctx context.Context, a *Attempt, mg T) (managed.TypedExternalClient[T], error) {
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

// client returns the kind's external client if the resource has the permission to use its
// targets. A resource without permission that is being deleted leaves them in AWS.
func (c *connector[T]) client(ctx context.Context, a *Attempt, mg T, s *session.Session) (managed.TypedExternalClient[T], error) {
	err := c.permit(ctx, a, mg, s)
	switch {
	case err == nil:
		return c.kind.Connect(ctx, mg, s)
	case meta.WasDeleted(mg) && isDenied(err):
		return releasingClient[T](err, c.removed(tenancy.User{Resource: mg, Session: s})), nil
	}
	mg.SetConditions(Unavailable(mg.GetGeneration(), err.Error()))
	if e, failed := c.refused(ctx, mg, s, err); e != nil || failed != nil {
		return e, failed
	}
	if isDenied(err) {
		err = &refusedError{err}
	}
	return nil, err
}

// A refusedError says that a resource may not use its targets.
type refusedError struct{ error }

// Unwrap returns the reason.
func (e *refusedError) Unwrap() error { return e.error }

func isRefused(err error) bool {
	var r *refusedError
	return errors.As(err, &r)
}

// toRuntimeError translates an error of the external client for the runtime. A call deferred
// for quota aborts the reconcile and is not reported as an error. Neither is a throttled call,
// until many in a row were throttled.
func toRuntimeError(a *Attempt, err error) error {
	if errors.Is(err, errAborted) {
		return errAborted
	}
	if deferred := (&quota.DeferredError{}); errors.As(err, &deferred) {
		a.abortDeferred(deferred.After, deferred.Operation)
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

// nameField adds the field of spec that AWS does not accept, if its answer names one.
func nameField(err error) error {
	field, c := awserr.Field(err), classify(err)
	switch {
	case field == "", field == "functionName", c != terminal && c != ambiguous:
		return err
	case c == ambiguous && field == "role":
		// The role may be another resource's: the role of a mapping is that of its function.
		return err
	}
	return errors.Wrapf(err, "AWS does not accept spec.forProvider.%s", field)
}

// recordAction records what the external client did. It returns errAborted if the client has
// aborted the reconcile, because then it did nothing.
func (a *Attempt) recordAction(d action) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.aborted {
		return errAborted
	}
	a.action = d
	return nil
}

// recordDeletion records what a deletion waits for, which the runtime is about to overwrite.
// An unchanged condition keeps its transition time.
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

// abortDeferred aborts the reconcile because a call is not allowed before a while. The call is reserved before the next
// reconcile: otherwise the calls before it could take the token for it each time.
func (a *Attempt) abortDeferred(after time.Duration, operation string) {
	a.abort(after, operation)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deferred = true
}

// abortThrottled aborts the reconcile because AWS throttled a call. after is the delay that
// AWS asked for, 0 if none.
func (a *Attempt) abortThrottled(after time.Duration) {
	a.abort(after)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.throttled = true
}
