package reconcile

// This file is for kinds that do not implement Observer yet. It goes with the last of them.

import (
	"context"
	"sync"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// CallHistory is the name of Repeats for kinds that are not ported yet.
type CallHistory = Repeats

// minRequeueAfter is the name of AtOnce for kinds that are not ported yet.
const minRequeueAfter = AtOnce

// An Attempt is what a kind that is not ported yet finds in its context, and sets.
type Attempt struct {
	ReserveFn      func(ops ...string) time.Duration
	Freshness      readcache.Freshness
	Calls          *CallHistory
	AnnotateFn     func(ctx context.Context, obj client.Object, annotations map[string]string) error
	IntentRecorder func(ctx context.Context, obj client.Object, annotations map[string]string) error

	facts Facts

	mu          sync.Mutex
	later       *LaterError
	out         Outcome
	does        string
	concluded   xpv2.Condition
	deletedPart bool
}

type attemptKey struct{}

// WithAttempt returns a context that carries an Attempt.
func WithAttempt(ctx context.Context, a *Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

func attemptFrom(ctx context.Context) *Attempt {
	if a, ok := ctx.Value(attemptKey{}).(*Attempt); ok {
		return a
	}
	return &Attempt{}
}

// attemptOf returns the attempt of a reconcile.
func attemptOf(f Facts) *Attempt {
	return &Attempt{ReserveFn: f.ReserveFn, Freshness: f.Fresh, Calls: f.Repeats, AnnotateFn: f.annotate, IntentRecorder: f.annotateIfUnchanged, facts: f}
}

// Facts returns the facts of the attempt.
func (a *Attempt) Facts() Facts {
	f := a.facts
	f.ReserveFn, f.Fresh, f.Repeats = a.ReserveFn, a.Freshness, a.Calls
	return f
}

// RequeueAfter sets Effects.After.
func RequeueAfter(ctx context.Context, after time.Duration) {
	attemptFrom(ctx).effect(Effects{After: max(after, AtOnce)})
}

// Emit adds to Effects.Events.
func Emit(ctx context.Context, e event.Event) {
	attemptFrom(ctx).effect(Effects{Events: []event.Event{e}})
}

// OnStored adds to Effects.Stored.
func OnStored(ctx context.Context, f func(context.Context)) {
	attemptFrom(ctx).effect(Effects{Stored: []func(context.Context){f}})
}

// StoreNow sets Effects.Keep.
func StoreNow(ctx context.Context) { attemptFrom(ctx).effect(Effects{Keep: true}) }

// ReportSize adds to Effects.Sizes.
func ReportSize(ctx context.Context, code advice.Code, size int) {
	attemptFrom(ctx).effect(Effects{Sizes: advice.Sizes{code: size}})
}

func (a *Attempt) effect(e Effects) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.add(e)
}

// Reserve is Facts.Reserve. If it returns false, the reconcile leaves no trace.
func Reserve(ctx context.Context, ops ...string) bool {
	a := attemptFrom(ctx)
	err := a.Facts().Reserve(ops...)
	if later := (*LaterError)(nil); errors.As(err, &later) {
		a.abort(later)
		return false
	}
	return true
}

// Abort returns a LaterError from the reconcile.
func Abort(ctx context.Context, after time.Duration) {
	attemptFrom(ctx).abort(&LaterError{After: after})
}

func (a *Attempt) abort(l *LaterError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.later == nil {
		a.later = &LaterError{After: AtOnce}
	}
	a.later.After = max(a.later.After, l.After)
	a.later.Operations = append(a.later.Operations, l.Operations...)
}

// DescribeChange sets Result.Does.
func DescribeChange(ctx context.Context, what string) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.does = what
}

// Freshness returns Facts.Fresh.
func Freshness(ctx context.Context) readcache.Freshness { return attemptFrom(ctx).Freshness }

// Cause returns Facts.Cause.
func Cause(ctx context.Context, mg Managed) string { return attemptFrom(ctx).facts.Cause(mg) }

// Conclude sets Result.Ready of a creation.
func Conclude(ctx context.Context, ready xpv2.Condition) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.concluded = ready
}

// DeletedPart sets Result.Part.
func DeletedPart(ctx context.Context) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deletedPart = true
}

// Annotate writes annotations at once: Result.Annotate.
func Annotate(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	a := attemptFrom(ctx)
	if a.AnnotateFn == nil {
		meta.AddAnnotations(mg, annotations)
		return nil
	}
	return a.AnnotateFn(ctx, mg, annotations)
}

