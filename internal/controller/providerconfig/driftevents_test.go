package providerconfig

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
)

// queues has the state of the queue of a config.
type queues struct {
	state  driftevents.State
	set    int
	forgot []types.UID
}

func (q *queues) Set(client.Object)    { q.set++ }
func (q *queues) Forget(uid types.UID) { q.forgot = append(q.forgot, uid) }
func (q *queues) State(types.UID) (s driftevents.State, named bool) {
	return q.state, q.state.QueueARN != ""
}
func (q *queues) Watch(func(types.UID)) {}

func TestReceivesDriftEvents(t *testing.T) {
	c := pc()
	c.Spec.DriftEvents = &v1beta1.DriftEvents{QueueARN: "arn:aws:sqs:eu-central-1:123456789012:drift"}
	e := newEnv(t, namespacedKind, c, secret("aws"))
	q := &queues{state: driftevents.State{QueueARN: c.Spec.DriftEvents.QueueARN}}
	e.Reconciler.events = q
	steps := []struct {
		reason  string
		state   driftevents.Reason
		err     string
		status  corev1.ConditionStatus
		because xpv2.ConditionReason
	}{
		{"SQS was not called yet", driftevents.Starting, "", corev1.ConditionUnknown, v1beta1.ReasonStarting},
		{"messages are received", driftevents.Receiving, "", corev1.ConditionTrue, v1beta1.ReasonReceiving},
		{
			"a restart of the provider says nothing about the queue",
			driftevents.Starting,
			"",
			corev1.ConditionTrue,
			v1beta1.ReasonReceiving,
		},
		{"the queue was deleted", driftevents.NoQueue, "no queue", corev1.ConditionFalse, v1beta1.ReasonQueueNotFound},
		{"a permission is missing", driftevents.Denied, "no right", corev1.ConditionFalse, v1beta1.ReasonQueueDenied},
		{"the network is down", driftevents.Failing, "no route", corev1.ConditionFalse, v1beta1.ReasonQueueFailing},
		{"there is no trail", driftevents.EventsMissing, "", corev1.ConditionFalse, v1beta1.ReasonEventsMissing},
		{"it works again", driftevents.Receiving, "", corev1.ConditionTrue, v1beta1.ReasonReceiving},
	}
	for _, s := range steps {
		q.state.Reason, q.state.Error = s.state, s.err
		e.reconcile(client.ObjectKeyFromObject(c))
		e.get(c)
		is := c.GetCondition(v1beta1.TypeReceivesDriftEvents)
		if is.Status != s.status || is.Reason != s.because || !strings.Contains(is.Message, s.err) {
			t.Errorf("%s: %+v", s.reason, is)
		}
	}
	writes := e.writes
	if e.reconcile(client.ObjectKeyFromObject(c)); e.writes != writes {
		t.Errorf("%d writes though nothing has changed", e.writes-writes)
	}

	q.state = driftevents.State{}
	e.reconcile(client.ObjectKeyFromObject(c))
	e.get(c)
	if slices.ContainsFunc(
		c.Status.Conditions,
		func(c xpv2.Condition) bool { return c.Type == v1beta1.TypeReceivesDriftEvents },
	) {
		t.Error("a config without a queue has the condition")
	}
	if q.set != len(steps)+2 {
		t.Errorf("the config was passed on %d times", q.set)
	}
}
