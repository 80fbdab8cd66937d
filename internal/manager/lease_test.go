package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// clocks are the two clocks of a replica.
type clocks struct {
	mu        sync.Mutex
	now, wall time.Time
}

// pass advances both clocks.
func (c *clocks) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.wall = c.now.Add(d), c.wall.Add(d)
}

// set sets the wall clock, as when somebody sets it or when the machine is suspended.
func (c *clocks) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(by)
}

func (c *clocks) read(t *time.Time) func() time.Time {
	return func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return *t
	}
}

// newLease returns the lease of a replica that counts 50 s from its last renewal, and its clocks.
func newLease(t *testing.T, client *fake.Clientset) (*lease, *clocks) {
	t.Helper()
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	c := &clocks{now: start, wall: start}
	return &lease{
		LeaseLock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "crossplane-system", Name: leaseName},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "a"},
		},
		lasts: 50 * time.Second,
		now:   c.read(&c.now),
		wall:  c.read(&c.wall),
	}, c
}

func TestLeaseIsHeld(t *testing.T) {
	mine, free, others := resourcelock.LeaderElectionRecord{
		HolderIdentity: "a",
	}, resourcelock.LeaderElectionRecord{},
		resourcelock.LeaderElectionRecord{HolderIdentity: "b"}
	cases := map[string]struct {
		reason string
		then   *resourcelock.LeaderElectionRecord
		after  time.Duration
		step   time.Duration // By how much the wall clock is set, or advances while the machine is suspended.
		want   bool
		get    error
	}{
		"Fresh":  {reason: "A lease that was just acquired is held.", after: 0, want: true},
		"InTime": {reason: "Until it should have been renewed.", after: 50*time.Second - 1, want: true},
		"Overdue": {
			reason: "An overdue lease may be taken by others, so it is neither held nor released.",
			after:  50 * time.Second, get: errLeaseLost,
		},
		"Suspended": {
			reason: "The monotonic clock stops while a machine is suspended, but the wall clock does not.",
			after:  time.Second, step: 50 * time.Second, get: errLeaseLost,
		},
		"SetForth": {
			reason: "A wall clock that is set forth costs the lease, which does no harm.", after: 0,
			step: time.Hour, get: errLeaseLost,
		},
		"SetBack": {
			reason: "One that is set back does not make it last longer.", after: 50 * time.Second,
			step: -time.Hour, get: errLeaseLost,
		},
		"SetBackIn": {
			reason: "A clock that is set back does not shorten the lease.", after: 50*time.Second - 1,
			step: -time.Hour, want: true,
		},
		"Returned": {reason: "What was given back does not hold.", then: &free, after: 0},
		"Taken":    {reason: "A lease that another replica has taken is not held.", then: &others, after: 0},
		"Free":     {reason: "One that was given back can be looked at at any time.", then: &free, after: time.Hour},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l, c := newLease(t, fake.NewClientset())
			if l.held() {
				t.Fatal("nobody holds a lease before getting it")
			}
			if err := l.Create(t.Context(), mine); err != nil {
				t.Fatal(err)
			}
			if tc.then != nil {
				if err := l.Update(t.Context(), *tc.then); err != nil {
					t.Fatal(err)
				}
			}
			c.pass(tc.after)
			c.set(tc.step)
			if got := l.held(); got != tc.want {
				t.Errorf("%s: held is %t", tc.reason, got)
			}
			if _, _, err := l.Get(t.Context()); !errors.Is(err, tc.get) {
				t.Errorf("%s: Get() = %v, want %v", tc.reason, err, tc.get)
			}
		})
	}
}

// TestLeaseCountsFromSending checks that the lease's duration counts from when a renewal was sent: other replicas
// count from when it arrived.
func TestLeaseCountsFromSending(t *testing.T) {
	l, c := newLease(t, fake.NewClientset())
	err := l.write(resourcelock.LeaderElectionRecord{HolderIdentity: "a"}, func() error {
		c.pass(20 * time.Second)
		return nil
	})
	c.pass(30*time.Second - 1)
	if before := l.held(); err != nil || !before {
		t.Errorf("aborted %t for less than 50 s after it was sent: %v", before, err)
	}
	c.pass(1)
	if l.held() {
		t.Error("held longer than 50 s after it was sent")
	}
}

