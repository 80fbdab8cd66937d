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

// guard allows calls of AWS only while the lease is held. A call after that, or one that is in flight when the lease
// ends, stops the manager and with it the call's reconcile.
func (l *lease) guard(mgr ctrl.Manager) (session.Fence, error) {
	// Crossplane grants no rights on events.k8s.io.
	l.LockConfig.EventRecorder = mgr.GetEventRecorderFor(l.LockConfig.Identity) //nolint:staticcheck // See above.
	ended, end := context.WithCancel(context.Background())
	err := mgr.Add(ctrlmanager.RunnableFunc(func(ctx context.Context) error {
		t := time.NewTicker(l.check)
		defer t.Stop()
		return l.watch(ctx, t.C, end)
	}))
	return l.fence(ended, func() { watch.Stop(mgr, errLeaseLost) }), errors.Wrap(err, "cannot watch the lease")
}

// watch checks the lease at each tick until it ends, and then calls end. A timer is not enough: it stops while a
// machine is suspended.
func (l *lease) watch(ctx context.Context, ticks <-chan time.Time, end func()) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
		if ctx.Err() == nil && !l.held() {
			end()
			return errLeaseLost
		}
	}
}

// fence returns a fence that makes attempts while the lease is held. When ended is done, it ends those that are in
// flight. It calls stop once it has refused or ended one.
func (l *lease) fence(ended context.Context, stop func()) session.Fence {
	stop = sync.OnceFunc(stop)
	return func(ctx context.Context, attempt func(context.Context) error) error {
		// The context is not cancelled when the attempt ends: the response's body may be read later.
		bounded, cancel := context.WithCancelCause(ctx)
		defer context.AfterFunc(ended, func() { cancel(errLeaseLost) })()
		if l.held() {
			err := attempt(bounded)
			if err == nil || !errors.Is(context.Cause(bounded), errLeaseLost) {
				return err
			}
		}
		stop()
		// An error returned sooner would be reported in the resource's conditions.
		<-ctx.Done()
		return errLeaseLost
	}
}
