package testenv

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// maxReconciles is the maximum number of reconciles of a resource until nothing is left to do.
const maxReconciles = 40

// An Outcome is the result of a reconcile.
type Outcome string

// The outcomes of a reconcile.
const (
	Created Outcome = "Created"
	Updated Outcome = "Updated"
	Deleted Outcome = "Deleted"

	// Aborted is a reconcile without any effect that has to be repeated.
	Aborted Outcome = "Held"

	// Gone is a resource that was deleted, and no longer exists in AWS.
	Gone Outcome = "Gone"

	// Absent is a resource that does not exist in AWS, and must not be created.
	Absent Outcome = "Absent"

	// Waits is a resource with nothing to do that is not Ready.
	Waits Outcome = "Waits"

	// Converged is a resource with nothing to do that is Ready.
	Converged Outcome = "Converged"
)

// An Env reconciles resources of one kind against a double.
type Env[T reconcile.Managed] struct {
	*AWS

	// Observer returns a new observer, as for each reconcile.
	Observer func() reconcile.Observer[T]

	// NextFacts returns the facts of the next reconcile, without its time and the age of cached responses. Nil means
	// that every call is granted.
	NextFacts func() reconcile.Facts

	// Annotations writes annotations. Nil sets them in memory.
	Annotations engine.AnnotationWriter

	// Done is the result of the last reconcile.
	Done engine.Done

	// Age is the maximum age of a cached response of AWS that a reconcile uses. Zero allows only responses of the
	// same moment.
	Age time.Duration

	// between is called between the next reconcile's observation and the resulting call.
	between func()

	// repeats are the calls without an effect yet, by generation of a resource. A restart of the provider drops them.
	repeats map[generation]*reconcile.Repeats
}

// Observing returns an env that reconciles with observers.
func Observing[T reconcile.Managed](w *AWS, observer func() reconcile.Observer[T]) *Env[T] {
	return &Env[T]{AWS: w, Observer: observer}
}

// Do does one reconcile, including what the runtime does to the resource.
func (r *Env[T]) Do(mg T) (Outcome, error) {
	o, _, err := r.reconcile(mg)
	return o, err
}

// A trace is the effect of a reconcile besides its outcome.
type trace struct {
	// aborted reports whether it leaves nothing, and after is the delay before it is repeated.
	aborted bool
	after   time.Duration

	events  []event.Event
	summary string
}

func (r *Env[T]) reconcile(mg T) (Outcome, trace, error) {
	d := engine.Once(r.Context(), interposed(r.Observer(), r.between), r.facts(mg), mg, r.Annotations)
	r.Done = d
	t := trace{after: d.After, events: d.Events, summary: d.Does}
	if d.Later != nil {
		t.aborted, t.after = true, d.Later.After
	} else if d.Err == nil {
		for _, f := range d.Stored {
			f(r.Context())
		}
	}
	return outcomeOf(mg, d), t, d.Err
}

// facts returns the facts of the next reconcile.
func (r *Env[T]) facts(mg T) reconcile.Facts {
	f := reconcile.Facts{}
	if r.NextFacts != nil {
		f = r.NextFacts()
	}
	now := r.Now()
	f.Fresh = readcache.Freshness{Now: now, Since: now.Add(-r.Age)}
	f.Repeats = r.repeatsOf(mg)
	return f
}

// interposed returns an observer that calls a function between the observation and the resulting call.
func interposed[T reconcile.Managed](o reconcile.Observer[T], between func()) reconcile.Observer[T] {
	if between == nil {
		return o
	}
	return reconcile.ObserverFunc[T](func(ctx context.Context, f reconcile.Facts, mg T) (reconcile.Outcome, error) {
		out, err := o.Observe(ctx, f, mg)
		between()
		return out, err
	})
}

// outcomeOf returns the outcome of a reconcile.
func outcomeOf[T reconcile.Managed](mg T, d engine.Done) Outcome {
	switch {
	case d.Called == reconcile.ToCreate:
		return Created
	case d.Called == reconcile.ToUpdate:
		return Updated
	case d.Called == reconcile.ToDelete:
		return Deleted
	case d.Later != nil:
		return Aborted
	case d.Err != nil:
		return ""
	case meta.WasDeleted(mg) && !d.Exists:
		mg.SetFinalizers(nil)
		return Gone
	case !d.Exists:
		return Absent
	case mg.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue:
		return Waits
	}
	mg.SetObservedGeneration(mg.GetGeneration())
	return Converged
}

// repeatsOf returns the calls without an effect of a resource in its present generation.
func (r *Env[T]) repeatsOf(mg T) *reconcile.Repeats {
	if r.repeats == nil {
		r.repeats = map[generation]*reconcile.Repeats{}
	}
	g := generation{mg.GetUID(), mg.GetGeneration()}
	if r.repeats[g] == nil {
		r.repeats[g] = &reconcile.Repeats{}
	}
	return r.repeats[g]
}

type generation struct {
	uid    types.UID
	number int64
}

