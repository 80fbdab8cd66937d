package engine

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

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
)

// A Stepper reconciles one resource of a kind step by step, without a manager, a quota or a write to the cluster: what
// a reconcile writes is set in memory. Together with a session that records calls instead of making them, it shows what
// the controller of the kind would do. It has the state that a kind keeps between reconciles, so it is for one
// resource.
type Stepper interface {
	// Step does one reconcile of a resource at a time.
	Step(ctx context.Context, mg reconcile.Managed, s *session.Session, now time.Time) Stepped

	// Region returns the AWS region of a resource.
	Region(mg reconcile.Managed) string

	// New returns an empty resource.
	New() reconcile.Managed

	// Reads returns the AWS operations of the next observation.
	Reads(mg reconcile.Managed) []string

	// Lists returns AWS's lists by which many steady resources are polled at once.
	Lists(mg reconcile.Managed) []*listpoll.List

	// Redact removes from a resource what must not be shown.
	Redact(mg reconcile.Managed)
}

// A Stepped is the result of one reconcile.
type Stepped struct {
	// Exists reports whether AWS has the external resource.
	Exists bool

	// Changes are the differences between spec and AWS, or what is set if the external resource does not exist.
	Changes diff.Changes

	// Adopted reports whether the resource has adopted the external resource.
	Adopted bool

	// Gone reports whether the resource is being deleted, and nothing of it is left in AWS that it may delete.
	Gone bool

	// Converged reports whether nothing is left to do.
	Converged bool

	// Wait is the delay before the next reconcile, if nothing was called.
	Wait time.Duration

	// Deferred reports whether the reconcile was ended because AWS may not be called again before Wait.
	Deferred bool

	// Awaits reports whether Err says that a referenced resource or object is missing.
	Awaits bool

	// Err is the error that the resource reports.
	Err error
}

// stepper implements Stepper.
type stepper[T reconcile.Managed] struct {
	reconciler *reconciler[T]
	calls      reconcile.Repeats
}

// newStepper returns the stepper of a kind. kc reads what specs refer to.
func newStepper[T reconcile.Managed](kc client.Client, o Options, k reconcile.Kind[T]) *stepper[T] {
	r := &references[T]{kind: k, reader: kc, tenants: o.Tenants}
	return &stepper[T]{reconciler: &reconciler[T]{
		kind: k, references: r, fingerprints: &referenceFingerprints[T]{kind: k, references: r, objects: o.Objects},
		tenants:  o.Tenants,
		policies: true, tracer: noop.NewTracerProvider().Tracer(""), now: o.Now, states: memory.New(),
		recorder: reporting.NewRecorder(event.NewNopRecorder(), o.Now),
	}}
}

// Region returns the AWS region of a resource.
func (s *stepper[T]) Region(mg reconcile.Managed) string {
	if t, ok := mg.(T); ok {
		return s.reconciler.kind.Region(t)
	}
	return ""
}

// New returns an empty resource.
func (s *stepper[T]) New() reconcile.Managed { return s.reconciler.kind.New() }

// Reads returns the AWS operations of the next observation.
func (s *stepper[T]) Reads(mg reconcile.Managed) []string {
	if t, ok := mg.(T); ok {
		return s.reconciler.kind.Reads(t)
	}
	return nil
}

// Lists returns AWS's lists by which many steady resources are polled at once.
func (s *stepper[T]) Lists(mg reconcile.Managed) []*listpoll.List {
	t, ok := mg.(T)
	if !ok || s.reconciler.kind.Listed == nil {
		return nil
	}
	var out []*listpoll.List
	for _, item := range s.reconciler.kind.Listed(t) {
		out = append(out, item.List)
	}
	return out
}

// Redact removes from a resource what must not be shown.
func (s *stepper[T]) Redact(mg reconcile.Managed) {
	if t, ok := mg.(T); ok && s.reconciler.kind.Redact != nil {
		s.reconciler.kind.Redact(t)
	}
	hideLastApplied(mg)
}

// Step does one reconcile, as the runtime's reconciler does it.
func (s *stepper[T]) Step(ctx context.Context, mg reconcile.Managed, sess *session.Session, now time.Time) Stepped {
	t, ok := mg.(T)
	if !ok {
		return Stepped{Err: errors.Errorf("%T is not a %s", mg, s.reconciler.kind.GVK.Kind)}
	}
	before, _ := mg.DeepCopyObject().(T)
	p := s.reconciler.newPass(before, memory.Resource{Calls: &s.calls})
	p.session, p.facts.Fresh, p.facts.KnownCause, p.facts.Origin = sess, readcache.Freshness{Now: now, Since: now}, "",
		""
	p.annotations = inMemory{}
	defer p.end()
	gone, err := p.step(ctx, t, now)
	restore(mg, before, "Spec") // References are resolved in memory.
	out := Stepped{
		Exists: p.out.Exists, Changes: p.out.Changes, Adopted: p.adopts(), Awaits: p.awaits, Gone: gone,
		Wait: p.out.After,
	}
	if p.later != nil {
		out.Wait = max(out.Wait, p.later.After)
		out.Deferred = p.later.Deferred || p.later.Throttled
		restore(mg, before, "Status")
		return out
	}
	out.Err = err
	mg.SetConditions(xpv2.ReconcileSuccess())
	if err != nil {
		p.err = err
		mg.SetConditions(xpv2.ReconcileError(err))
	}
	p.completeStatus(mg)
	out.Converged = err == nil && p.did == memory.ActionNone &&
		(gone || mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue)
	return out
}

// step observes the external resource, and makes the call that is due. It reports whether nothing is left of a
// resource that is being deleted.
func (p *pass[T]) step(ctx context.Context, mg T, now time.Time) (gone bool, err error) {
	policies := managed.NewManagementPoliciesResolver(p.policies, mg.GetManagementPolicies())
	switch {
	case meta.IsPaused(mg) || policies.IsPaused():
		return false, errPaused
	case policies.Validate() != nil:
		return false, policies.Validate()
	case meta.WasDeleted(mg) && !policies.ShouldDelete():
		return true, nil
	case !meta.WasDeleted(mg):
		if err := p.resolveReferences(ctx, mg); err != nil {
			return false, err
		}
	}
	if p.observer, err = p.connected(ctx, mg); err != nil {
		return false, err
	}
	err = p.observeAndAct(ctx, mg, now)
	switch {
	case err != nil:
	case meta.WasDeleted(mg):
		return !p.out.Exists, nil
	case !p.out.Exists && policies.ShouldOnlyObserve():
		return false, errAbsent
	}
	return false, err
}

// errPaused is the error of a resource that is paused, errAbsent that of one that may only observe what does not exist.
var (
	errPaused = errors.New("reconciliation is paused")
	errAbsent = errors.New("external resource does not exist")
)

// restore sets a field of a resource to its value in another one of the same type.
func restore(mg reconcile.Managed, from any, field string) {
	reflect.ValueOf(mg).Elem().FieldByName(field).Set(reflect.ValueOf(from).Elem().FieldByName(field))
}

// adopts reports whether the reconcile has adopted the external resource.
func (p *pass[T]) adopts() bool {
	return slices.ContainsFunc(p.out.Events, func(e event.Event) bool { return e.Reason == v1beta1.EventAdopted })
}
