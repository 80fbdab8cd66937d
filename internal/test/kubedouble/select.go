package kubedouble

import (
	"encoding/json"
	"net/http"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

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
