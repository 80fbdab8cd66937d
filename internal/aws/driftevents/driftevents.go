// Package driftevents receives events about calls to Lambda from queues of Amazon SQS, and passes them to the
// controllers whose resources they are about.
//
// A queue has one receiver, which runs on the leader only. Messages are not trusted: package cloudtrail
// limits and sanitizes their content.
package driftevents

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

// API has the operations of SQS that a receiver calls. *sqs.Client has them.
type API interface {
	GetQueueUrl(ctx context.Context, in *sqs.GetQueueUrlInput,
		opts ...func(*sqs.Options)) (*sqs.GetQueueUrlOutput, error)
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput,
		opts ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput,
		opts ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Sessions resolves the session of a config in a region. *session.Resolver does.
type Sessions interface {
	ResolveConfig(ctx context.Context, config client.Object, region string) (*session.Session, error)
}

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

// A Config is a provider config, by kind, namespace and name. Its UID is empty.
type Config = session.Ref

// A Notice is an event for the resources of some configs.
type Notice struct {
	cloudtrail.Event

	// Configs are the configs whose resources the event may be about, and whether their users want to see the source
	// IP address.
	Configs map[Config]bool
}

// An Outcome is the significance of an event for the resources of a kind. The greatest of several is counted.
type Outcome int

const (
	// Unmatched means that the event is about no resource.
	Unmatched Outcome = iota

	// Outdated means that the resource was observed after the call.
	Outdated

	// Own means that the provider made the call.
	Own

	// Matched means that a resource is reconciled.
	Matched
)

// A Subscriber is the controller of a kind.
type Subscriber interface {
	// Notify handles an event. It makes no call to AWS.
	Notify(ctx context.Context, n Notice) (Outcome, error)

	// Resume makes resources of configs be polled as if there were no events.
	Resume(ctx context.Context, configs []Config)
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

// New returns a Hub without receivers.
func New(o Options) *Hub {
	if o.Connect == nil {
		o.Connect = func(s *session.Session) API { return session.Client(s, sqs.NewFromConfig) }
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	h := &Hub{
		o: o, receivers: map[queueKey]*receiver{}, ofConfig: map[types.UID]*receiver{},
		subscribers: map[string]Subscriber{}, turns: map[string]chan struct{}{},
	}
	o.Metrics.receiving = h.countReceiving
	return h
}

// NeedLeaderElection returns true: only the leader receives events.
func (h *Hub) NeedLeaderElection() bool { return true }

// Start receives events until the context is done.
func (h *Hub) Start(ctx context.Context) error {
	if h.o.Synced != nil && !h.o.Synced(ctx) {
		return nil
	}
	h.mu.Lock()
	h.run = ctx
	for _, r := range h.receivers {
		h.start(r) //nolint:contextcheck // It uses h.run, which is ctx.
	}
	h.mu.Unlock()
	<-ctx.Done()
	h.running.Wait()
	return nil
}

// start starts a receiver if the Hub runs. The caller holds the lock.
func (h *Hub) start(r *receiver) {
	if h.run == nil || h.run.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(h.run)
	r.stop = cancel
	h.running.Go(func() { r.receive(ctx) })
}

// queueKey identifies a receiver. ClusterProviderConfigs share the receiver of a queue, since administrators write
// them. A ProviderConfig of a namespace has its own: its queue may have messages from anyone, for the resources of this
// config alone.
type queueKey struct {
	arn       string
	owner     types.UID
	namespace string
}

// Set begins to receive from the queue of a config, or stops if the config names none.
func (h *Hub) Set(config client.Object) {
	spec, key, ref := specOf(config)
	if spec != nil {
		key.arn = spec.QueueARN
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	uid := config.GetUID()
	if was := h.ofConfig[uid]; was != nil && (spec == nil || was.key != key) {
		h.remove(uid)
	}
	if spec == nil {
		return
	}
	r, ok := h.receivers[key]
	if !ok {
		r = newReceiver(h, key)
		h.receivers[key] = r
		h.start(r)
	}
	h.ofConfig[uid] = r
	r.setMember(uid, member{ref: ref, showSourceIP: spec.ShowSourceIP})
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

// Subscribe adds the controller of a kind.
func (h *Hub) Subscribe(kind string, s Subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscribers[kind] = s
}

// Watch adds a function that is called with the UID of each config whose State changes.
func (h *Hub) Watch(changed func(types.UID)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers = append(h.watchers, changed)
}

// State returns the state of the queue of a config, and false if the config names none.
func (h *Hub) State(uid types.UID) (State, bool) {
	if r := h.receiverOf(uid); r != nil {
		return r.stateNow(), true
	}
	return State{}, false
}

// Proven reports whether events about calls in an account and region arrive from the queue of a config.
func (h *Hub) Proven(uid types.UID, account, region string) bool {
	r := h.receiverOf(uid)
	return r != nil && r.proven(account, region)
}

// Called records that the provider has made a call with a config in an account and region that changes something. The
// event about it is expected to arrive.
func (h *Hub) Called(uid types.UID, account, region string) {
	if r := h.receiverOf(uid); r != nil {
		r.called(place{account: account, region: region})
	}
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

// countReceiving returns the number of queues by the state that their metric has.
func (h *Hub) countReceiving() map[string]int {
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.receivers))
	h.mu.Unlock()
	counts := map[string]int{}
	for _, r := range all {
		switch r.stateNow().Reason {
		case Receiving:
			counts[stateReceiving]++
		case EventsMissing:
			counts[stateMissing]++
		default:
			counts[stateFailing]++
		}
	}
	return counts
}

// specOf returns what a config says about events, the key of its receiver without the queue, and its name.
func specOf(config client.Object) (*v1beta1.DriftEvents, queueKey, Config) {
	switch c := config.(type) {
	case *v1beta1.ProviderConfig:
		return c.Spec.DriftEvents, queueKey{owner: c.GetUID(), namespace: c.GetNamespace()}, Config{
			Kind:      v1beta1.ProviderConfigKind,
			Namespace: c.GetNamespace(), Name: c.GetName(),
		}
	case *v1beta1.ClusterProviderConfig:
		return c.Spec.DriftEvents, queueKey{}, Config{Kind: v1beta1.ClusterProviderConfigKind, Name: c.GetName()}
	}
	return nil, queueKey{}, Config{}
}
