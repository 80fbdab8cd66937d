package reporting

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// A DeletionLog is a recorder that also logs the events of resources that are being deleted: the API server rejects new
// events in a namespace that is being deleted.
type DeletionLog struct {
	event.Recorder

	Log logging.Logger
}

// Event emits an event.
func (r *DeletionLog) Event(obj runtime.Object, e event.Event) {
	r.Recorder.Event(obj, e)
	if o, ok := obj.(client.Object); ok && o.GetDeletionTimestamp() != nil {
		r.Log.Info("Event of a resource that is being deleted", "namespace", o.GetNamespace(), "name", o.GetName(),
			"type", e.Type, "reason", e.Reason, "message", e.Message)
	}
}

// WithAnnotations returns a recorder that annotates its events.
func (r *DeletionLog) WithAnnotations(keysAndValues ...string) event.Recorder {
	return &DeletionLog{Recorder: r.Recorder.WithAnnotations(keysAndValues...), Log: r.Log}
}
