package reconcile

import (
	"context"
	"reflect"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// A Stepper reconciles one resource of a kind step by step, without a manager, a quota or a write to the cluster: what a
// reconcile writes is set in memory. Together with a session that records calls instead of making them, it shows what
// the controller of the kind would do. It has the state that a kind keeps between reconciles, so it is for one resource.
type Stepper interface {
	// Step does one reconcile of a resource at a time.
	Step(ctx context.Context, mg Managed, s *session.Session, now time.Time) Stepped

	// Region returns the AWS region of a resource.
	Region(mg Managed) string

	// New returns an empty resource.
	New() Managed

	// Reads returns the AWS operations of the next observation.
	Reads(mg Managed) []string

	// Lists returns AWS's lists by which many settled resources are polled at once.
	Lists(mg Managed) []*listpoll.List

	// Redact removes from a resource what must not be shown.
	Redact(mg Managed)
}

// A Stepped is the result of one reconcile.
type Stepped struct {
	// Exists is whether AWS has the external resource.
	Exists bool

	// Changes are the differences between spec and AWS, or what is set if the external resource does not exist.
	Changes diff.Changes

	// Adopted is whether the resource has adopted the external resource.
	Adopted bool

	// Gone is whether the resource is being deleted, and nothing of it is left in AWS that it may delete.
	Gone bool

	// Settled is whether nothing is left to do.
	Settled bool

	// Wait is when the next reconcile is due, if nothing was called.
	Wait time.Duration

	// Deferred is whether the reconcile was ended because AWS may not be called again before Wait.
	Deferred bool

	// Awaits is whether Err is that something is missing that spec refers to.
	Awaits bool

	// Err is the error that the resource reports.
	Err error
}

// stepper implements Stepper.
type stepper[T Managed] struct {
	kind      Kind[T]
	connector *connector[T]
	policies  bool
	calls     CallHistory
	status    func(ctx context.Context, mg client.Object)
}

// newStepper returns the stepper of a kind. kc reads what specs refer to.
func newStepper[T Managed](kc client.Client, o Options, k Kind[T]) *stepper[T] {
	r := &references[T]{kind: k, reader: kc, tenants: o.Tenants}
	c := &connector[T]{kind: k, references: r, referral: &referral[T]{kind: k, references: r, objects: o.Objects}, tenants: o.Tenants, policies: true, tracer: noop.NewTracerProvider().Tracer(""), events: event.NewNopRecorder()}
	hook := completeStatus(newStateStore(), o.Now, 0)
	return &stepper[T]{kind: k, connector: c, policies: true, status: func(ctx context.Context, mg client.Object) { hook(ctx, mg) }}
}

// Region returns the AWS region of a resource.
func (s *stepper[T]) Region(mg Managed) string {
	if t, ok := mg.(T); ok {
		return s.kind.Region(t)
	}
	return ""
}

// New returns an empty resource.
func (s *stepper[T]) New() Managed { return s.kind.New() }

// Reads returns the AWS operations of the next observation.
func (s *stepper[T]) Reads(mg Managed) []string {
	if t, ok := mg.(T); ok {
		return s.kind.Reads(t)
	}
	return nil
}

// Lists returns AWS's lists by which many settled resources are polled at once.
func (s *stepper[T]) Lists(mg Managed) []*listpoll.List {
	t, ok := mg.(T)
	if !ok || s.kind.Listed == nil {
		return nil
	}
	var out []*listpoll.List
	for _, item := range s.kind.Listed(t) {
		out = append(out, item.List)
	}
	return out
}

// Redact removes from a resource what must not be shown.
func (s *stepper[T]) Redact(mg Managed) {
	if t, ok := mg.(T); ok && s.kind.Redact != nil {
		s.kind.Redact(t)
	}
	hideLastApplied(mg)
}

// Step does one reconcile, as the runtime's reconciler does it.
func (s *stepper[T]) Step(ctx context.Context, mg Managed, sess *session.Session, now time.Time) Stepped {
	t, ok := mg.(T)
	if !ok {
		return Stepped{Err: errors.Errorf("%T is not a %s", mg, s.kind.GVK.Kind)}
	}
	before := mg.DeepCopyObject()
	a := &Attempt{Freshness: readcache.Freshness{Now: now, Since: now}, Calls: &s.calls, step: true, readyBefore: mg.GetCondition(xpv2.TypeReady)}
	defer a.end()
	ctx = withSession(WithAttempt(ctx, a), sess, nil)
	out, err := s.reconcile(ctx, t, now)
	restore(mg, before, "Spec") // References are resolved in memory.
	out.Changes, out.Adopted, out.Awaits = a.planned, a.adopts(), a.waitsForReference
	wait, aborted := a.Aborted()
	out.Wait = max(wait, a.RequeueDelay())
	if aborted {
		out.Deferred = a.deferred || a.throttled
		restore(mg, before, "Status")
		return out
	}
	out.Err = err
	mg.SetConditions(xpv2.ReconcileSuccess())
	if err != nil {
		a.recordFailure(err)
		mg.SetConditions(xpv2.ReconcileError(err))
	}
	s.status(ctx, mg)
	out.Settled = err == nil && a.action == actionNone && (out.Gone || mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue)
	return out
}

// reconcile observes the external resource, and makes the call that is due.
func (s *stepper[T]) reconcile(ctx context.Context, mg T, now time.Time) (Stepped, error) {
	a, p := attemptFrom(ctx), managed.NewManagementPoliciesResolver(s.policies, mg.GetManagementPolicies())
	switch {
	case meta.IsPaused(mg) || p.IsPaused():
		return Stepped{}, errPaused
	case p.Validate() != nil:
		return Stepped{}, p.Validate()
	case meta.WasDeleted(mg) && !p.ShouldDelete():
		return Stepped{Gone: true}, nil
	case !meta.WasDeleted(mg):
		if err := s.connector.references.ResolveReferences(ctx, mg); err != nil {
			return Stepped{}, err
		}
	}
	e, err := s.connector.connect(ctx, a, mg)
	if err != nil {
		return Stepped{}, err
	}
	c := &attemptClient[T]{inner: e, policies: s.policies, tracer: s.connector.tracer, kind: s.kind, referral: s.connector.referral}
	o, err := c.Observe(ctx, mg)
	if err != nil {
		return Stepped{}, err
	}
	out := Stepped{Exists: o.ResourceExists}
	switch {
	case !o.ResourceExists && p.ShouldOnlyObserve():
		return out, errAbsent
	case meta.WasDeleted(mg) && o.ResourceExists:
		_, err = c.Delete(ctx, mg)
		mg.SetConditions(xpv2.Deleting())
	case meta.WasDeleted(mg):
		out.Gone = true
	case !o.ResourceExists && p.ShouldCreate():
		meta.AddFinalizer(mg, managed.FinalizerName)
		meta.SetExternalCreatePending(mg, now)
		if _, err = c.Create(ctx, mg); err != nil {
			meta.SetExternalCreateFailed(mg, now)
			return out, err
		}
		meta.SetExternalCreateSucceeded(mg, now)
	case !o.ResourceUpToDate && p.ShouldUpdate():
		_, err = c.Update(ctx, mg)
	}
	return out, err
}

// errPaused is the error of a resource that is paused, errAbsent that of one that may only observe what does not exist.
var (
	errPaused = errors.New("reconciliation is paused")
	errAbsent = errors.New("external resource does not exist")
)

// IsPaused returns whether an error of a Step is that the resource is paused.
func IsPaused(err error) bool { return errors.Is(err, errPaused) }

// restore sets a field of a resource to its value in another one of the same type.
func restore(mg Managed, from any, field string) {
	reflect.ValueOf(mg).Elem().FieldByName(field).Set(reflect.ValueOf(from).Elem().FieldByName(field))
}

// adopts returns whether the reconcile has adopted the external resource.
func (a *Attempt) adopts() bool {
	return slices.ContainsFunc(a.Events(), func(e event.Event) bool { return e.Reason == ReasonAdopted })
}

// recordPlan records the differences that were found, or what is set by a creation.
func recordPlan(ctx context.Context, cs diff.Changes) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.planned = cs
}