// TestLeaseThatCannotBeWritten checks that a failed renewal leaves the lease as it was, and that a failed release
// ends it.
func TestLeaseThatCannotBeWritten(t *testing.T) {
	broken := errors.New("no API server")
	l, c := newLease(t, fake.NewClientset())
	begun := l.moment()
	l.renew(begun)
	c.pass(10 * time.Second)
	err := l.write(resourcelock.LeaderElectionRecord{HolderIdentity: "a"}, func() error { return broken })
	if !errors.Is(err, broken) || l.renewed != begun {
		t.Errorf("held from %v, want from %v: %v", l.renewed, begun, err)
	}
	err = l.write(resourcelock.LeaderElectionRecord{}, func() error { return broken })
	if !errors.Is(err, broken) || l.held() {
		t.Errorf("a lease that was perhaps given back is held: %v", err)
	}
}

// TestLeaseIsReleasedAfterLateRenewal checks that a lease is released although the API server applies a renewal, which
// the end of the process cut off, after the lease was read for the release.
func TestLeaseIsReleasedAfterLateRenewal(t *testing.T) {
	cases := map[string]struct {
		reason string
		late   string // Whose update the API server applies late.
		want   string // Who holds the lease afterwards.
		err    bool
	}{
		"Own":     {reason: "The renewal was the replica's own.", late: "a"},
		"Another": {reason: "Another replica has taken the lease, and keeps it.", late: "b", want: "b", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			l, _ := newLease(t, client)
			if err := l.Create(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "a"}); err != nil {
				t.Fatal(err)
			}
			client.PrependReactor("update", "leases", conflictOnce(func() {
				late := &coordinationv1.Lease{
					ObjectMeta: l.LeaseMeta, Spec: coordinationv1.LeaseSpec{HolderIdentity: &tc.late},
				}
				if err := client.Tracker().Update(leases, late, late.Namespace); err != nil {
					t.Fatal(err)
				}
			}))
			if err := l.Update(t.Context(), resourcelock.LeaderElectionRecord{}); (err != nil) != tc.err {
				t.Errorf("%s: Update() = %v", tc.reason, err)
			}
			r, _, err := l.LeaseLock.Get(t.Context())
			if err != nil || r.HolderIdentity != tc.want {
				t.Errorf("%s: held by %q, %v", tc.reason, r.HolderIdentity, err)
			}
		})
	}
}

// leases are the API's Leases.
var leases = coordinationv1.SchemeGroupVersion.WithResource("leases")

// conflictOnce returns a reaction that does something before the first write, and so rejects it with a conflict.
func conflictOnce(do func()) clienttesting.ReactionFunc {
	first := true
	return func(clienttesting.Action) (bool, runtime.Object, error) {
		if !first {
			return false, nil, nil
		}
		first = false
		do()
		return true, nil, kerrors.NewConflict(leases.GroupResource(), leaseName, errors.New("changed"))
	}
}

func TestLeaseNamespace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "namespace")
	if err := os.WriteFile(file, []byte("crossplane-system\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason          string
		requested, file string
		want, err       string
	}{
		"Asked": {reason: "The user's word.", requested: "ours", file: file, want: "ours"},
		"Pod":   {reason: "The pod's own.", file: file, want: "crossplane-system"},
		"Nobody": {
			reason: "Outside a pod, the namespace must be set.", file: file + "x",
			err: "--leader-election-namespace",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := leaseNamespace(tc.requested, tc.file)
			if got != tc.want || (err == nil) != (tc.err == "") ||
				(err != nil && !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}

// TestLeaseDurations checks that client-go accepts the configuration for all durations.
func TestLeaseDurations(t *testing.T) {
	cases := map[string]struct {
		lease, renew time.Duration
		want         time.Duration
	}{
		"Default": {want: 2 * time.Second},
		"Short":   {lease: 3 * time.Second, renew: 2 * time.Second, want: 500 * time.Millisecond},
		"Apart":   {lease: time.Minute, renew: time.Second, want: 500 * time.Millisecond},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := Options{
				LeaderElection: true, LeaderElectionNamespace: "x", LeaseDuration: tc.lease,
				RenewDeadline: tc.renew, Now: time.Now,
			}
			mo := o.manager(nil)
			l, err := o.elect(&rest.Config{Host: "127.0.0.1:1"}, &mo)
			if err != nil {
				t.Fatal(err)
			}
			if l.check <= 0 || *mo.RenewDeadline+l.check >= *mo.LeaseDuration {
				t.Errorf("looked at every %s, so that attempts may outlive the lease of %s", l.check, *mo.LeaseDuration)
			}
			if *mo.RetryPeriod != tc.want || l.lasts != *mo.RenewDeadline || *mo.LeaseDuration <= *mo.RenewDeadline {
				t.Errorf("retry every %s, want %s; held for %s of %s", *mo.RetryPeriod, tc.want, l.lasts,
					*mo.LeaseDuration)
			}
		})
	}
}
