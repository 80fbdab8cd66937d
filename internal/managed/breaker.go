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
type openError struct {
	ref    config.Ref
	region string
	after  time.Duration
}

// Error says what the user can do.
func (e *openError) Error() string {
	return fmt.Sprintf("AWS does not answer %s in %s, so calls are paused and retried at intervals: check the endpoint of the config, and the network", e.ref, e.region)
}

// RetryAfter is how long to stay away.
func (e *openError) RetryAfter() time.Duration { return e.after }

func asOpen(err error) (*openError, bool) { return errors.AsType[*openError](err) }

// unresolved is why a reconcile has no session, nil if it has one or needs none.
func unresolved(ctx context.Context) error {
	r, _ := ctx.Value(sessionKey{}).(resolved)
	return r.err
}

// says tells whether a resource says already that AWS is not called for it.
func says(mg Managed, open *openError) bool {
	c := mg.GetCondition(xpv2.TypeSynced)
	return c.ObservedGeneration == mg.GetGeneration() && strings.HasSuffix(c.Message, open.Error()) && !requested(mg)
}

// reach AWS with a session, if the circuit breaker of its config lets a resource pass.
func (g *gate[T]) reach(s *config.Session, t *Turn) error {
	if g.breakers == nil {
		return nil
	}
	k := breaker.Key{Config: s.Ref.UID, Region: s.AWS.Region}
	leave, wait := g.breakers.Enter(k)
	t.leave = leave
	t.open = func() error {
		if !g.breakers.IsOpen(k) {
			return nil
		}
		return &openError{ref: s.Ref, region: k.Region}
	}
	if wait > 0 {
		return &openError{ref: s.Ref, region: k.Region, after: wait}
	}
	return nil
}

// left notes that the reconcile has ended.
func (t *Turn) left() {
	if t.leave != nil {
		t.leave()
	}
}

// unanswered is the error of a look at AWS that got no answer. While the breaker is open, it is
// that of all who are not let pass, so that their conditions do not change with each probe.
func (t *Turn) unanswered(err error) error {
	if t.open == nil || !awserr.IsUnanswered(err) {
		return err
	}
	if open := t.open(); open != nil {
		return open
	}
	return err
}

// unreachable is an external client that only says why AWS is not called.
func unreachable[T Managed](err error) xpmanaged.TypedExternalClient[T] {
	return xpmanaged.TypedExternalClientFns[T]{
		ObserveFn: func(context.Context, T) (xpmanaged.ExternalObservation, error) {
			return xpmanaged.ExternalObservation{}, err
		},
		DisconnectFn: func(context.Context) error { return nil },
	}
}
