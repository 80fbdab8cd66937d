package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// A circuitOpenError says that AWS is not called because the circuit breaker of a config is
// open. Its message is the same for every resource and attempt.
type circuitOpenError struct {
	ref    session.Ref
	region string
	after  time.Duration
}

// Error returns what is wrong and what the user can check.
func (e *circuitOpenError) Error() string {
	return fmt.Sprintf("AWS does not answer %s in %s, so calls are paused and retried at intervals: check the endpoint of the config, and the network", e.ref, e.region)
}

// RetryAfter returns the delay before the next attempt.
func (e *circuitOpenError) RetryAfter() time.Duration { return e.after }

func asCircuitOpen(err error) (*circuitOpenError, bool) { return errors.AsType[*circuitOpenError](err) }

// resolveError returns why a reconcile has no session, or nil if it has one or needs none.
func resolveError(ctx context.Context) error {
	r, _ := ctx.Value(sessionKey{}).(resolved)
	return r.err
}

// reports returns whether the resource's conditions already report the open circuit breaker.
func reports(mg Managed, open *circuitOpenError) bool {
	c := mg.GetCondition(xpv2.TypeSynced)
	return c.ObservedGeneration == mg.GetGeneration() && strings.HasSuffix(c.Message, open.Error()) && !requested(mg)
}

// checkCircuit returns an error if the circuit breaker of the session's config is open and
// does not admit this attempt. It makes the attempt leave the breaker when it ends, or wait if
// only a few reconciles at a time may find out whether the region answers.
func (r *reconciler[T]) checkCircuit(mg T, s *session.Session, a *Attempt) error {
	if r.breakers == nil {
		return nil
	}
	k := s.BreakerKey()
	release, wait := r.breakers.Enter(k, mg.GetNamespace())
	a.onEnd = release
	a.circuitError = func() error {
		if !r.breakers.IsOpen(k) {
			return nil
		}
		return &circuitOpenError{ref: s.Ref, region: k.Region}
	}
	if wait > 0 && r.breakers.IsOpen(k) {
		return &circuitOpenError{ref: s.Ref, region: k.Region, after: wait}
	}
	a.circuitWait = wait
	return nil
}

// end marks the reconcile as ended.
func (a *Attempt) end() {
	if a.permission != nil {
		a.permission.leave()
	}
	if a.onEnd != nil {
		a.onEnd()
	}
}

// explainUnanswered returns the error of an observation that AWS did not answer. While the
// circuit breaker is open, it is the same error as that of rejected attempts, so that
// conditions do not change with each probe.
func (a *Attempt) explainUnanswered(err error) error {
	if a.circuitError == nil || !awserr.IsUnanswered(err) {
		return err
	}
	if open := a.circuitError(); open != nil {
		return open
	}
	return err
}

// unreachableClient returns an external client that only returns the reason why AWS is not
// called.
func unreachableClient[T Managed](err error) managed.TypedExternalClient[T] {
	return managed.TypedExternalClientFns[T]{
		ObserveFn: func(context.Context, T) (managed.ExternalObservation, error) {
			return managed.ExternalObservation{}, err
		},
		DisconnectFn: func(context.Context) error { return nil },
	}
}
