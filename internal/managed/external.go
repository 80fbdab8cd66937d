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

// errHeld drops a reconcile. The runtime takes a conflict for a reason to come back
// without a word: it writes no status and emits no event.
var errHeld error = kerrors.NewConflict(schema.GroupResource{}, "", nil)

// connector connects a kind's external clients, and puts a guard before each.
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
	t := turnOf(ctx)
	e, err := c.connect(ctx, t, mg)
	track := c.tracker.Track
	if config.IsRefused(err) || isRefused(err) && !mayHaveMade(mg) {
		track = c.tracker.Drop
	}
	if err := track(ctx, mg); err != nil {
		return nil, refuse(t, err)
	}
	if err != nil {
		return nil, refuse(t, unusableError{err})
	}
	return &guard[T]{inner: e, policies: c.policies}, nil
}

// mayHaveMade tells whether a resource may have made or taken over something in AWS.
func mayHaveMade(mg resource.Managed) bool {
	return ownership.WrittenName(mg) != "" || !meta.GetExternalCreatePending(mg).IsZero()
}

// connect without noting that the configuration is used. It makes no call.
func (c *connector[T]) connect(ctx context.Context, t *Turn, mg T) (xpmanaged.TypedExternalClient[T], error) {
	s, err := sessionOf(ctx)
	if open, ok := asOpen(err); ok {
		return unreachable[T](open), nil
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
	e, err := c.client(ctx, t, mg, s)
	if err != nil {
		return nil, err
	}
	if c.tracer != nil {
		e = &spannedClient[T]{TypedExternalClient: e, tracer: c.tracer}
	}
	return e, nil
}

// client of a resource that may use what it is about. One that is being deleted and may
// not lets go of it.
func (c *connector[T]) client(ctx context.Context, t *Turn, mg T, s *config.Session) (xpmanaged.TypedExternalClient[T], error) {
	err := c.permit(ctx, t, mg, s)
	switch {
	case err == nil:
		return c.kind.Connect(ctx, mg, s)
	case meta.WasDeleted(mg) && leaves(err):
		return leaving[T](err), nil
	}
	mg.SetConditions(condition.Unavailable(mg.GetGeneration(), err.Error()))
	if leaves(err) {
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

// guard keeps from the runtime what is no error, tells the turn of what is, and
// drops what a held reconcile would still do.
type guard[T Managed] struct {
	inner    xpmanaged.TypedExternalClient[T]
	policies bool
}

// Observe the external resource.
func (g *guard[T]) Observe(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	t := turnOf(ctx)
	o, err := g.inner.Observe(ctx, mg)
	if err != nil {
		return xpmanaged.ExternalObservation{}, refuse(t, t.unanswered(err))
	}
	if _, held := t.Held(); held {
		return xpmanaged.ExternalObservation{}, errHeld
	}
	if !o.ResourceExists {
		t.missing()
	}
	if !o.ResourceExists && !o.ResourceUpToDate && !meta.WasDeleted(mg) && !g.mayCreate(mg) {
		// The runtime would go on to update what does not exist.
		return xpmanaged.ExternalObservation{}, refuse(t, errCannotCreate)
	}
	return o, nil
}

// Create the external resource.
func (g *guard[T]) Create(ctx context.Context, mg T) (xpmanaged.ExternalCreation, error) {
	t := turnOf(ctx)
	t.change()
	c, err := g.inner.Create(ctx, mg)
	if err != nil {
		return c, refuse(t, err)
	}
	return c, t.done(created)
}

// Update the external resource.
func (g *guard[T]) Update(ctx context.Context, mg T) (xpmanaged.ExternalUpdate, error) {
	t := turnOf(ctx)
	t.change()
	u, err := g.inner.Update(ctx, mg)
	if err != nil {
		return u, refuse(t, err)
	}
	return u, t.done(updated)
}

// Delete the external resource.
func (g *guard[T]) Delete(ctx context.Context, mg T) (xpmanaged.ExternalDelete, error) {
	t := turnOf(ctx)
	t.change()
	before := mg.GetCondition(xpv2.TypeReady)
	d, err := g.inner.Delete(ctx, mg)
	t.deleting(before, mg.GetCondition(xpv2.TypeReady))
	if err != nil {
		return d, refuse(t, err)
	}
	return d, t.done(deleted)
}

// Disconnect from the external resource.
func (g *guard[T]) Disconnect(ctx context.Context) error { return g.inner.Disconnect(ctx) }

// mayCreate tells whether the policies allow creating. Where they allow nothing but
// observing, the runtime itself says what is missing.
func (g *guard[T]) mayCreate(mg resource.Managed) bool {
	p := xpmanaged.NewManagementPoliciesResolver(g.policies, mg.GetManagementPolicies())
	return p.ShouldCreate() || p.ShouldOnlyObserve()
}

// refuse turns an error of the external client into what the runtime is to see. A
// call held up by quota is no error: the reconcile is dropped. Nor is one that AWS throttles,
// until it has throttled many in a row.
func refuse(t *Turn, err error) error {
	if errors.Is(err, errHeld) {
		return errHeld
	}
	if wait, ok := quota.Deferred(err); ok {
		t.holdFor(wait)
		return errHeld
	}
	if awserr.IsThrottled(err) {
		after, _ := awserr.RetryAfter(err)
		if t.throttles < manyThrottles {
			t.throttle(after)
			return errHeld
		}
		err = errors.Wrap(awserr.Clean(err), "AWS has throttled the calls of this resource for a while")
	}
	err = awserr.Front(blame(awserr.Clean(err)))
	t.fail(err)
	return err
}

// blame names the field of spec that AWS does not accept, where its answer tells.
func blame(err error) error {
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

// done notes what the external client did, unless it has held the reconcile: then
// it did nothing.
func (t *Turn) done(d deed) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		return errHeld
	}
	t.did = d
	return nil
}

// deleting notes what a deletion waits for, which the runtime is about to overwrite. A
// condition that says what it said before keeps its time.
func (t *Turn) deleting(before, after xpv2.Condition) {
	if after.Reason != xpv2.ReasonDeleting || after.Message == "" {
		return
	}
	if before.Equal(after) {
		after = before
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deletion = after
}

// missing notes that the external resource does not exist.
func (t *Turn) missing() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.absent = true
}

// throttle holds the reconcile because AWS refused a call for the rate of calls.
// after is what AWS asked for, 0 if nothing.
func (t *Turn) throttle(after time.Duration) {
	t.holdFor(after)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.throttled = true
}
