package reconcile

import (
	"context"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// An Observer observes the external resource of a managed resource, and decides which call is due. It lives for one
// reconcile. Resource is the one that most kinds use.
type Observer[T Managed] interface {
	// Observe makes no call that changes anything: the call that is due is part of the Outcome. The Outcome counts
	// even if there is an error. The error may be a LaterError, a NotReadyError, or an AwaitedError.
	Observe(ctx context.Context, f Facts, mg T) (Outcome, error)
}

// ObserverFunc is an Observer that is a function.
type ObserverFunc[T Managed] func(ctx context.Context, f Facts, mg T) (Outcome, error)

// Observe calls the function.
func (o ObserverFunc[T]) Observe(ctx context.Context, f Facts, mg T) (Outcome, error) {
	return o(ctx, f, mg)
}

// Facts is the knowledge of a reconcile before it observes the external resource. The zero value grants all calls and
// knows nothing.
type Facts struct {
	// Fresh is the time of the reconcile, and how old an AWS answer may be that another resource has requested: of
	// this moment if the user requests a reconcile, a moment old if the user waits or something is in progress, and
	// half the poll interval or Kind.PollAge old if the resource was up to date. Its zero value accepts any age.
	Fresh readcache.Freshness

	// Repeats are the calls of earlier reconciles that have not shown their effect. Nil means that none is kept.
	Repeats *Repeats

	// Others knows which other resources own what. Nil allows everything.
	Others *Others

	// ReserveFn reserves calls, as a Limiter does. Nil grants all of them.
	ReserveFn func(ops ...string) time.Duration

	// CausesFn returns the causes of a difference between AWS and spec: what has changed here, and what has changed
	// the resource in AWS. Each is empty if it is unknown. It is asked when a correction is planned, because the event
	// about a change here may arrive during the reconcile that sees the change. Nil knows none.
	CausesFn func() (changed, drifted string)

	// Origin describes the call that explains a difference, empty if unknown.
	Origin string

	// ReadyBefore is the Ready condition at the start.
	ReadyBefore xpv2.Condition
}

// Now returns the time of the reconcile.
func (f Facts) Now() time.Time { return f.Fresh.Now }

// Reserve reserves quota for calls of AWS operations, such as GetAlias, that an observation finds due. Reads that spec
// and status determine are reserved before (Kind.Reads), and the due call of an Outcome is reserved after. If the quota
// is not available yet, Reserve returns a LaterError, which Observe returns: the next reconcile reserves the calls in
// advance. A call without a reservation is deferred by the SDK's middleware, which has the same result.
func (f Facts) Reserve(ops ...string) error {
	if f.ReserveFn == nil || len(ops) == 0 {
		return nil
	}
	if wait := f.ReserveFn(ops...); wait > 0 {
		return &LaterError{After: wait, Operations: ops}
	}
	return nil
}

// Effects are the requests of a step of an observation or a call, besides its result.
type Effects struct {
	// Events are emitted when the reconcile has ended. An event that only repeats the last one is dropped, so an
	// observation may return its findings every time.
	Events []event.Event

	// After is the delay before the next reconcile of the resource, instead of its poll interval. The shortest wins. It
	// has no effect if the reconcile fails.
	After time.Duration

	// RetryWithin bounds the delay before the next reconcile if this one fails: something is due by then even if the
	// failed call can't be made.
	RetryWithin time.Duration

	// Retries says that AWS has refused a change that is made again later: the conditions remain as they are.
	Retries bool

	// Sizes are observed sizes, in bytes, of what codes of the advisor are about, if status does not have them.
	Sizes advice.Sizes

	// Stored are called after the status was written. They are not called if the reconcile leaves no trace.
	Stored []func(context.Context)

	// Keep says that the status contains what cannot be read from AWS again, so that it is written at once, also if AWS
	// throttles the call that is due.
	Keep bool
}

// Add adds what another step asks for.
func (e *Effects) Add(o Effects) {
	e.Events = append(e.Events, o.Events...)
	e.After, e.RetryWithin = soonest(e.After, o.After), soonest(e.RetryWithin, o.RetryWithin)
	for code, size := range o.Sizes {
		if e.Sizes == nil {
			e.Sizes = advice.Sizes{}
		}
		e.Sizes[code] = size
	}
	e.Stored = append(e.Stored, o.Stored...)
	e.Keep, e.Retries = e.Keep || o.Keep, e.Retries || o.Retries
}

// soonest returns the shorter of two delays, of which 0 means none.
func soonest(a, b time.Duration) time.Duration {
	switch {
	case b <= 0:
		return a
	case a <= 0:
		return max(b, AtOnce)
	}
	return max(min(a, b), AtOnce)
}

// A Record is a set of annotations to write.
type Record struct {
	Annotations map[string]string

	// Failure is the message that wraps the error if they cannot be written.
	Failure string
}

// An Outcome is the result of an observation: what was found, and the call that is due.
type Outcome struct {
	Effects

	// Exists reports whether AWS has the external resource, or may have it although it does not show it.
	Exists bool

	// Ready is the Ready condition. Its zero value leaves it as it is.
	Ready xpv2.Condition

	// Changes are the differences between spec and AWS, or what is set by a creation.
	Changes diff.Changes

	// State is the result of the comparison, and MayUpdate whether the resource may correct a difference.
	State     SyncState
	MayUpdate bool

	// Differences are reported in status. Nil if nothing was compared.
	Differences *Differences

	// Annotate is written at once, on condition that the resource has not changed since it was read: the name of an
	// external resource that was found or adopted.
	Annotate Record

	// Call is the call that is due. Nil if there is none.
	Call *Call

	// Details are the connection details.
	Details managed.ConnectionDetails
}

// Differences reports the differences between AWS and spec to users.
type Differences struct {
	// Message is the message of Ready if the resource may not correct them, and empty if it may.
	Message string

	List []v1beta1.Difference
}

// A Verb is the effect of a call on the external resource, empty for none. It is the name of the call's span.
type Verb string

// The verbs.
const (
	ToCreate Verb = "Create"
	ToUpdate Verb = "Update"
	ToDelete Verb = "Delete"

	// ToConfirm stands for a deletion that waits for a confirmation instead of being made.
	ToConfirm Verb = "Confirm"
)

// A Call is a call that changes the external resource.
type Call struct {
	Verb Verb

	// Reserve are the AWS operations to reserve before the call.
	Reserve []string

	// Intent is written before the call, so that its effect is known even if its answer is lost. Nothing is called if
	// the resource has changed since it was read. That of a creation is written together with the finalizer and the
	// annotation that the creation is pending.
	Intent Record

	// Does describes the call in the event about it, unless its Result does.
	Does string

	// Do makes the call. The Result counts even if there is an error.
	Do func(ctx context.Context) (Result, error)
}

// A Result is the result of a call that changes the external resource.
type Result struct {
	Effects

	// Name is the name by which AWS knows what was created. An Update that returns one has created a replacement.
	Name string

	// Annotate is written at once.
	Annotate Record

	// Ready is the final Ready condition of a creation after which nothing remains to be observed. That of a deletion
	// says what it waits for.
	Ready xpv2.Condition

	// Does describes the call in the event about it, such as "memorySize: 128 -> 256".
	Does string

	// Quiet says that an update has no event, because the kind emits one when AWS shows the effect.
	Quiet bool

	// Part says that a deletion was not finished by this call: the next part is due without the delays of a deletion
	// that AWS accepts without showing its effect.
	Part bool

	// Details are the connection details.
	Details managed.ConnectionDetails
}

// A SyncState is the result of comparing the external resource with spec.
type SyncState int

const (
	// Undecided means that the observation allows no conclusion: AWS was not called, or is still working.
	Undecided SyncState = iota

	// UpToDate means that AWS has what spec asks for, and serves it.
	UpToDate

	// Unserved means that AWS has what spec asks for, and does not serve it, such as a mapping that is disabled.
	Unserved

	// SourceChanged means that what spec points to has changed at its source, such as an
	// object in S3. The difference is a new version rather than drift.
	SourceChanged

	// Differs means that AWS has something else than spec asks for.
	Differs

	// Missing means that the external resource does not exist.
	Missing
)

// String returns the value of the metric label change, for the two results that can be drift.
func (c SyncState) String() string {
	if c == Missing {
		return "missing"
	}
	return "changed"
}
