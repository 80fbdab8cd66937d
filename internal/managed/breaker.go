package managed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
)

// An openError says that AWS is not called, since the circuit breaker of a config is open.
// It is the same for each resource and at each try.
type circuitOpenError struct {
	ref    config.Ref
	region string
	after  time.Duration
}

// Error says what the user can do.
func (e *circuitOpenError) Error() string {
	return fmt.Sprintf("AWS does not answer %s in %s, so calls are paused and retried at intervals: check the endpoint of the config, and the network", e.ref, e.region)
}

// RetryAfter is how long to stay away.
func (e *circuitOpenError) RetryAfter() time.Duration { return e.after }

func asCircuitOpen(err error) (*circuitOpenError, bool) { return errors.AsType[*circuitOpenError](err) }

// resolveError is why a reconcile has no session, nil if it has one or needs none.
func resolveError(ctx context.Context) error {
	r, _ := ctx.Value(sessionKey{}).(resolved)
	return r.err
}

// reports tells whether a resource says already that AWS is not called for it.
func reports(mg Managed, open *circuitOpenError) bool {
	c := mg.GetCondition(xpv2.TypeSynced)
	return c.ObservedGeneration == mg.GetGeneration() && strings.HasSuffix(c.Message, open.Error()) && !requested(mg)
}

// checkCircuit AWS with a session, if the circuit breaker of its config lets a resource pass.
func (r *reconciler[T]) checkCircuit(s *config.Session, a *Attempt) error {
	if r.breakers == nil {
		return nil
	}
	k := breaker.Key{Config: s.Ref.UID, Region: s.AWS.Region}
	leave, wait := r.breakers.Enter(k)
	a.onEnd = leave
	a.circuitError = func() error {
		if !r.breakers.IsOpen(k) {
			return nil
		}
		return &circuitOpenError{ref: s.Ref, region: k.Region}
	}
	if wait > 0 {
		return &circuitOpenError{ref: s.Ref, region: k.Region, after: wait}
	}
	return nil
}

// end notes that the reconcile has ended.
func (a *Attempt) end() {
	if a.onEnd != nil {
		a.onEnd()
	}
}

// explainUnanswered is the error of a look at AWS that got no answer. While the breaker is open, it is
// that of all who are not let pass, so that their conditions do not change with each probe.
func (a *Attempt) explainUnanswered(err error) error {
	if a.circuitError == nil || !awserr.IsUnanswered(err) {
		return err
	}
	if open := a.circuitError(); open != nil {
		return open
	}
	return err
}

// unreachableClient is an external client that only says why AWS is not called.
func unreachableClient[T Managed](err error) xpmanaged.TypedExternalClient[T] {
	return xpmanaged.TypedExternalClientFns[T]{
		ObserveFn: func(context.Context, T) (xpmanaged.ExternalObservation, error) {
			return xpmanaged.ExternalObservation{}, err
		},
		DisconnectFn: func(context.Context) error { return nil },
	}
}
