package providerconfig

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
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
	r.events.Set(c)
	state, ok := r.events.State(c.GetUID())
	if !ok {
		s := c.GetConfigStatus()
		s.Conditions = slices.DeleteFunc(s.Conditions,
			func(c xpv2.Condition) bool { return c.Type == v1beta1.TypeReceivesDriftEvents })
		return
	}
	if state.Reason == driftevents.Starting && c.GetCondition(v1beta1.TypeReceivesDriftEvents).Reason != "" {
		return // What was true before the provider started is most likely still true.
	}
	is := xpv2.Condition{
		Type: v1beta1.TypeReceivesDriftEvents, Status: corev1.ConditionFalse,
		LastTransitionTime: metav1.NewTime(r.now()),
	}
	switch state.Reason {
	case driftevents.Receiving:
		is.Status, is.Reason = corev1.ConditionTrue, v1beta1.ReasonReceiving
	case driftevents.NoQueue:
		is.Reason, is.Message = v1beta1.ReasonQueueNotFound, "The queue "+state.QueueARN+
			" does not exist, so only polls detect drift: create it, or correct spec.driftEvents.queueARN: "+state.Error
	case driftevents.Denied:
		is.Reason, is.Message = v1beta1.ReasonQueueDenied, "The queue "+state.QueueARN+
			" cannot be used, so only polls detect drift: grant sqs:GetQueueUrl, sqs:ReceiveMessage and "+
			"sqs:DeleteMessage: "+
			state.Error
	case driftevents.Failing:
		is.Reason, is.Message = v1beta1.ReasonQueueFailing, "The queue "+state.QueueARN+
			" cannot be used, so only polls detect drift; it is retried at intervals: "+state.Error
	case driftevents.EventsMissing:
		is.Reason, is.Message = v1beta1.ReasonEventsMissing, "No event of CloudTrail has arrived at "+state.QueueARN+
			" about a call of the provider in "+strings.Join(state.Missing, ", ")+
			", so only polls detect drift there: check that a trail logs management events, and that a rule of "+
			"EventBridge sends the events to the queue"
	case driftevents.Starting:
		is.Status, is.Reason = corev1.ConditionUnknown, v1beta1.ReasonStarting
	}
	c.SetConditions(is.WithObservedGeneration(c.GetGeneration()))
}
