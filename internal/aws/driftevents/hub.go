package driftevents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

// Options are the options of a Hub.
type Options struct {
	// Configs reads provider configs from a cache.
	Configs client.Reader

	// Sessions resolves the session of a config.
	Sessions Sessions

	// Synced waits until the caches of resources are filled. Nil does not wait.
	Synced func(ctx context.Context) bool

	// Clock is the clock of the receivers.
	Clock clock.WithTicker

	// Random returns a number in [0, 1).
	Random func() float64

	// Log is the logger.
	Log logging.Logger

	// Metrics are the metrics of events. The default are some that nobody collects.
	Metrics *Metrics

	// Connect returns the client of a session. Nil means the SDK's.
	Connect func(*session.Session) API
}

// A Hub has the receivers of all configs and passes their events to subscribers. It is safe for concurrent use.
type Hub struct {
	o Options

	mu          sync.Mutex
	run         context.Context //nolint:containedctx // It is that of Start, and receivers start later.
	receivers   map[queueKey]*receiver
	ofConfig    map[types.UID]*receiver
	turns       map[string]chan struct{}
	subscribers map[string]Subscriber
	watchers    []func(types.UID)
	running     sync.WaitGroup
}

// queueKey identifies a receiver. ClusterProviderConfigs share the receiver of a queue, since administrators write
// them. A ProviderConfig of a namespace has its own: its queue may have messages from anyone, for the resources of this
// config alone.
type queueKey struct {
	arn       string
	owner     types.UID
	namespace string
}

// A member is a config that names the queue of a receiver.
type member struct {
	ref          Config
	showSourceIP bool
}

// A receiver receives the messages of one queue.
type receiver struct {
	hub   *Hub
	key   queueKey
	queue arn.ARN
	stop  context.CancelFunc

	mu      sync.Mutex
	members map[types.UID]member
	health

	// queueURL is the URL of the queue, as far as it is known. failures is the number of consecutive errors, and turn
	// that of all: it selects the config that makes the calls. Only the receiver's goroutine uses them.
	queueURL       string
	failures, turn int
}

// health is the state of a queue as its receiver knows it.
type health struct {
	reason Reason
	err    string

	// lastReceived is the time when the last call succeeded. wasAlive reports whether it had recently when it was last
	// checked.
	lastReceived time.Time
	wasAlive     bool

	// places records the events that have arrived from each account and region.
	places map[place]*arrivals

	// missing are the places in the last report with a call whose event is missing.
	missing []string
}

// A place is an account and region.
type place struct{ account, region string }

// String names the place.
func (p place) String() string { return "account " + p.account + " in " + p.region }

// arrivals is the record of the events and heartbeats that have arrived from a place. Only an event of CloudTrail
// proves that its events arrive: a heartbeat of EventBridge comes without a trail, too.
type arrivals struct {
	// proven is the time of the last event of CloudTrail, or of the last heartbeat since, and fed that of either of
	// them.
	proven, fed time.Time

	// first and last are the times of the calls of the provider whose events have not arrived yet.
	first, last time.Time

	// missing reports whether the event of a call has not arrived in time, and no other event since.
	missing bool
}

func newReceiver(h *Hub, key queueKey) *receiver {
	queue, _ := arn.Parse(key.arn) // The schema rejects any other text.
	return &receiver{
		hub: h, key: key, queue: queue, members: map[types.UID]member{},
		health: health{places: map[place]*arrivals{}},
	}
}

func (r *receiver) setMember(uid types.UID, m member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[uid] = m
}

func (r *receiver) removeMember(uid types.UID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, uid)
	return len(r.members)
}

// configs returns the configs of the receiver, in order, and whether each shows the source IP address.
func (r *receiver) configs() ([]Config, map[Config]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	show := make(map[Config]bool, len(r.members))
	for _, m := range r.members {
		show[m.ref] = m.showSourceIP
	}
	refs := slices.SortedFunc(maps.Keys(show), func(a, b Config) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return refs, show
}

// Forget stops to receive for a config that is deleted.
func (h *Hub) Forget(uid types.UID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(uid)
}

// forgetDeleted stops to receive for configs that were deleted in spite of their finalizers: those of a name except the
// present one, whose UID is empty if there is none.
func (h *Hub) forgetDeleted(r *receiver, ref Config, present types.UID) {
	r.mu.Lock()
	var uids []types.UID
	for uid, m := range r.members {
		if m.ref == ref && uid != present {
			uids = append(uids, uid)
		}
	}
	r.mu.Unlock()
	for _, uid := range uids {
		h.Forget(uid)
	}
}

// remove removes a config from its receiver, and stops a receiver without configs. The caller holds the lock.
func (h *Hub) remove(uid types.UID) {
	r, ok := h.ofConfig[uid]
	if !ok {
		return
	}
	delete(h.ofConfig, uid)
	if r.removeMember(uid) > 0 {
		return
	}
	delete(h.receivers, r.key)
	if r.stop != nil {
		r.stop()
	}
	for key := range h.receivers {
		if key.namespace == r.key.namespace {
			return
		}
	}
	delete(h.turns, r.key.namespace)
}

func (h *Hub) receiverOf(uid types.UID) *receiver {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ofConfig[uid]
}

// notify passes an event to the subscribers of the kinds that it may be about.
func (h *Hub) notify(ctx context.Context, n Notice) (Outcome, error) {
	h.mu.Lock()
	var to []Subscriber
	for kind, s := range h.subscribers {
		if cloudtrail.Concerns(n.By.Operation, kind) {
			to = append(to, s)
		}
	}
	h.mu.Unlock()
	out := Unmatched
	for _, s := range to {
		o, err := s.Notify(ctx, n)
		if err != nil {
			return out, err
		}
		out = max(out, o)
	}
	return out, nil
}

// resume makes the resources of configs be polled as if there were no events.
func (h *Hub) resume(ctx context.Context, configs []Config) {
	h.mu.Lock()
	to := slices.Collect(maps.Values(h.subscribers))
	h.mu.Unlock()
	for _, s := range to {
		s.Resume(ctx, configs)
	}
}

func (h *Hub) changed(uids []types.UID) {
	h.mu.Lock()
	to := slices.Clone(h.watchers)
	h.mu.Unlock()
	for _, w := range to {
		for _, uid := range uids {
			w(uid)
		}
	}
}
