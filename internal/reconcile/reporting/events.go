package reporting

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// RepeatAfter is the time after which an unchanged event is emitted again, so that users can still find it: the API
// server keeps events for an hour.
const RepeatAfter = 30 * time.Minute

// Recorder emits events of one kind of resource. It drops repetitions. It applies the filters itself, because the
// runtime's recorder drops them as soon as an annotation is added. It also logs the events of resources that are being
// deleted, because the API server rejects new events in a namespace that is being deleted.
type Recorder struct {
	inner  event.Recorder
	log    logging.Logger
	filter []event.FilterFn
	State  *recorderState
}

// recorderState is shared by a recorder and those derived from it by WithAnnotations.
type recorderState struct {
	now func() time.Time

	mu         sync.Mutex
	LastEvents map[types.NamespacedName]map[event.Reason]lastEvent
}

// lastEvent is the last event of one reason about one resource.
type lastEvent struct {
	text string
	at   time.Time
}

// NewRecorder returns a Recorder that emits events with inner, unless a filter drops them.
func NewRecorder(
	inner event.Recorder, log logging.Logger, now func() time.Time, filter ...event.FilterFn,
) *Recorder {
	return &Recorder{inner: inner, log: log, filter: filter, State: &recorderState{
		now: now, LastEvents: map[types.NamespacedName]map[event.Reason]lastEvent{},
	}}
}

// WithAnnotations returns a recorder that annotates its events.
func (r *Recorder) WithAnnotations(keysAndValues ...string) event.Recorder {
	derived := *r
	derived.inner = r.inner.WithAnnotations(keysAndValues...)
	return &derived
}

// Event emits an event, unless it repeats the last one.
func (r *Recorder) Event(obj runtime.Object, e event.Event) {
	o, ok := obj.(client.Object)
	if ok && r.State.repeats(client.ObjectKeyFromObject(o), e) {
		return
	}
	if slices.ContainsFunc(r.filter, func(f event.FilterFn) bool { return f(obj, e) }) {
		return
	}
	r.inner.Event(obj, e)
	if ok && meta.WasDeleted(o) {
		r.log.Info("Event of a resource that is being deleted", "namespace", o.GetNamespace(), "name", o.GetName(),
			"type", e.Type, "reason", e.Reason, "message", e.Message)
	}
}

// Finish emits the events of a reconcile: those that it has found, and a change of the Ready condition. before is the
// resource at the start, and is the Ready condition that was written. An event reports an error already.
func (r *Recorder) Finish(before reconcile.Managed, found []event.Event, is xpv2.Condition, failed bool) {
	for _, e := range found {
		r.Event(before, e)
	}
	was := before.GetCondition(xpv2.TypeReady)
	if is.Type == "" || (was.Status == is.Status && was.Reason == is.Reason && was.Message == is.Message) {
		return
	}
	switch {
	case is.Status == corev1.ConditionTrue && was.Status != corev1.ConditionTrue:
		r.Event(before, event.Normal(v1beta1.EventAvailable, "AWS serves what the spec asks for"))
	case failed:
	case is.Reason == v1beta1.ReasonDiffers:
		r.Event(before, event.Normal(v1beta1.EventDiffers, is.Message))
	case is.Reason == xpv2.ReasonUnavailable:
		r.Event(before, event.Warning(v1beta1.EventUnavailable, errors.New(is.Message)))
	}
}

// Forget removes the state of a resource that does not exist any more.
func (r *Recorder) Forget(key types.NamespacedName) {
	r.State.mu.Lock()
	defer r.State.mu.Unlock()
	delete(r.State.LastEvents, key)
}

// repeats reports whether an event repeats the last one of its reason within repeatAfter. Changes that were made are
// reported every time. Once a resource is available, its next failure is reported again.
func (s *recorderState) repeats(key types.NamespacedName, e event.Event) bool {
	if e.Reason == v1beta1.EventCreated || e.Reason == v1beta1.EventUpdated {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Reason == v1beta1.EventAvailable {
		delete(s.LastEvents, key)
		return false
	}
	text, now := textOf(e), s.now()
	if last, ok := s.LastEvents[key][e.Reason]; ok && last.text == text && now.Sub(last.at) < RepeatAfter {
		return true
	}
	if s.LastEvents[key] == nil {
		s.LastEvents[key] = map[event.Reason]lastEvent{}
	}
	s.LastEvents[key][e.Reason] = lastEvent{text: text, at: now}
	return false
}

func textOf(e event.Event) string {
	var b strings.Builder
	b.WriteString(string(e.Type))
	b.WriteString(e.Message)
	for _, k := range slices.Sorted(maps.Keys(e.Annotations)) {
		b.WriteString("\x00" + k + "\x00" + e.Annotations[k])
	}
	return b.String()
}
