package providerconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
)

// showBreakers sets the condition Reachable, and returns when to check again, 0 if that is not necessary.
func (r *Reconciler) showBreakers(c providerConfig) time.Duration {
	open := r.breakers.Open(c.GetUID())
	was := c.GetCondition(v1beta1.TypeReachable).Status
	if len(open) == 0 && was != corev1.ConditionFalse {
		return 0
	}
	is := xpv2.Condition{
		Type: v1beta1.TypeReachable, Status: corev1.ConditionTrue, Reason: v1beta1.ReasonAnswering,
		LastTransitionTime: metav1.NewTime(r.now()),
	}
	if len(open) > 0 {
		is.Status, is.Reason = corev1.ConditionFalse, v1beta1.ReasonCircuitBreakerOpen
		is.Message = unreachable(open)
	}
	c.SetConditions(is.WithObservedGeneration(c.GetGeneration()))
	if len(open) == 0 {
		return 0
	}
	return retryEvery
}

// unreachable returns the message of the condition, with a few regions.
func unreachable(regions []string) string {
	in := strings.Join(regions[:min(named, len(regions))], ", ")
	if len(regions) > named {
		in += " and others"
	}
	return fmt.Sprintf("AWS does not answer in %s, so calls are paused and retried at intervals: check the endpoint, "+
		"and the network", in)
}

// showUsage shows the usage of the account in the regions in which a config is used, and returns
// when to read it again. It reads nothing for a config that nothing uses.
func (r *Reconciler) showUsage(ctx context.Context, c providerConfig, u usages) time.Duration {
	status := c.GetConfigStatus()
	status.AccountUsage = nil
	if u.count == 0 {
		return 0
	}
	known, again := r.accounts.Usages(ctx, c.GetUID())
	for _, k := range known {
		status.AccountUsage = append(status.AccountUsage, accountUsage(k))
	}
	return again
}

// accountUsage returns a usage in the form of status.
func accountUsage(u account.Usage) v1beta1.AccountUsage {
	if u.Unknown != nil {
		return v1beta1.AccountUsage{Region: u.Region, Unknown: u.Unknown.Error()}
	}
	f := u.Figures
	return v1beta1.AccountUsage{
		Region:                         u.Region,
		ConcurrentExecutions:           ptr.To(f.ConcurrentExecutions),
		ReservedConcurrentExecutions:   ptr.To(f.ConcurrentExecutions - f.UnreservedConcurrentExecutions),
		UnreservedConcurrentExecutions: ptr.To(f.UnreservedConcurrentExecutions),
		CodeStorageLimit:               ptr.To(f.CodeStorageLimit),
		CodeStorageUsed:                ptr.To(f.CodeStorageUsed),
		CodeStorageLeft:                ptr.To(f.CodeStorageLimit - f.CodeStorageUsed),
		FunctionCount:                  ptr.To(f.Functions),
	}
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