// RecordIntent writes annotations at once, if the resource is unchanged: Call.Intent and Outcome.Annotate.
func RecordIntent(ctx context.Context, mg resource.Managed, annotations map[string]string) error {
	a := attemptFrom(ctx)
	if a.IntentRecorder == nil {
		return Annotate(ctx, mg, annotations)
	}
	err := a.IntentRecorder(ctx, mg, annotations)
	if kerrors.IsConflict(err) {
		a.abort(&LaterError{After: AtOnce})
		return &LaterError{After: AtOnce}
	}
	return err
}

// NewForeignUntaggedError is Others.NewForeignUntaggedError.
func NewForeignUntaggedError(ctx context.Context, what, name string) error {
	return attemptFrom(ctx).facts.Others.NewForeignUntaggedError(ctx, what, name)
}

// CreatedAgain returns the annotations that Result.Name of an Update leads to.
func CreatedAgain(ctx context.Context, mg resource.Managed, name string) map[string]string {
	return createdAgain(mg, name, Freshness(ctx).Now)
}

// ReportSyncState sets Outcome.State.
func ReportSyncState(ctx context.Context, c SyncState, mayUpdate bool) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.out.State, a.out.MayUpdate = c, mayUpdate
}

// SyncState returns what was reported with ReportSyncState.
func (a *Attempt) SyncState() (c SyncState, mayUpdate bool) { return a.out.State, a.out.MayUpdate }

// RequeueDelay returns the delay that was requested with RequeueAfter, or 0.
func (a *Attempt) RequeueDelay() time.Duration { return a.out.After }

// Aborted reports whether the reconcile leaves no trace, and when it is repeated.
func (a *Attempt) Aborted() (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.later == nil {
		return 0, false
	}
	return a.later.After, true
}

// ChangeSummary returns what was set with DescribeChange.
func (a *Attempt) ChangeSummary() string { return a.does }

// Events returns the emitted events, in order.
func (a *Attempt) Events() []event.Event { return a.out.Events }

// Sizes returns the reported sizes.
func (a *Attempt) Sizes() advice.Sizes { return a.out.Sizes }

// Stored calls the functions of OnStored.
func (a *Attempt) Stored(ctx context.Context) {
	for _, f := range a.out.Stored {
		f(ctx)
	}
}

// Differences returns how AWS differs from spec, and whether it was compared.
func (a *Attempt) Differences() (message string, ds []v1beta1.Difference, reported bool) {
	if a.out.Differences == nil {
		return "", nil, false
	}
	return a.out.Differences.Message, a.out.Differences.List, true
}

// aborted returns a LaterError if the reconcile leaves no trace.
func (a *Attempt) aborted() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.later == nil {
		return nil
	}
	return a.later
}

// taken returns what was set since it was last taken.
func (a *Attempt) taken() Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.out
	a.out = Outcome{}
	return out
}

// FromClient returns an Observer that calls a client as crossplane-runtime does.
func FromClient[T Managed](c managed.TypedExternalClient[T]) Observer[T] {
	return ObserverFunc[T](func(ctx context.Context, f Facts, mg T) (Outcome, error) {
		a := attemptOf(f)
		o, err := c.Observe(WithAttempt(ctx, a), mg)
		out := a.taken()
		out.Exists, out.Details = o.ResourceExists, o.ConnectionDetails
		err = firstOf(err, a)
		if err != nil {
			return out, err
		}
		out.Call = callOf(c, mg, o, a)
		return out, nil
	})
}

// callOf returns the call that an observation makes the runtime do.
func callOf[T Managed](c managed.TypedExternalClient[T], mg T, o managed.ExternalObservation, a *Attempt) *Call {
	do := func(call func(ctx context.Context) (managed.ConnectionDetails, error)) func(context.Context) (Result, error) {
		return func(ctx context.Context) (Result, error) {
			details, err := call(WithAttempt(ctx, a))
			err = firstOf(err, a)
			return Result{Effects: a.taken().Effects, Does: a.does, Ready: a.concluded, Part: a.deletedPart, Details: details}, err
		}
	}
	switch {
	case meta.WasDeleted(mg) && o.ResourceExists:
		return &Call{Verb: ToDelete, Do: do(func(ctx context.Context) (managed.ConnectionDetails, error) {
			_, err := c.Delete(ctx, mg)
			a.concluded = mg.GetCondition(xpv2.TypeReady)
			return nil, err
		})}
	case meta.WasDeleted(mg), o.ResourceUpToDate:
		return nil
	case !o.ResourceExists:
		return &Call{Verb: ToCreate, Do: do(func(ctx context.Context) (managed.ConnectionDetails, error) {
			created, err := c.Create(ctx, mg)
			return created.ConnectionDetails, err
		})}
	}
	return &Call{Verb: ToUpdate, Do: do(func(ctx context.Context) (managed.ConnectionDetails, error) {
		updated, err := c.Update(ctx, mg)
		return updated.ConnectionDetails, err
	})}
}

