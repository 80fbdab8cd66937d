package reconcile

import (
	"context"
	"sync"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// minRequeueAfter is the shortest delay before a resource is reconciled again. It prevents a
// busy loop.
const minRequeueAfter = 50 * time.Millisecond

// An Attempt is one reconcile of one resource. The reconciler puts it into the context, and
// reads from it what the external client has asked for. A test of an external client may put
// one into its context with WithAttempt, and read it likewise.
type Attempt struct {
	// ReserveFn reserves calls, as Limiter does. Nil grants all of them.
	ReserveFn func(ops ...string) time.Duration

	// Freshness is how old a cached AWS answer may be that another resource has requested. The
	// zero value accepts any.
	Freshness readcache.Freshness

	// Calls is the history of the resource's calls in earlier reconciles. Nil means that none
	// is kept.
	Calls *CallHistory

	// AnnotateFn persists annotations. Nil sets them in memory only.
	AnnotateFn func(ctx context.Context, obj client.Object, annotations map[string]string) error

	// IntentRecorder persists annotations if the object has not changed since it was read, and
	// returns a conflict otherwise. If it is nil, AnnotateFn is used.
	IntentRecorder func(ctx context.Context, obj client.Object, annotations map[string]string) error

	// throttlesBefore is the number of throttled calls in a row before this reconcile.
	throttlesBefore int

	releaseFn func()

	// cause is the cause of a difference, see Cause. It is empty if unknown.
	cause string

	// origin describes the call that explains a difference. It is empty if unknown.
	origin string

	// readyBefore is the Ready condition at the start.
	readyBefore xpv2.Condition

	// session is the session of the resource. It is nil if there is none.
	session *session.Session

	// permission is what the resource may use. It is set once its client is connected.
	permission *permission

	// onEnd is called when the reconcile has ended. circuitError returns an error while the
	// circuit breaker of the config is open. circuitWait is how long to wait for a breaker that is
	// not open.
	onEnd        func()
	circuitError func() error
	circuitWait  time.Duration

	// listed has the items by which lists show whether what was observed is unchanged.
	listed []listpoll.Ref

	// referred is the fingerprint of what the spec refers to, if AWS was found to match.
	referred string

	// creates is true if the runtime creates the external resource in this reconcile.
	creates bool

	// preview is true if only what is displayed is computed.
	preview bool

	mu                sync.Mutex
	requeueAfter      time.Duration
	retryWithin       time.Duration
	abortFor          time.Duration
	aborted           bool
	throttled         bool
	deferred          bool
	deferredOps       []string
	changeSummary     string
	events            []event.Event
	changing          bool
	action            action
	comparison        SyncState
	mayUpdate         bool
	err               error
	ready             xpv2.Condition
	deletion          xpv2.Condition
	waitsForReference bool
	onStored          []func(context.Context)
	storeNow          bool
	concluded         xpv2.Condition

	// step is true if a Stepper reconciles. planned are the differences that it reports.
	step    bool
	planned diff.Changes

	// sizes are sizes that were observed and that status does not have.
	sizes advice.Sizes

	hasDifferences bool
	differsMessage string
	differences    []v1beta1.Difference
}

// An action is what the external client did to the external resource.
type action int

const (
	actionNone action = iota
	actionCreated
	actionUpdated
	actionDeleted

	// actionHeld means that a deletion waits for a confirmation.
	actionHeld
)

type attemptKey struct{}

// WithAttempt returns a context that carries an Attempt.
func WithAttempt(ctx context.Context, a *Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// attemptFrom returns the Attempt in the context, or an empty one that nobody reads.
func attemptFrom(ctx context.Context) *Attempt {
	if a, ok := ctx.Value(attemptKey{}).(*Attempt); ok {
		return a
	}
	return &Attempt{}
}

// RequeueAfter requests another reconcile of this resource after the given time, instead of at
// its poll interval. The shortest of several requests wins. It has no effect if the reconcile
// fails.
func RequeueAfter(ctx context.Context, after time.Duration) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	after = max(after, minRequeueAfter)
	if a.requeueAfter == 0 || after < a.requeueAfter {
		a.requeueAfter = after
	}
}

// Reserve reserves quota for calls of AWS operations that are due now, such as CreateFunction.
// Observe calls it before it reports that the call is due. If Reserve returns false, the quota
// is not available yet: the reconcile is aborted, whatever Observe returns and sets is
// dropped, and the resource is reconciled again when the calls are allowed. A call made
// without a reservation is deferred by the SDK's middleware, which aborts the reconcile
// likewise.
func Reserve(ctx context.Context, ops ...string) bool {
	a := attemptFrom(ctx)
	if a.ReserveFn == nil {
		return true
	}
	wait := a.ReserveFn(ops...)
	if wait <= 0 {
		return true
	}
	addDeferredEvent(ctx, wait, ops...)
	a.abort(wait, ops...)
	return false
}

// Abort drops the rest of this reconcile and whatever it has set in status, and requeues the
// resource after the given time. If it is called more than once, the longest time wins.
// Reserve aborts when it returns false. Create, Update and Delete may abort if they find that
// the call cannot be made now; they then return no error, and the call counts as not made.
func Abort(ctx context.Context, after time.Duration) { attemptFrom(ctx).abort(after) }

// DescribeChange sets the summary of the change made in this reconcile, such as "memorySize:
// 128 -> 256", which the event of the change shows.
func DescribeChange(ctx context.Context, what string) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changeSummary = what
}

