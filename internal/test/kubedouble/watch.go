package kubedouble

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher queues the changes that its watch has not sent yet.
type watcher struct {
	mu    sync.Mutex
	queue []change
	wake  chan struct{}
}

func (w *watcher) enqueue(c change) {
	w.mu.Lock()
	w.queue = append(w.queue, c)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) take() []change {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.queue
	w.queue = nil
	return q
}

// watch sends the changes after a version until the client disconnects or the timeout expires.
func (s *Server) watch(rw http.ResponseWriter, r *http.Request, t *table, sel selection) error {
	q := r.URL.Query()
	if q.Get("sendInitialEvents") != "" {
		return kerrors.NewInvalid(t.resource.gvk().GroupKind(), "", nil)
	}
	w, err := s.attach(t, sel, q.Get("resourceVersion"))
	if err != nil {
		return err
	}
	defer s.detach(t, w)
	ctx := r.Context()
	if seconds, err := strconv.Atoi(q.Get("timeoutSeconds")); err == nil && seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusOK)
	stream(ctx, rw, w, sel, metadataOnly(r))
	return nil
}

func stream(ctx context.Context, rw http.ResponseWriter, w *watcher, sel selection, partial bool) {
	out := json.NewEncoder(rw)
	for {
		for _, c := range w.take() {
			kind := sel.eventType(c)
			if kind == "" {
				continue
			}
			if err := out.Encode(event{Type: kind, Object: render(c.stored, partial)}); err != nil {
				return
			}
		}
		if f, ok := rw.(http.Flusher); ok {
			f.Flush()
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
	}
}

type event struct {
	Type   watch.EventType `json:"type"`
	Object json.RawMessage `json:"object"`
}

// attach adds a watcher that begins after a version. Without a version, it begins with all existing objects.
func (s *Server) attach(t *table, sel selection, version string) (*watcher, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &watcher{wake: make(chan struct{}, 1)}
	if version == "" || version == "0" {
		for _, o := range t.sorted(sel.namespace) {
			w.enqueue(change{kind: watch.Added, stored: o})
		}
	} else {
		after, err := strconv.ParseInt(version, 10, 64)
		if err != nil {
			return nil, kerrors.NewBadRequest("resourceVersion: " + err.Error())
		}
		if after < t.forgotten {
			return nil, kerrors.NewResourceExpired("too old resource version")
		}
		for _, c := range t.changes {
			if c.version > after {
				w.enqueue(c)
			}
		}
	}
	t.watchers[w] = true
	return w, nil
}

func (s *Server) detach(t *table, w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(t.watchers, w)
}

// A selection is the objects of a type that a list or a watch selects.
type selection struct {
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func selectionOf(r *http.Request, namespace string) (selection, error) {
	q := r.URL.Query()
	l, err := labels.Parse(q.Get("labelSelector"))
	if err != nil {
		return selection{}, kerrors.NewBadRequest(err.Error())
	}
	f, err := fields.ParseSelector(q.Get("fieldSelector"))
	if err != nil {
		return selection{}, kerrors.NewBadRequest(err.Error())
	}
	return selection{namespace: namespace, labels: l, fields: f}, nil
}

func (s selection) has(o *stored) bool {
	return (s.namespace == "" || s.namespace == o.GetNamespace()) &&
		s.labels.Matches(labels.Set(o.GetLabels())) &&
		s.fields.Matches(fieldsOf(o))
}

// fieldsOf returns the fields by which an object is selected: those of its metadata, and of an event what it is about.
func fieldsOf(o *stored) fields.Set {
	out := fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()}
	about, _ := o.Object["involvedObject"].(map[string]any)
	for k, v := range about {
		if s, ok := v.(string); ok {
			out["involvedObject."+k] = s
		}
	}
	return out
}

// eventType returns the type of the event by which a watch reports a change. An update by which an object enters or
// leaves the selection is reported as its creation or deletion. It returns "" for a change that is not reported.
func (s selection) eventType(c change) watch.EventType {
	was, is := c.before != nil && s.has(c.before), s.has(c.stored)
	switch {
	case c.kind == watch.Modified && is && !was && c.before != nil:
		return watch.Added
	case c.kind == watch.Modified && was && !is:
		return watch.Deleted
	case is, c.kind == watch.Deleted && was:
		return c.kind
	}
	return ""
}

// metadataOnly reports whether a client requests only metadata.
func metadataOnly(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata")
}

// render returns an object as it is sent.
func render(o *stored, partial bool) json.RawMessage {
	if !partial {
		return o.json
	}
	b, err := json.Marshal(map[string]any{
		"apiVersion": metav1.SchemeGroupVersion.String(),
		"kind":       "PartialObjectMetadata",
		"metadata":   o.Object["metadata"],
	})
	if err != nil {
		panic(err) // A tree of JSON values can be marshalled.
	}
	return b
}
