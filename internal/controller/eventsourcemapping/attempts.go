package eventsourcemapping

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mostAttempts is how often the same update is sent in a row. AWS has settings that it
// may take and not show, and no look of it tells which: without a bound, each of its
// answers would be followed by another update.
const mostAttempts = 3

// attempts remembers the updates of each resource that have not shown yet. It is safe
// for concurrent use.
type attempts struct {
	mu      sync.Mutex
	entries map[types.UID]attempt
}

// attempt is an update that was sent, and how often in a row.
type attempt struct {
	generation int64
	changes    string
	count      int
	at         time.Time
}

func newAttempts() *attempts { return &attempts{entries: map[types.UID]attempt{}} }

// note that an update was sent.
func (a *attempts) note(mg metav1.Object, changes string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.entries[mg.GetUID()]
	if e.generation != mg.GetGeneration() || e.changes != changes {
		e = attempt{generation: mg.GetGeneration(), changes: changes}
	}
	e.count++
	e.at = at
	a.entries[mg.GetUID()] = e
}

// pause is how long to wait before the update is sent again, 0 where it may go now.
func (a *attempts) pause(mg metav1.Object, changes string, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.entries[mg.GetUID()]
	if !ok || e.generation != mg.GetGeneration() || e.changes != changes || e.count < mostAttempts {
		return 0
	}
	return max(retryAfter-now.Sub(e.at), 0)
}

// forget what was sent, because it shows, or because it does not matter any more.
func (a *attempts) forget(mg metav1.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.entries, mg.GetUID())
}
