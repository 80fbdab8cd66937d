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

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

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
