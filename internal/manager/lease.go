package manager

import (
	"cmp"
	"context"
	"os"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// DefaultLeaseDuration is as long as that of Crossplane and its providers, so that
	// a busy API server does not cost a provider its lease.
	DefaultLeaseDuration = 60 * time.Second

	// DefaultRenewDeadline leaves calls of AWS time to arrive before another begins.
	DefaultRenewDeadline = 50 * time.Second

	// retryPeriod is the longest time between two tries to renew or to get the lease.
	retryPeriod = 2 * time.Second

	leaseName = "crossplane-leader-election-provider-lambda"

	// namespaceFile is where a pod finds the name of its namespace.
	namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

var errLeaseLost = errors.New("the lease could not be renewed in time, so that another replica may be at work")

// elect has a manager work only while it holds the lease. Without leader election
// there is none.
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
	check := min(leaseCheck, (o.LeaseDuration-o.RenewDeadline)/2) //nolint:mnd // What outlives a check ends before another replica begins.
	l := &lease{LeaseLock: lock, lasts: o.RenewDeadline, check: check, now: o.Now, wall: func() time.Time { return o.Now().Round(0) }}
	mo.LeaderElection = true
	mo.LeaderElectionID = leaseName // Only metrics name it.
	mo.LeaderElectionResourceLockInterface = l
	mo.LeaderElectionReleaseOnCancel = true
	mo.LeaseDuration = ptr.To(o.LeaseDuration)
	mo.RenewDeadline = ptr.To(o.RenewDeadline)
	mo.RetryPeriod = ptr.To(min(retryPeriod, (o.LeaseDuration-o.RenewDeadline)/2, o.RenewDeadline/2)) //nolint:mnd // Two tries at least.
	return l, nil
}

// lock is the Lease in the cluster, as this replica.
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
		LeaseMeta:  metav1.ObjectMeta{Namespace: ns, Name: leaseName},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
	}, nil
}

// leaseNamespace is the one that was asked for, or that of the pod.
func leaseNamespace(asked, file string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	b, err := os.ReadFile(file) //nolint:gosec // The file is Kubernetes's.
	if err != nil {
		return "", errors.Wrap(err, "cannot determine the namespace of the leader election lease outside a pod: set --leader-election-namespace or --no-leader-election")
	}
	return strings.TrimSpace(string(b)), nil
}

// A lease is the right to work. client-go's election alone may let a replica that is
// cut off from the API server work on while it tries to give the lease back, and one
// that was frozen until it notices. So the lease knows for how long it holds, and
// nothing is sent to AWS after that.
type lease struct {
	*resourcelock.LeaseLock

	// lasts is how long a renewal holds: less than others wait, so that what is on its
	// way to AWS arrives before they begin.
	lasts time.Duration

	// check is how often the lease is looked at.
	check time.Duration

	// now is the monotonic clock, which stands still while a machine is suspended, and
	// wall the wall clock, which may be set back. The lease has ended once either says so.
	now, wall func() time.Time

	mu      sync.Mutex
	renewed *moment // When the renewal was sent that succeeded last. Nil is no lease.

	attempts map[*attempt]struct{}
}

// A moment by both clocks.
type moment struct{ now, wall time.Time }

func (l *lease) moment() *moment { return &moment{now: l.now(), wall: l.wall()} }

// Get the record of the lease. What is overdue cannot be given back: to try could
// take as long as to renew it.
func (l *lease) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if l.overdue() {
		return nil, nil, errLeaseLost
	}
	return l.LeaseLock.Get(ctx)
}

// Create the lease.
func (l *lease) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func() error { return l.LeaseLock.Create(ctx, r) })
}

// Update the lease: take it, renew it or give it back.
func (l *lease) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func() error { return l.LeaseLock.Update(ctx, r) })
}

// write a record. A lease that is given back is not held from before it is written,
// one that is renewed from when that was sent.
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

// overdue tells a lease that is no longer held, but was not given back.
func (l *lease) overdue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewed != nil && !l.lasting()
}

// lasting tells whether the lease is held. The lock is held.
func (l *lease) lasting() bool {
	return l.renewed != nil && l.now().Sub(l.renewed.now) < l.lasts && l.wall().Sub(l.renewed.wall) < l.lasts
}
