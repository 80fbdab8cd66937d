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

// minComeBack keeps a resource from coming back without end.
const minComeBack = 50 * time.Millisecond

// A Turn is one reconcile of one resource. The gate puts it into the context, and
// reads from it what the external client has asked for. A test of an external
// client may put one into its context with WithTurn, and read it likewise.
type Turn struct {
	// Reserver reserves calls, as Limiter does. Nil grants all.
	Reserver func(ops ...string) time.Duration

	// Fresh says how old an answer of AWS may be that another resource asked for. Its
	// zero value takes any.
	Fresh inventory.Fresh

	// Attempts of the resource in earlier reconciles. Nil remembers none.
	Attempts *Attempts

	// Annotator persists annotations. Nil sets them in memory only.
	Annotator func(ctx context.Context, obj client.Object, annotations map[string]string) error

	// Intender persists annotations if nobody has changed the object since it was read,
	// and returns a conflict otherwise. Nil is the Annotator.
	Intender func(ctx context.Context, obj client.Object, annotations map[string]string) error

	// throttles is the number of throttled calls in a row before this reconcile.
	throttles int

	releaser func()

	// cause says why AWS may have something else than what is wanted, see Cause.
	cause string

	// permission of the resource, once its client is connected.
	permission *permission

	// leave notes that the reconcile has ended; open is the error of calls that are not
	// made.
	leave func()
	open  func() error

	mu        sync.Mutex
	comeBack  time.Duration
	hold      time.Duration
	held      bool
	throttled bool
	wanted    []string
	summary   string
	events    []event.Event
	changing  bool
	did       deed
	absent    bool
	compared  Comparison
	mends     bool
	err       error
	ready     xpv2.Condition
	deletion  xpv2.Condition
	awaits    bool

	compares    bool
	differs     string
	differences []v1beta1.Difference
}

// A deed is what the external client did to the thing in AWS.
type deed int

const (
	nothing deed = iota
	created
	updated
	deleted
)

type turnKey struct{}

// WithTurn puts a turn into a context.
func WithTurn(ctx context.Context, t *Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// turnOf is the turn in the context, or an empty one that nobody reads.
func turnOf(ctx context.Context) *Turn {
	if t, ok := ctx.Value(turnKey{}).(*Turn); ok {
		return t
	}
	return &Turn{}
}

// ComeBack asks for another reconcile of this resource after the given time,
// instead of when it would be polled. Asked more than once, the least wins. It has
// no effect if the reconcile fails.
func ComeBack(ctx context.Context, after time.Duration) {
	t := turnOf(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	after = max(after, minComeBack)
	if t.comeBack == 0 || after < t.comeBack {
		t.comeBack = after
	}
}

// Reserve calls of AWS operations that are now due, such as CreateFunction. It is
// to be asked in Observe, before the due call is reported. If it returns false,
// their quota is not there yet: whatever Observe returns and sets is then dropped,
// and the resource comes back when the calls are due. A call that is made without
// asking is held up by the SDK's middleware, and dropped likewise.
func Reserve(ctx context.Context, ops ...string) bool {
	t := turnOf(ctx)
	if t.Reserver == nil {
		return true
	}
	wait := t.Reserver(ops...)
	if wait <= 0 {
		return true
	}
	deferred(ctx, wait, ops...)
	t.holdFor(wait, ops...)
	return false
}

// Hold drops the rest of this reconcile, and whatever it has set in status, and has
// the resource come back after the given time. Held more than once, the longest
// wins. Reserve holds where it returns false. Create, Update and Delete hold where
// they find that the call could not be made now, and return no error: the call then
// counts as not made.
func Hold(ctx context.Context, after time.Duration) { turnOf(ctx).holdFor(after) }

// Describe says what the call made in this reconcile does, such as "memorySize: 128
// -> 256", for the event that tells the user of it.
func Describe(ctx context.Context, what string) {
	t := turnOf(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.summary = what
}

// Emit an event about the resource, once this reconcile has come to its end. An
// event that only repeats the last one is dropped, so Observe may emit what it
// sees each time.
func Emit(ctx context.Context, e event.Event) {
	t := turnOf(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
}

// Fresh says how old an answer of AWS may be that this reconcile goes by, where
// another resource asked for it: not at all where the user asks for a look, a moment
// where the user waits or something is in motion, half the time between two looks where
// all was in order.
func Fresh(ctx context.Context) inventory.Fresh { return turnOf(ctx).Fresh }

// Aside is a context for working out what is only to be shown: what is reserved, held or
// emitted with it has no effect on the reconcile.
func Aside(ctx context.Context) context.Context {
	t := turnOf(ctx)
	return WithTurn(ctx, &Turn{Fresh: t.Fresh, permission: t.permission, open: t.open})
}

// Annotate a resource, in memory and at once in the cluster, for what was done in AWS
// and must be known from then on.
func Annotate(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	t := turnOf(ctx)
	if t.Annotator == nil {
		meta.AddAnnotations(mg, annotations)
		return nil
	}
	return t.Annotator(ctx, mg, annotations)
}

// Intend annotates a resource as Annotate does, for what must be known before a call to
// AWS is made, even if its answer is lost. Where the resource has changed since it was
// read, the decision to make the call was another's to make: the error that Intend then
// returns drops the reconcile, and the next one reads the resource live.
func Intend(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	t := turnOf(ctx)
	if t.Intender == nil {
		return Annotate(ctx, mg, annotations)
	}
	err := t.Intender(ctx, mg, annotations)
	if kerrors.IsConflict(err) {
		t.holdFor(minComeBack)
		return errHeld
	}
	return err
}

// WriteExternalName of a thing that was found or adopted, in memory and at once in
// the cluster. It does nothing where the resource has that name already.
func WriteExternalName(ctx context.Context, mg resource.Managed, name string) error {
	if meta.GetExternalName(mg) == name {
		return nil
	}
	return Intend(ctx, mg, ownership.Name(mg, name))
}

// ComesBack is the time after which the external client asked to come back, 0 if it
// did not.
func (t *Turn) ComesBack() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.comeBack
}

// Held tells whether the reconcile is to be dropped, and when to come back then.
func (t *Turn) Held() (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hold, t.held
}

// Summary is what Describe was told last.
func (t *Turn) Summary() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.summary
}

// Events are those that Emit was told, in order.
func (t *Turn) Events() []event.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]event.Event(nil), t.events...)
}

func (t *Turn) holdFor(after time.Duration, ops ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = true
	t.hold = max(t.hold, after, minComeBack)
	t.wanted = append(t.wanted, ops...)
}

// release gives back the calls that were reserved and not made.
func (t *Turn) release() {
	if t.releaser != nil {
		t.releaser()
	}
}

// fail notes the error that the runtime is about to report.
func (t *Turn) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

// change notes that something in AWS is about to be changed.
func (t *Turn) change() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changing = true
}

// failure is the last error that the runtime reported, if any.
func (t *Turn) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
