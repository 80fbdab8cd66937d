package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
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
	return fmt.Sprintf("AWS does not answer %s in %s, so calls are paused and retried at intervals: check the "+
		"endpoint of the config, and the network", e.ref, e.region)
}

// RetryAfter returns the delay before the next attempt.
func (e *circuitOpenError) RetryAfter() time.Duration { return e.after }

func asCircuitOpen(err error) (*circuitOpenError, bool) { return errors.AsType[*circuitOpenError](err) }

// reportsOpen reports whether the resource's conditions already report the open circuit breaker.
func reportsOpen(mg reconcile.Managed, open *circuitOpenError) bool {
	c := mg.GetCondition(xpv2.TypeSynced)
	return c.ObservedGeneration == mg.GetGeneration() && strings.HasSuffix(c.Message, open.Error()) &&
		!reconcile.Requested(mg)
}

// checkCircuit returns an error if the circuit breaker of the session's config is open and
// does not admit this attempt. It makes the pass leave the breaker when it ends, or wait if
// only a few reconciles at a time may find out whether the region answers.
func (p *pass) checkCircuit(mg reconcile.Managed, s *session.Session) error {
	k := s.BreakerKey()
	release, wait := p.Breakers.Enter(k, mg.GetNamespace())
	p.leaveCircuit = release
	if wait > 0 && p.Breakers.IsOpen(k) {
		return &circuitOpenError{ref: s.Ref, region: k.Region, after: wait}
	}
	p.circuitWait = wait
	return nil
}

// pause makes the pass wait if the error of its session says that too many wait for STS already. A steady resource also
// waits while STS has not answered a few times, as may happen at the start. pause returns other errors, and that of an
// open circuit breaker if STS does not answer.
func (p *pass) pause(err error) error {
	paused, ok := errors.AsType[*session.PausedError](err)
	switch {
	case ok && paused.Region != "":
		return &circuitOpenError{ref: paused.Ref, region: paused.Region, after: paused.After}
	case ok:
		p.circuitWait = paused.After
	case p.Breakers != nil && awserr.IsUnanswered(err) && reconcile.Steady(p.read):
		p.circuitWait = delay.Jittered(2*reconcile.MaxPending, p.Random()) // 10 to 30 s.
	default:
		return err
	}
	return nil
}

// explainUnanswered returns the error of an observation that AWS did not answer. While the circuit breaker is open, it
// is the same error as that of rejected attempts, so that conditions do not change with each probe.
func (p *pass) explainUnanswered(err error) error {
	if s := p.session; s != nil && awserr.IsUnanswered(err) && p.Breakers.IsOpen(s.BreakerKey()) {
		return &circuitOpenError{ref: s.Ref, region: s.BreakerKey().Region}
	}
	return err
}

const (
	// minWorkerDelay and maxWorkerDelay are the shortest and longest average delay of a
	// resource for which no worker is available.
	minWorkerDelay = 50 * time.Millisecond
	maxWorkerDelay = 2 * time.Second
)

// enter starts a reconcile of a resource. If its share of the workers is in use, it returns how long to wait.
func (r *reconciler) enter(mg reconcile.Managed) (release func(), wait time.Duration) {
	release, ok := r.inFlight.Enter(mg.GetNamespace(), watch.ConfigKey(watch.ConfigOf(mg)))
	n := r.states.CountWorkerDelay(client.ObjectKeyFromObject(mg), !ok)
	if ok {
		return release, 0
	}
	return release, delay.Jittered(delay.Doubling(minWorkerDelay, n, maxWorkerDelay), r.Random())
}
