package providerconfig

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
)

const (
	// TypeReceivesDriftEvents is the condition that reports whether messages are received from the queue of
	// spec.driftEvents. A config without one does not have the condition.
	TypeReceivesDriftEvents xpv2.ConditionType = "ReceivesDriftEvents"

	// ReasonReceiving means that the last call of SQS succeeded.
	ReasonReceiving xpv2.ConditionReason = "Receiving"

	// ReasonStarting means that SQS was not called yet.
	ReasonStarting xpv2.ConditionReason = "Starting"

	// ReasonQueueNotFound means that the queue does not exist.
	ReasonQueueNotFound xpv2.ConditionReason = "QueueNotFound"

	// ReasonQueueDenied means that the identity of the config lacks a permission of SQS.
	ReasonQueueDenied xpv2.ConditionReason = "QueueAccessDenied"

	// ReasonEventsMissing means that the queue works, and that no event of CloudTrail has arrived about a call of the
	// provider.
	ReasonEventsMissing xpv2.ConditionReason = "EventsMissing"

	// ReasonQueueFailing means that calls of SQS fail for another reason.
	ReasonQueueFailing xpv2.ConditionReason = "CannotReceive"
)

// DriftEvents receives events for configs. *driftevents.Hub does.
type DriftEvents interface {
	// Set begins to receive for a config, or stops if it names no queue.
	Set(config client.Object)

	// Forget stops to receive for a config that is deleted.
	Forget(uid types.UID)

	// State returns the state of a config's queue, and false if it names none.
	State(uid types.UID) (driftevents.State, bool)

	// Watch adds a function that is called with the UID of each config whose State changes.
	Watch(changed func(uid types.UID))
}

// showDriftEvents sets the condition ReceivesDriftEvents, or removes it if the config names no queue.
func (r *Reconciler) showDriftEvents(c providerConfig) {
	if r.events == nil {
		return
	}
	r.events.Set(c)
	state, ok := r.events.State(c.GetUID())
	if !ok {
		s := c.GetConfigStatus()
		s.Conditions = slices.DeleteFunc(s.Conditions, func(c xpv2.Condition) bool { return c.Type == TypeReceivesDriftEvents })
		return
	}
	if state.Reason == driftevents.Starting && c.GetCondition(TypeReceivesDriftEvents).Reason != "" {
		return // What was true before the provider started is most likely still true.
	}
	is := xpv2.Condition{Type: TypeReceivesDriftEvents, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(r.now())}
	switch state.Reason {
	case driftevents.Receiving:
		is.Status, is.Reason = corev1.ConditionTrue, ReasonReceiving
	case driftevents.NoQueue:
		is.Reason, is.Message = ReasonQueueNotFound, "The queue "+state.QueueARN+" does not exist, so only polls detect drift: create it, or correct spec.driftEvents.queueARN: "+state.Error
	case driftevents.Denied:
		is.Reason, is.Message = ReasonQueueDenied, "The queue "+state.QueueARN+" cannot be used, so only polls detect drift: grant sqs:GetQueueUrl, sqs:ReceiveMessage and sqs:DeleteMessage: "+state.Error
	case driftevents.Failing:
		is.Reason, is.Message = ReasonQueueFailing, "The queue "+state.QueueARN+" cannot be used, so only polls detect drift; it is retried at intervals: "+state.Error
	case driftevents.EventsMissing:
		is.Reason, is.Message = ReasonEventsMissing, "No event of CloudTrail has arrived at "+state.QueueARN+" about a call of the provider in "+strings.Join(state.Missing, ", ")+", so only polls detect drift there: check that a trail logs management events, and that a rule of EventBridge sends the events to the queue"
	case driftevents.Starting:
		is.Status, is.Reason = corev1.ConditionUnknown, ReasonStarting
	}
	c.SetConditions(is.WithObservedGeneration(c.GetGeneration()))
}

// watchDriftEvents adds an event to a channel for each config whose queue changes its state.
func (r *Reconciler) watchDriftEvents(changes chan<- event.GenericEvent) {
	if r.events == nil {
		return
	}
	r.events.Watch(func(uid types.UID) {
		obj := r.kind.new()
		obj.SetUID(uid)
		select {
		case changes <- event.GenericEvent{Object: obj}:
		default:
		}
	})
}
