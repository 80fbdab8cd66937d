package manager

import (
	"context"
	"sync"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

// leaseCheck is the interval at which a lease is checked, and so the time for which an attempt that began in time may
// outlive it. It is less if another replica would begin sooner.
const leaseCheck = time.Second

// An attempt is a call of AWS, which ends when the lease does.
type attempt struct{ cancel context.CancelCauseFunc }

// guard allows calls of AWS only while the lease is held. A call after that, or one that is in flight when the lease
// ends, stops the manager and with it the call's reconcile.
func (l *lease) guard(mgr ctrl.Manager) (session.Fence, error) {
	// Crossplane grants no rights on events.k8s.io.
	l.LockConfig.EventRecorder = mgr.GetEventRecorderFor(l.LockConfig.Identity) //nolint:staticcheck // See above.
	err := mgr.Add(ctrlmanager.RunnableFunc(func(ctx context.Context) error {
		t := time.NewTicker(l.check)
		defer t.Stop()
		return l.watch(ctx, t.C)
	}))
	return l.fence(func() { watch.Stop(mgr, errLeaseLost) }), errors.Wrap(err, "cannot watch the lease")
}

// watch checks the lease at each tick until it ends, and then ends the attempts that are in flight. A timer is not
// enough: it stops while a machine is suspended.
func (l *lease) watch(ctx context.Context, ticks <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
		if ctx.Err() == nil && !l.held() {
			l.endAttempts()
			return errLeaseLost
		}
	}
}

func (l *lease) fence(end func()) session.Fence {
	end = sync.OnceFunc(end)
	return func(ctx context.Context, attempt func(context.Context) error) error {
		bounded, done := l.begin(ctx)
		if bounded != nil {
			err := attempt(bounded)
			done()
			if err == nil || !errors.Is(context.Cause(bounded), errLeaseLost) {
				return err
			}
		}
		end()
		// An error returned sooner would be reported in the resource's conditions.
		<-ctx.Done()
		return errLeaseLost
	}
}

// begin begins an attempt if the lease is held. It returns the attempt's context, which is nil if the lease is not
// held, and a function to call when the attempt ends.
func (l *lease) begin(ctx context.Context) (context.Context, func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.lasting() {
		return nil, nil
	}
	// The context is not cancelled when the attempt ends: the response's body may be read later.
	ctx, cancel := context.WithCancelCause(ctx)
	a := &attempt{cancel: cancel}
	if l.attempts == nil {
		l.attempts = map[*attempt]struct{}{}
	}
	l.attempts[a] = struct{}{}
	return ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.attempts, a)
	}
}

func (l *lease) endAttempts() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a := range l.attempts {
		a.cancel(errLeaseLost)
	}
}
