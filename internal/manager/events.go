package manager

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// lasting are the reasons of events that users must not miss. Each happens once, and none makes another.
var lasting = map[string]bool{
	v1beta1.EventRolloutCompleted: true, v1beta1.EventRolloutRollingBack: true, v1beta1.EventRolloutFailed: true,
	v1beta1.EventRolloutCommand: true, v1beta1.EventRolloutRestarted: true, v1beta1.EventAliasChanged: true,
}

// newBroadcaster returns a broadcaster of events. client-go's own stores 25 events of a type about an object, and then
// one in five minutes: the steps of a rollout would take the place of the event about its end. This one limits the
// events of each reason for themselves, and neither limits nor combines those that users must not miss.
func newBroadcaster() record.EventBroadcaster {
	aggregate := func(e *corev1.Event) (group, local string) {
		group, local = record.EventAggregatorByReasonFunc(e)
		if lasting[e.Reason] {
			group += local
		}
		return group, local
	}
	return record.NewBroadcasterWithCorrelatorOptions(record.CorrelatorOptions{
		KeyFunc: aggregate,
		SpamKeyFunc: func(e *corev1.Event) string {
			group, _ := aggregate(e)
			return group
		},
	})
}

// recordingManager is a manager whose recorders emit events by way of a broadcaster of its own. controller-runtime does
// not stop one that it is given.
type recordingManager struct {
	ctrl.Manager

	broadcaster record.EventBroadcaster
}

// recording returns a manager whose recorders emit events by way of newBroadcaster, until its Start returns.
func recording(mgr ctrl.Manager) (ctrl.Manager, error) {
	c, err := corev1client.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client of events")
	}
	b, log := newBroadcaster(), mgr.GetLogger().WithName("events")
	b.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: c.Events("")})
	b.StartEventWatcher(func(e *corev1.Event) {
		log.V(1).Info(e.Message, "type", e.Type, "object", e.InvolvedObject, "reason", e.Reason)
	})
	return &recordingManager{Manager: mgr, broadcaster: b}, nil
}

// GetEventRecorderFor returns a recorder of events of a source.
func (m *recordingManager) GetEventRecorderFor(name string) record.EventRecorder {
	return m.broadcaster.NewRecorder(m.GetScheme(), corev1.EventSource{Component: name})
}

// Start starts the manager, and returns when it has ended.
func (m *recordingManager) Start(ctx context.Context) error {
	defer m.broadcaster.Shutdown()
	return m.Manager.Start(ctx)
}
