package manager

import (
	"cmp"
	"context"
	"os"
	"strings"
	"sync"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

const (
	// DefaultLeaseDuration equals that of Crossplane and its providers, so that a busy API server does not cost a
	// provider its lease.
	DefaultLeaseDuration = 60 * time.Second

	// DefaultRenewDeadline leaves calls in flight time to reach AWS before another replica begins.
	DefaultRenewDeadline = 50 * time.Second

	// retryPeriod is the longest time between two attempts to renew or to acquire the lease.
	retryPeriod = 2 * time.Second

	leaseName = "crossplane-leader-election-provider-lambda"

	// namespaceFile is the file in which a pod finds the name of its namespace.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

var errLeaseLost = errors.New("the leader election lease was not renewed in time: another replica may have taken over")

// elect makes a manager work only while it holds the lease. It returns nil without leader election.
func (o *Options) elect(cfg *rest.Config, mo *ctrl.Options) (*lease, error) {
	if !o.LeaderElection {
		return nil, nil
	}
	o.LeaseDuration = cmp.Or(o.LeaseDuration, DefaultLeaseDuration)
	o.RenewDeadline = cmp.Or(o.RenewDeadline, DefaultRenewDeadline)
	lock, err := o.lock(cfg)
	if err != nil {
		return nil, err
	}
	// What outlives a check ends before another replica begins.
	check := min(leaseCheck, (o.LeaseDuration-o.RenewDeadline)/2) //nolint:mnd // See above.
	l := &lease{
		LeaseLock: lock, lasts: o.RenewDeadline, check: check, now: o.Now,
		wall: func() time.Time { return o.Now().Round(0) },
	}
	mo.LeaderElection = true
	mo.LeaderElectionID = o.Shard.LeaseName(leaseName) // The name appears only in metrics.
	mo.LeaderElectionResourceLockInterface = l
	mo.LeaderElectionReleaseOnCancel = true
	mo.LeaseDuration = ptr.To(o.LeaseDuration)
	mo.RenewDeadline = ptr.To(o.RenewDeadline)
	// Two tries at least.
	mo.RetryPeriod = ptr.To(min(retryPeriod, (o.LeaseDuration-o.RenewDeadline)/2,
		o.RenewDeadline/2)) //nolint:mnd // See above.
	return l, nil
}

// lock returns the Lease in the cluster, with this replica as its identity. A sharder takes the shard of a ring for
// available if the lease is held by an identity of the same name.
func (o *Options) lock(cfg *rest.Config) (*resourcelock.LeaseLock, error) {
	ns, err := leaseNamespace(o.LeaderElectionNamespace, namespaceFile)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, errors.Wrap(err, "cannot name this replica")
	}
	cfg = rest.AddUserAgent(rest.CopyConfig(cfg), "leader-election")
	cfg.Timeout = max(o.RenewDeadline/2, time.Second) //nolint:mnd // One try that hangs leaves time for another.
	client, err := coordinationclient.NewForConfig(cfg)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client for the lease")
	}
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: ns, Name: o.Shard.LeaseName(leaseName)},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: cmp.Or(o.Shard.Name, host+"_"+string(uuid.NewUUID()))},
		Labels:     o.Shard.LeaseLabels(),
	}, nil
}

func leaseNamespace(requested, file string) (string, error) {
	if requested != "" {
		return requested, nil
	}
	b, err := os.ReadFile(file) //nolint:gosec // The file is Kubernetes's.
	if err != nil {
		return "", errors.Wrap(err, "cannot determine the namespace of the leader election lease outside a pod: set "+
			"--leader-election-namespace or --no-leader-election")
	}
	return strings.TrimSpace(string(b)), nil
}

// A lease is the permission to reconcile. With client-go's election alone, a replica that is cut off from the API
// server may keep working while it tries to release the lease, and a replica that was suspended may work until it
// notices. Therefore the lease tracks how long it is valid, and nothing is sent to AWS after that.
type lease struct {
	*resourcelock.LeaseLock

	// lasts is the time for which a renewal is valid: less than other replicas wait, so that calls in flight reach AWS
	// before they begin.
	lasts time.Duration

	// check is the interval at which the lease is checked.
	check time.Duration

	// now is the monotonic clock, which stops while a machine is suspended, and wall is the wall clock, which may be
	// set back. The lease has ended as soon as either clock says so.
	now, wall func() time.Time

	mu      sync.Mutex
	renewed *moment // When the last successful renewal was sent. Nil if there is no lease.
}

// A moment is a point in time on both clocks.
type moment struct{ now, wall time.Time }

func (l *lease) moment() *moment { return &moment{now: l.now(), wall: l.wall()} }

// Get returns the record of the lease. It fails if the lease is overdue: an overdue lease cannot be released, and the
// attempt could take as long as a renewal.
func (l *lease) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if l.overdue() {
		return nil, nil, errLeaseLost
	}
	return l.LeaseLock.Get(ctx)
}

// Create creates the lease.
func (l *lease) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func() error { return l.LeaseLock.Create(ctx, r) })
}

// Update acquires, renews or releases the lease. The end of the process may cut off a renewal that the API server
// applies after the read before the release: the release is then repeated, since others would wait for the lease to
// expire.
func (l *lease) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func() error {
		err := l.LeaseLock.Update(ctx, r)
		if r.HolderIdentity != "" || !kerrors.IsConflict(err) {
			return err
		}
		if held, _, gerr := l.LeaseLock.Get(ctx); gerr != nil || held.HolderIdentity != l.Identity() {
			return err
		}
		return l.LeaseLock.Update(ctx, r)
	})
}

// write writes a record and tracks whether the lease is held. A released lease counts as not held from before the
// write, a renewed one as held from when the write was sent.
func (l *lease) write(r resourcelock.LeaderElectionRecord, do func() error) error {
	mine := r.HolderIdentity == l.Identity()
	if !mine {
		l.renew(nil)
	}
	sent := l.moment()
	if err := do(); err != nil {
		return err
	}
	if mine {
		l.renew(sent)
	}
	return nil
}

func (l *lease) renew(m *moment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = m
}

func (l *lease) held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lasting()
}

// overdue reports whether the lease is no longer held but was not released.
func (l *lease) overdue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewed != nil && !l.lasting()
}

// lasting reports whether the lease is held. The caller holds the lock.
func (l *lease) lasting() bool {
	return l.renewed != nil && l.now().Sub(l.renewed.now) < l.lasts && l.wall().Sub(l.renewed.wall) < l.lasts
}

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