// Step does one reconcile. It reports whether there was nothing to do, nothing waits to be confirmed by AWS, and the
// resource is Ready or gone.
func (r *Env[T]) Step(mg T) (converged bool, err error) {
	o, err := r.Do(mg)
	return err == nil && (o == Converged && r.repeatsOf(mg).Empty() || o == Gone), err
}

// Reconcile reconciles each second until a resource is Ready or gone with nothing left to do, and returns the
// operations that were called.
func (r *Env[T]) Reconcile(mg T) []string {
	r.Helper()
	before := len(r.Operations())
	for range maxReconciles {
		r.Advance(time.Second)
		done, err := r.Step(mg)
		if err != nil {
			r.Fatalf("reconcile: %v", err)
		}
		if done {
			return r.Operations()[before:]
		}
	}
	r.Fatalf("did not converge: %v; calls %v", mg.GetCondition(xpv2.TypeReady), r.Operations()[before:])
	return nil
}

// Converge reconciles as Reconcile does, and returns the operations that changed something.
func (r *Env[T]) Converge(mg T) []string {
	r.Helper()
	return Writes(r.Reconcile(mg))
}

// Poll does one reconcile in which nothing must be left to do. It returns its operations.
func (r *Env[T]) Poll(mg T) []string {
	r.Helper()
	before := len(r.Operations())
	if done, err := r.Step(mg); err != nil || !done {
		r.Fatalf("there must be nothing to do: %v; calls %v; condition %v", err, r.Operations()[before:],
			mg.GetCondition(xpv2.TypeReady))
	}
	return r.Operations()[before:]
}

// Share reconciles converged resources at the same moment, and checks the operations that are called for all of them
// together.
func (r *Env[T]) Share(all []T, operations ...string) {
	r.Helper()
	before := len(r.Operations())
	for _, mg := range all {
		if done, err := r.Step(mg); err != nil || !done {
			r.Fatalf("%s: converged %t, %v", mg.GetName(), done, err)
		}
	}
	if diff := cmp.Diff(operations, r.Operations()[before:], cmpopts.EquateEmpty()); diff != "" {
		r.Errorf("calls for %d resources together: -want, +got:\n%s", len(all), diff)
	}
}

// Outcomes reconciles, always at the same moment, until there is nothing to do but wait, and returns the outcomes.
func (r *Env[T]) Outcomes(mg T) []Outcome {
	r.Helper()
	var done []Outcome
	for range maxReconciles {
		o, err := r.Do(mg)
		if err != nil {
			r.Fatalf("after %v: %v", done, err)
		}
		done = append(done, o)
		if o == Converged || o == Gone || o == Absent || o == Waits {
			return done
		}
	}
	r.Fatalf("no end: %v", done)
	return nil
}

// Want checks the outcomes of reconciles.
func (r *Env[T]) Want(mg T, why string, want ...Outcome) {
	r.Helper()
	if diff := cmp.Diff(want, r.Outcomes(mg)); diff != "" {
		r.Errorf("%s: -want, +got:\n%s", why, diff)
	}
}

// Lose drops the responses to an operation in one reconcile, including those of the SDK's retries: AWS has performed
// it, but the client does not learn of it.
func (r *Env[T]) Lose(mg T, operation string) {
	r.Helper()
	r.Double.Fail(awsdouble.Fault{Operation: operation, Drop: awsdouble.DropAfter, Times: -1})
	defer r.Double.ClearFaults()
	if _, err := r.Do(mg); err == nil {
		r.Fatal("the answer was not lost")
	}
}

// Remove deletes a resource as the API server does, by setting its deletion timestamp.
func (r *Env[T]) Remove(mg T) { mg.SetDeletionTimestamp(ptr.To(metav1.NewTime(r.Now()))) }

// Build returns a resource after applying the changes in their order.
func Build[T reconcile.Managed](mg T, changes ...func(T)) T {
	for _, change := range changes {
		change(mg)
	}
	return mg
}

// Named returns a change to a resource that has created its external resource and stored the name.
func Named[T reconcile.Managed](name string) func(T) {
	return func(mg T) { meta.AddAnnotations(mg, ownership.Name(mg, name)) }
}

// Imported returns a change that sets the external name as a user does.
func Imported[T reconcile.Managed](name string) func(T) {
	return func(mg T) { meta.SetExternalName(mg, name) }
}

// Pending changes a resource to one with a create of unknown result.
func Pending[T reconcile.Managed](mg T) { meta.SetExternalCreatePending(mg, Start) }

// BeingDeleted sets a resource's deletion timestamp.
func BeingDeleted[T reconcile.Managed](mg T) { mg.SetDeletionTimestamp(ptr.To(metav1.NewTime(Start))) }

// May returns a change that sets the management policies of a resource.
func May[T reconcile.Managed](policies ...xpv2.ManagementAction) func(T) {
	return func(mg T) { mg.SetManagementPolicies(policies) }
}

// ObserveOnly changes a resource to one that may only be observed.
func ObserveOnly[T reconcile.Managed](mg T) { May[T](xpv2.ManagementActionObserve)(mg) }
