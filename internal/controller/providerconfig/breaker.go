package providerconfig

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
)

const (
	// TypeReachable says whether AWS answers to calls that are made with a config. A config
	// to which it has always answered does not have the condition.
	TypeReachable xpv2.ConditionType = "Reachable"

	// ReasonUnanswered says that calls in a row got no answer.
	ReasonUnanswered xpv2.ConditionReason = "CircuitBreakerOpen"

	// ReasonAnswering says that AWS answers again.
	ReasonAnswering xpv2.ConditionReason = "Answering"

	// pending is how many changes of breakers may wait to be looked at. What is more is
	// seen when the config is next looked at.
	pending = 64
)

// showBreakers says in which regions AWS does not answer to a config, and returns when to
// look again.
func (r *Reconciler) showBreakers(c providerConfig) time.Duration {
	open := r.breakers.Open(c.GetUID())
	was := c.GetCondition(TypeReachable).Status
	if len(open) == 0 && was != corev1.ConditionFalse {
		return 0
	}
	is := xpv2.Condition{Type: TypeReachable, Status: corev1.ConditionTrue, Reason: ReasonAnswering, LastTransitionTime: metav1.NewTime(r.now())}
	if len(open) > 0 {
		is.Status, is.Reason = corev1.ConditionFalse, ReasonUnanswered
		is.Message = unreachable(open)
	}
	c.SetConditions(is.WithObservedGeneration(c.GetGeneration()))
	if len(open) == 0 {
		return 0
	}
	return retryEvery
}

// unreachable names a few regions.
func unreachable(regions []string) string {
	in := strings.Join(regions[:min(named, len(regions))], ", ")
	if len(regions) > named {
		in += " and others"
	}
	return fmt.Sprintf("AWS does not answer in %s, so calls are paused and retried at intervals: check the endpoint, and the network", in)
}

// watchBreakers has a config looked at when a breaker of it opens or closes.
func (r *Reconciler) watchBreakers() source.Source {
	changes := make(chan event.GenericEvent, pending)
	r.breakers.Watch(func(k breaker.Key) {
		obj := &metav1.PartialObjectMetadata{}
		obj.SetUID(k.Config)
		select {
		case changes <- event.GenericEvent{Object: obj}:
		default:
		}
	})
	return source.Channel(changes, handler.EnqueueRequestsFromMapFunc(r.withUID))
}

// withUID is the config that has the UID of an object, if it is of this kind.
func (r *Reconciler) withUID(ctx context.Context, obj client.Object) []reconcile.Request {
	l := r.kind.newList()
	if err := r.kube.List(ctx, l, client.UnsafeDisableDeepCopy); err != nil {
		r.log.Info("Cannot list configs to say that AWS does not answer", "error", err)
		return nil
	}
	for _, c := range r.kind.items(l) {
		if c.GetUID() == obj.GetUID() {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(c)}}
		}
	}
	return nil
}
