// Package steptest drives the external client of a kind as the runtime does, a
// reconcile at a time and by a clock that the test moves. It is for tests.
package steptest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/managed"
)

// A Clock is a clock that a test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at some time in January 2026.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

// Now is the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A Rig reconciles resources of one kind.
type Rig[T managed.Managed] struct {
	T     testing.TB
	Clock *Clock

	// External returns a new external client, as for each reconcile.
	External func(mg T) xpmanaged.TypedExternalClient[T]

	// Calls are the AWS operations that were called so far.
	Calls func() []string
}

// Step is one reconcile, with what the runtime annotates around a creation. It tells
// whether there was nothing to do, and the resource is Ready or gone.
func (r *Rig[T]) Step(mg T) (settled bool, err error) {
	turn := &managed.Turn{}
	ctx := managed.WithTurn(r.T.Context(), turn)
	e := r.External(mg)
	obs, err := e.Observe(ctx, mg)
	if _, held := turn.Held(); err != nil || held {
		return false, err
	}
	settled, err = r.act(ctx, e, mg, obs)
	if settled && !meta.WasDeleted(mg) {
		mg.SetObservedGeneration(mg.GetGeneration())
	}
	return settled, err
}

func (r *Rig[T]) act(ctx context.Context, e xpmanaged.TypedExternalClient[T], mg T, obs xpmanaged.ExternalObservation) (bool, error) {
	var err error
	switch {
	case meta.WasDeleted(mg) && !obs.ResourceExists:
		return true, nil
	case meta.WasDeleted(mg):
		_, err = e.Delete(ctx, mg)
	case !obs.ResourceExists:
		meta.SetExternalCreatePending(mg, r.Clock.Now())
		if _, err = e.Create(ctx, mg); err == nil {
			meta.SetExternalCreateSucceeded(mg, r.Clock.Now())
		}
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, mg)
	default:
		return mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue, nil
	}
	return false, err
}

// Settle reconciles until there is nothing to do, and returns the calls that changed
// something.
func (r *Rig[T]) Settle(mg T) []string {
	r.T.Helper()
	before := len(r.Calls())
	for range 40 {
		done, err := r.Step(mg)
		if err != nil {
			r.T.Fatalf("reconcile: %v", err)
		}
		if done {
			return Writes(r.Calls()[before:])
		}
		r.Clock.Advance(time.Second)
	}
	r.T.Fatalf("did not settle: %v; calls %v", mg.GetCondition(xpv2.TypeReady), r.Calls()[before:])
	return nil
}

// Look is one reconcile in which nothing must be left to do. It returns its calls.
func (r *Rig[T]) Look(mg T) []string {
	r.T.Helper()
	before := len(r.Calls())
	if done, err := r.Step(mg); err != nil || !done {
		r.T.Fatalf("there must be nothing to do: %v; calls %v; condition %v", err, r.Calls()[before:], mg.GetCondition(xpv2.TypeReady))
	}
	return slices.Clone(r.Calls()[before:])
}

// Writes are the calls that change something.
func Writes(calls []string) []string {
	var out []string
	for _, c := range calls {
		if !strings.HasPrefix(c, "Get") && !strings.HasPrefix(c, "List") && !strings.HasPrefix(c, "Head") {
			out = append(out, c)
		}
	}
	return out
}

// Remove a resource, as the API server does: it is to be deleted from now on.
func (r *Rig[T]) Remove(mg T) { mg.SetDeletionTimestamp(ptr.To(metav1.NewTime(r.Clock.Now()))) }