// An ExternalResource is a Resource of a kind that is not ported yet.
type ExternalResource[T Managed, O, S any] interface {
	Read(ctx context.Context, mg T) (Observation[O, S], error)
	SetStatus(mg T, o Observation[O, S])
	Desired(ctx context.Context, mg T) (forProvider, initProvider S, err error)
	Create(ctx context.Context, mg T, s S) (name string, err error)
	Update(ctx context.Context, mg T, o Observation[O, S], u Update[S]) error
	Delete(ctx context.Context, mg T, o Observation[O, S]) error
}

// OwnershipChecker has Owner.
type OwnershipChecker[T Managed, O, S any] interface {
	CheckOwnership(ctx context.Context, mg T, o Observation[O, S]) (ownership.Ownership, error)
}

// Comparer has Compare.
type Comparer[T Managed, O, S any] interface {
	Compare(ctx context.Context, mg T, d Desired[S], o Observation[O, S]) (Comparison[S], error)
}

// Planner has Plan.
type Planner[T Managed, O, S any] interface {
	Plan(ctx context.Context, mg T, o Observation[O, S], c Comparison[S]) (Plan, error)
}

// CreationPreparer has PrepareCreate.
type CreationPreparer[T Managed, S any] interface {
	PrepareCreate(ctx context.Context, mg T, s S) error
}

// ConnectionDetailer has Details.
type ConnectionDetailer[T Managed] interface {
	ConnectionDetails(mg T) managed.ConnectionDetails
}

// External drives an ExternalResource as crossplane-runtime does.
type External[T Managed, O, S any] struct {
	external external[T, O, S]
	calls    Calls
}

// NewExternal returns the External of an ExternalResource.
func NewExternal[T Managed, O, S any](r ExternalResource[T, O, S], calls Calls) *External[T, O, S] {
	return &External[T, O, S]{external: external[T, O, S]{Resource: fromExternalResource(r, calls)}, calls: calls}
}

// Observe observes the external resource.
func (e *External[T, O, S]) Observe(ctx context.Context, mg T) (managed.ExternalObservation, error) {
	a := attemptFrom(ctx)
	e.external = external[T, O, S]{Resource: e.external.Resource, facts: a.Facts(), mg: mg}
	err := e.external.observe(ctx)
	out := e.external.out
	a.mu.Lock()
	effects := a.out.Effects
	effects.add(out.Effects)
	a.out = out
	a.out.Effects = effects
	if out.Call != nil && out.Call.Does != "" {
		a.does = out.Call.Does
	}
	a.mu.Unlock()
	if awaited := (*NotReadyError)(nil); errors.As(err, &awaited) {
		out.Ready, out.Exists, out.Call, err = Creating(mg.GetGeneration(), awaited.Reason), true, nil, nil
		a.effect(Effects{After: awaited.After})
	}
	if out.Ready.Type != "" {
		mg.SetConditions(out.Ready)
	}
	if len(out.Annotate.Annotations) > 0 {
		if err := RecordIntent(ctx, mg, out.Annotate.Annotations); err != nil {
			return managed.ExternalObservation{}, errors.Wrap(err, out.Annotate.Failure)
		}
	}
	if later := (*LaterError)(nil); errors.As(err, &later) {
		a.abort(later)
		err = nil
	}
	if err != nil {
		return managed.ExternalObservation{}, err
	}
	o := ObservationFor(mg, out)
	if out.Call != nil {
		Reserve(ctx, out.Call.Reserve...)
	}
	return o, nil
}

// result applies a result.
func (e *External[T, O, S]) result(ctx context.Context, mg T, res Result, err error) error {
	a := attemptFrom(ctx)
	a.effect(res.Effects)
	if res.Does != "" {
		a.does = res.Does
	}
	if res.Ready.Type != "" {
		mg.SetConditions(res.Ready)
	}
	if len(res.Annotate.Annotations) > 0 {
		if werr := Annotate(context.WithoutCancel(ctx), mg, res.Annotate.Annotations); err == nil {
			err = errors.Wrap(werr, res.Annotate.Failure)
		}
	}
	if later := (*LaterError)(nil); errors.As(err, &later) {
		a.abort(later)
		return nil
	}
	return err
}

// prepare makes the client ready for a call without an observation.
func (e *External[T, O, S]) prepare(ctx context.Context, mg T) {
	e.external.facts, e.external.mg = attemptFrom(ctx).Facts(), mg
}

// Create creates the external resource.
func (e *External[T, O, S]) Create(ctx context.Context, mg T) (managed.ExternalCreation, error) {
	e.prepare(ctx, mg)
	if intent := e.external.unname(); len(intent.Annotations) > 0 {
		if err := RecordIntent(ctx, mg, intent.Annotations); err != nil {
			return managed.ExternalCreation{}, errors.Wrap(err, intent.Failure)
		}
	}
	res, err := e.external.create(ctx)
	return managed.ExternalCreation{ConnectionDetails: res.Details}, e.result(ctx, mg, res, err)
}