// Emit emits an event about the resource when this reconcile has ended. An event that only
// repeats the last one is dropped, so Observe may emit its findings every time.
func Emit(ctx context.Context, e event.Event) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, e)
}

// OnStored calls a function after the status that this reconcile has found was stored. It is not called if the
// reconcile is aborted, or if the status can't be written.
func OnStored(ctx context.Context, f func(context.Context)) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.onStored = append(a.onStored, f)
}

// Stored calls the functions of OnStored.
func (a *Attempt) Stored(ctx context.Context) {
	a.mu.Lock()
	all := a.onStored
	a.onStored = nil
	a.mu.Unlock()
	for _, f := range all {
		f(ctx)
	}
}

// Freshness returns how old an AWS answer may be that another resource requested and that this
// reconcile uses: zero if the user requests a reconcile, a moment if the user waits or
// something is in progress, and half the poll interval if the resource was settled.
func Freshness(ctx context.Context) readcache.Freshness { return attemptFrom(ctx).Freshness }

// WithoutEffects returns a context for computing what is only displayed: reservations, aborts
// and events made with it have no effect on the reconcile.
func WithoutEffects(ctx context.Context) context.Context {
	a := attemptFrom(ctx)
	return WithAttempt(ctx, &Attempt{Freshness: a.Freshness, permission: a.permission, circuitError: a.circuitError, preview: true})
}

// IsPreview returns whether the context is for computing what is only displayed: see
// WithoutEffects. Nothing but what is displayed should be read then.
func IsPreview(ctx context.Context) bool { return attemptFrom(ctx).preview }

// RetryWithin bounds how long after this reconcile the next one is, if this one fails: something is
// due by then even if the failed call can't be made. The caller bounds how often that call is made.
func RetryWithin(ctx context.Context, after time.Duration) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if after = max(after, minRequeueAfter); a.retryWithin == 0 || after < a.retryWithin {
		a.retryWithin = after
	}
}

// Annotate sets annotations of a resource, in memory and at once in the cluster. It is for
// changes made in AWS that must be known from then on.
func Annotate(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	a := attemptFrom(ctx)
	if a.AnnotateFn == nil {
		meta.AddAnnotations(mg, annotations)
		return nil
	}
	return a.AnnotateFn(ctx, mg, annotations)
}

// RecordIntent annotates a resource as Annotate does, before a call to AWS that must be known
// even if its answer is lost. If the resource has changed since it was read, the decision to
// make the call is outdated: RecordIntent then returns an error that aborts the reconcile, and
// the next one reads the resource live.
func RecordIntent(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	a := attemptFrom(ctx)
	if a.IntentRecorder == nil {
		return Annotate(ctx, mg, annotations)
	}
	err := a.IntentRecorder(ctx, mg, annotations)
	if kerrors.IsConflict(err) {
		a.abort(minRequeueAfter)
		return errAborted
	}
	return err
}

// WriteExternalName sets the external name of a resource that was found or adopted in AWS, in
// memory and at once in the cluster. It does nothing if the resource has that name already.
func WriteExternalName(ctx context.Context, mg resource.Managed, name string) error {
	if meta.GetExternalName(mg) == name {
		return nil
	}
	return RecordIntent(ctx, mg, ownership.Name(mg, name))
}

// RequeueDelay returns the delay that the external client requested with RequeueAfter, or 0.
func (a *Attempt) RequeueDelay() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requeueAfter
}

// Aborted returns whether the reconcile was aborted, and after which time to requeue the
// resource.
func (a *Attempt) Aborted() (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.abortFor, a.aborted
}

// ChangeSummary returns the last summary set with DescribeChange.
func (a *Attempt) ChangeSummary() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changeSummary
}

// Events returns the emitted events, in order.
func (a *Attempt) Events() []event.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]event.Event(nil), a.events...)
}

// abort aborts the reconcile. ops are the calls that it waits for, which are reserved before
// the next one.
func (a *Attempt) abort(after time.Duration, ops ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.aborted = true
	a.abortFor = max(a.abortFor, after, minRequeueAfter)
	a.deferredOps = append(a.deferredOps, ops...)
}

// release releases the calls that were reserved and not made.
func (a *Attempt) release() {
	if a.releaseFn != nil {
		a.releaseFn()
	}
}

// recordFailure records the error that the runtime is about to report.
func (a *Attempt) recordFailure(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// beginChange records that a call is about to change something in AWS.
func (a *Attempt) beginChange() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changing = true
}

// failure returns the last error that the runtime reported, if any.
func (a *Attempt) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}
