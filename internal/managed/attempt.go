package managed

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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// minRequeueAfter keeps a resource from coming back without end.
const minRequeueAfter = 50 * time.Millisecond

// A Turn is one reconcile of one resource. The gate puts it into the context, and
// reads from it what the external client has asked for. A test of an external
// client may put one into its context with WithTurn, and read it likewise.
type Attempt struct {
	// ReserveFn reserves calls, as Limiter does. Nil grants all.
	ReserveFn func(ops ...string) time.Duration

	// Freshness says how old an answer of AWS may be that another resource asked for. Its
	// zero value takes any.
	Freshness inventory.Freshness

	// Calls of the resource in earlier reconciles. Nil remembers none.
	Calls *CallHistory

	// AnnotateFn persists annotations. Nil sets them in memory only.
	AnnotateFn func(ctx context.Context, obj client.Object, annotations map[string]string) error

	// IntentRecorder persists annotations if nobody has changed the object since it was read,
	// and returns a conflict otherwise. Nil is the Annotator.
	IntentRecorder func(ctx context.Context, obj client.Object, annotations map[string]string) error

	// throttlesBefore is the number of throttled calls in a row before this reconcile.
	throttlesBefore int

	releaseFn func()

	// cause says why AWS may have something else than what is wanted, see Cause.
	cause string

	// permission of the resource, once its client is connected.
	permission *permission

	// onEnd notes that the reconcile has ended; open is the error of calls that are not
	// made.
	onEnd        func()
	circuitError func() error

	mu                sync.Mutex
	requeueAfter      time.Duration
	abortFor          time.Duration
	aborted           bool
	throttled         bool
	deferredOps       []string
	changeSummary     string
	events            []event.Event
	changing          bool
	action            action
	comparison        Comparison
	mayUpdate         bool
	err               error
	ready             xpv2.Condition
	deletion          xpv2.Condition
	waitsForReference bool

	hasDifferences bool
	differsMessage string
	differences    []v1beta1.Difference
}

// A deed is what the external client did to the thing in AWS.
type action int

const (
	actionNone action = iota
	actionCreated
	actionUpdated
	actionDeleted
)

type attemptKey struct{}

// WithAttempt puts a turn into a context.
func WithAttempt(ctx context.Context, a *Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// attemptFrom is the turn in the context, or an empty one that nobody reads.
func attemptFrom(ctx context.Context) *Attempt {
	if a, ok := ctx.Value(attemptKey{}).(*Attempt); ok {
		return a
	}
	return &Attempt{}
}

// RequeueAfter asks for another reconcile of this resource after the given time,
// instead of when it would be polled. Asked more than once, the least wins. It has
// no effect if the reconcile fails.
func RequeueAfter(ctx context.Context, after time.Duration) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	after = max(after, minRequeueAfter)
	if a.requeueAfter == 0 || after < a.requeueAfter {
		a.requeueAfter = after
	}
}

// Reserve calls of AWS operations that are now due, such as CreateFunction. It is
// to be asked in Observe, before the due call is reported. If it returns false,
// their quota is not there yet: whatever Observe returns and sets is then dropped,
// and the resource comes back when the calls are due. A call that is made without
// asking is held up by the SDK's middleware, and dropped likewise.
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

// Abort drops the rest of this reconcile, and whatever it has set in status, and has
// the resource come back after the given time. Held more than once, the longest
// wins. Reserve holds where it returns false. Create, Update and Delete hold where
// they find that the call could not be made now, and return no error: the call then
// counts as not made.
func Abort(ctx context.Context, after time.Duration) { attemptFrom(ctx).abort(after) }

// DescribeChange says what the call made in this reconcile does, such as "memorySize: 128
// -> 256", for the event that tells the user of it.
func DescribeChange(ctx context.Context, what string) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changeSummary = what
}

// Emit an event about the resource, once this reconcile has come to its end. An
// event that only repeats the last one is dropped, so Observe may emit what it
// sees each time.
func Emit(ctx context.Context, e event.Event) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, e)
}

// Freshness says how old an answer of AWS may be that this reconcile goes by, where
// another resource asked for it: not at all where the user asks for a look, a moment
// where the user waits or something is in motion, half the time between two looks where
// all was in order.
func Freshness(ctx context.Context) inventory.Freshness { return attemptFrom(ctx).Freshness }

// WithoutEffects is a context for working out what is only to be shown: what is reserved, held or
// emitted with it has no effect on the reconcile.
func WithoutEffects(ctx context.Context) context.Context {
	a := attemptFrom(ctx)
	return WithAttempt(ctx, &Attempt{Freshness: a.Freshness, permission: a.permission, circuitError: a.circuitError})
}

// Annotate a resource, in memory and at once in the cluster, for what was done in AWS
// and must be known from then on.
func Annotate(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	a := attemptFrom(ctx)
	if a.AnnotateFn == nil {
		meta.AddAnnotations(mg, annotations)
		return nil
	}
	return a.AnnotateFn(ctx, mg, annotations)
}

// RecordIntent annotates a resource as Annotate does, for what must be known before a call to
// AWS is made, even if its answer is lost. Where the resource has changed since it was
// read, the decision to make the call was another's to make: the error that Intend then
// returns drops the reconcile, and the next one reads the resource live.
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

// WriteExternalName of a thing that was found or adopted, in memory and at once in
// the cluster. It does nothing where the resource has that name already.
func WriteExternalName(ctx context.Context, mg resource.Managed, name string) error {
	if meta.GetExternalName(mg) == name {
		return nil
	}
	return RecordIntent(ctx, mg, ownership.Name(mg, name))
}

// RequeueDelay is the time after which the external client asked to come back, 0 if it
// did not.
func (a *Attempt) RequeueDelay() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requeueAfter
}

// Aborted tells whether the reconcile is to be dropped, and when to come back then.
func (a *Attempt) Aborted() (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.abortFor, a.aborted
}

// ChangeSummary is what Describe was told last.
func (a *Attempt) ChangeSummary() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changeSummary
}

// Events are those that Emit was told, in order.
func (a *Attempt) Events() []event.Event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]event.Event(nil), a.events...)
}

func (a *Attempt) abort(after time.Duration, ops ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.aborted = true
	a.abortFor = max(a.abortFor, after, minRequeueAfter)
	a.deferredOps = append(a.deferredOps, ops...)
}

// release gives back the calls that were reserved and not made.
func (a *Attempt) release() {
	if a.releaseFn != nil {
		a.releaseFn()
	}
}

// recordFailure notes the error that the runtime is about to report.
func (a *Attempt) recordFailure(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// beginChange notes that something in AWS is about to be changed.
func (a *Attempt) beginChange() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changing = true
}

// failure is the last error that the runtime reported, if any.
func (a *Attempt) failure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}