// Update makes the one call that is due.
func (e *External[T, O, S]) Update(ctx context.Context, mg T) (managed.ExternalUpdate, error) {
	e.prepare(ctx, mg)
	res, err := e.external.update(ctx)
	return managed.ExternalUpdate{ConnectionDetails: res.Details}, e.result(ctx, mg, res, err)
}

// Delete deletes the external resource.
func (e *External[T, O, S]) Delete(ctx context.Context, mg T) (managed.ExternalDelete, error) {
	e.prepare(ctx, mg)
	res, err := e.external.delete(ctx)
	return managed.ExternalDelete{}, e.result(ctx, mg, res, err)
}

// Disconnect does nothing.
func (e *External[T, O, S]) Disconnect(context.Context) error { return nil }

// fromExternalResource returns the Resource of an ExternalResource.
func fromExternalResource[T Managed, O, S any](r ExternalResource[T, O, S], calls Calls) Resource[T, O, S] {
	out := Resource[T, O, S]{Calls: calls, Status: r.SetStatus}
	out.Read = func(ctx context.Context, _ Facts, mg T) (Observation[O, S], error) {
		o, err := r.Read(ctx, mg)
		return o, firstOf(err, attemptFrom(ctx))
	}
	out.Desired = func(ctx context.Context, mg T) (S, S, error) {
		fp, ip, err := r.Desired(ctx, mg)
		return fp, ip, firstOf(err, attemptFrom(ctx))
	}
	out.Create = func(ctx context.Context, mg T, s S) (Result, error) {
		name, err := r.Create(ctx, mg, s)
		return Result{Name: name}, firstOf(err, attemptFrom(ctx))
	}
	out.Update = func(ctx context.Context, mg T, o Observation[O, S], u Update[S]) (Result, error) {
		err := r.Update(ctx, mg, o, u)
		return Result{Part: attemptFrom(ctx).deletedPart}, firstOf(err, attemptFrom(ctx))
	}
	out.Delete = func(ctx context.Context, mg T, o Observation[O, S]) (Result, error) {
		a := attemptFrom(ctx)
		mg.SetConditions(Deleting(mg.GetGeneration(), ""))
		err := r.Delete(ctx, mg, o)
		return Result{Part: a.deletedPart}, firstOf(err, a)
	}
	optional(r, &out)
	return out
}

// optional sets the functions of the optional methods.
func optional[T Managed, O, S any](r ExternalResource[T, O, S], out *Resource[T, O, S]) {
	if x, ok := r.(OwnershipChecker[T, O, S]); ok {
		out.Owner = func(ctx context.Context, _ Facts, mg T, o Observation[O, S]) (ownership.Ownership, error) {
			v, err := x.CheckOwnership(ctx, mg, o)
			return v, firstOf(err, attemptFrom(ctx))
		}
	}
	if x, ok := r.(Comparer[T, O, S]); ok {
		out.Compare = func(ctx context.Context, mg T, d Desired[S], o Observation[O, S]) (Comparison[S], error) {
			c, err := x.Compare(previewing(ctx, d.Preview), mg, d, o)
			return c, firstOf(err, attemptFrom(ctx))
		}
	}
	if x, ok := r.(Planner[T, O, S]); ok {
		out.Plan = func(ctx context.Context, mg T, o Observation[O, S], c Comparison[S]) (Plan, error) {
			ctx = previewing(ctx, c.preview)
			p, err := x.Plan(ctx, mg, o, c)
			return p, firstOf(err, attemptFrom(ctx))
		}
	}
	if x, ok := r.(CreationPreparer[T, S]); ok {
		out.PrepareCreate = func(ctx context.Context, mg T, s S) (Creation, error) {
			return Creation{}, firstOf(x.PrepareCreate(ctx, mg, s), attemptFrom(ctx))
		}
	}
	if x, ok := r.(ConnectionDetailer[T]); ok {
		out.Details = x.ConnectionDetails
	}
}

// firstOf returns a LaterError if the reconcile leaves no trace, or else an error.
func firstOf(err error, a *Attempt) error {
	if later := a.aborted(); later != nil {
		return later
	}
	return err
}

// previewing returns a context for computing what is only displayed: what is asked for in it has no effect.
func previewing(ctx context.Context, preview bool) context.Context {
	if !preview {
		return ctx
	}
	a := attemptFrom(ctx)
	f := a.facts
	return WithAttempt(ctx, &Attempt{Freshness: a.Freshness, facts: f})
}
