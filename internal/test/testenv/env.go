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

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// maxReconciles is how many reconciles a resource may take until nothing is left to do.
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

	// Settled is a resource with nothing to do that is Ready.
	Settled Outcome = "Settled"
)

// An Env reconciles resources of one kind against a double.
type Env[T reconcile.Managed] struct {
	*AWS

	// External returns a new external client, as for each reconcile.
	External func() managed.TypedExternalClient[T]

	// NextAttempt returns the attempt of the next reconcile, without the age of cached responses. Nil means an empty one.
	NextAttempt func() *reconcile.Attempt

	// Age is the maximum age of a cached response of AWS that a reconcile uses. Zero allows only responses of the
	// same moment.
	Age time.Duration

	// between is called between the next reconcile's observation and the resulting call.
	between func()

	// attempts are the call histories by generation of a resource. A restart of the provider drops them.
	attempts map[generation]*reconcile.CallHistory
}

// NewEnv returns an env that reconciles with external clients.
func NewEnv[T reconcile.Managed](w *AWS, external func() managed.TypedExternalClient[T]) *Env[T] {
	return &Env[T]{AWS: w, External: external}
}

// Do does one reconcile, including what the runtime does to the resource.
func (r *Env[T]) Do(mg T) (Outcome, error) {
	o, _, err := r.reconcile(mg)
	return o, err
}

func (r *Env[T]) reconcile(mg T) (Outcome, *reconcile.Attempt, error) {
	attempt := &reconcile.Attempt{}
	if r.NextAttempt != nil {
		attempt = r.NextAttempt()
	}
	now := r.Now()
	attempt.Freshness = readcache.Freshness{Now: now, Since: now.Add(-r.Age)}
	attempt.Calls = r.attemptsOf(mg)
	ctx := reconcile.WithAttempt(r.Context(), attempt)
	e := r.External()
	obs, err := e.Observe(ctx, mg)
	if err != nil {
		return "", attempt, err
	}
	if _, aborted := attempt.Aborted(); aborted {
		return Aborted, attempt, nil
	}
	if r.between != nil {
		r.between()
	}
	o, err := r.act(ctx, e, mg, obs, attempt)
	if _, aborted := attempt.Aborted(); !aborted {
		attempt.Stored(ctx)
	}
	return o, attempt, err
}

// attemptsOf returns the call history of a resource in its present generation.
func (r *Env[T]) attemptsOf(mg T) *reconcile.CallHistory {
	if r.attempts == nil {
		r.attempts = map[generation]*reconcile.CallHistory{}
	}
	g := generation{mg.GetUID(), mg.GetGeneration()}
	if r.attempts[g] == nil {
		r.attempts[g] = &reconcile.CallHistory{}
	}
	return r.attempts[g]
}

type generation struct {
	uid    types.UID
	number int64
}

func (r *Env[T]) act(ctx context.Context, e managed.TypedExternalClient[T], mg T, obs managed.ExternalObservation, attempt *reconcile.Attempt) (Outcome, error) {
	var err error
	switch {
	case meta.WasDeleted(mg) && !obs.ResourceExists:
		mg.SetFinalizers(nil)
		return Gone, nil
	case meta.WasDeleted(mg):
		_, err = e.Delete(ctx, mg)
		return Deleted, err
	case !obs.ResourceExists && obs.ResourceUpToDate:
		return Absent, nil
	case !obs.ResourceExists:
		meta.SetExternalCreatePending(mg, r.Now())
		_, err = e.Create(ctx, mg)
		if _, aborted := attempt.Aborted(); err == nil && !aborted {
			meta.SetExternalCreateSucceeded(mg, r.Now())
		} else {
			meta.SetExternalCreateFailed(mg, r.Now())
		}
		return Created, err
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, mg)
		return Updated, err
	case mg.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue:
		return Waits, nil
	}
	mg.SetObservedGeneration(mg.GetGeneration())
	return Settled, nil
}

// Step does one reconcile. It reports whether there was nothing to do, and the resource is Ready or gone.
func (r *Env[T]) Step(mg T) (settled bool, err error) {
	o, err := r.Do(mg)
	return err == nil && (o == Settled || o == Gone), err
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
	r.Fatalf("did not settle: %v; calls %v", mg.GetCondition(xpv2.TypeReady), r.Operations()[before:])
	return nil
}

// Settle reconciles as Reconcile does, and returns the operations that changed something.
func (r *Env[T]) Settle(mg T) []string {
	r.Helper()
	return Writes(r.Reconcile(mg))
}

// Poll does one reconcile in which nothing must be left to do. It returns its operations.
func (r *Env[T]) Poll(mg T) []string {
	r.Helper()
	before := len(r.Operations())
	if done, err := r.Step(mg); err != nil || !done {
		r.Fatalf("there must be nothing to do: %v; calls %v; condition %v", err, r.Operations()[before:], mg.GetCondition(xpv2.TypeReady))
	}
	return r.Operations()[before:]
}

// Share reconciles settled resources at the same moment, and checks the operations that are called for all of them
// together.
func (r *Env[T]) Share(all []T, operations ...string) {
	r.Helper()
	before := len(r.Operations())
	for _, mg := range all {
		if done, err := r.Step(mg); err != nil || !done {
			r.Fatalf("%s: settled %t, %v", mg.GetName(), done, err)
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
		if o == Settled || o == Gone || o == Absent || o == Waits {
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
