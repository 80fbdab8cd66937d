package kube

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Status returns a writer of the status subresource.
func (c *Client) Status() client.SubResourceWriter {
	return &statusWriter{SubResourceWriter: c.Client.Status(), c: c}
}

// A statusWriter writes the status of an object.
type statusWriter struct {
	client.SubResourceWriter

	c *Client

	// view is the view of the reconcile. It is nil outside of a reconcile.
	view *View
}

// Update updates the status, if it has changed. If something else of the object has changed, the status is written to
// the present object: its conditions contain the generation that they were observed for. If another process has written
// the status since it was read, as the previous leader or another shard may do, it is kept: Update returns a conflict,
// and the next read of the object is live.
func (w *statusWriter) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	if !w.c.ours(obj) {
		return w.SubResourceWriter.Update(ctx, obj, opts...)
	}
	key := client.ObjectKeyFromObject(obj)
	known := w.view != nil && w.view.read.GetUID() == obj.GetUID()
	if known {
		keepTransitionTimes(obj, w.view.read)
	}
	action := WriteStatus
	if w.view != nil && w.view.hook != nil {
		action = w.view.hook(obj)
	}
	if action == DropStatus {
		return nil
	}
	if known {
		keepTransitionTimes(obj, w.view.read) // The hook may have set them again.
	}
	unchanged := known && equality.Semantic.DeepEqual(statusOf(obj), statusOf(w.view.read))
	switch held := w.c.HasDeferred(key); {
	case unchanged && (!held || action == DeferStatus):
		return nil
	case action == DeferStatus:
		w.c.keepDeferred(key, obj, w.stored())
		return nil
	}
	err := w.write(ctx, key, obj, opts...)
	if err == nil {
		w.c.dropDeferred(key)
	}
	return err
}

func (w *statusWriter) write(ctx context.Context, key types.NamespacedName, obj client.Object,
	opts ...client.SubResourceUpdateOption,
) error {
	sent := obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // A copy has the type of its original.
	var err error
	for range attempts {
		err = w.SubResourceWriter.Update(ctx, sent, opts...)
		if err == nil {
			w.c.saw(sent)
			obj.SetResourceVersion(sent.GetResourceVersion())
			if w.view != nil {
				w.view.stored = statusOf(sent)
			}
			return nil
		}
		if !kerrors.IsConflict(err) {
			return err
		}
		// ours() has checked the type.
		now := reflect.New(w.c.kind.Elem()).Interface().(client.Object) //nolint:forcetypeassert // See above.
		if err := w.c.live.Get(ctx, key, now); err != nil {
			return errors.Wrap(err, "cannot read the object again after a conflict")
		}
		if now.GetUID() != obj.GetUID() {
			return nil // The object is gone, and another has its name.
		}
		if s := w.stored(); s != nil && !equality.Semantic.DeepEqual(s, statusOf(now)) {
			w.c.dropDeferred(key)
			break // Another process has written it.
		}
		sent = obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // As above.
		sent.SetResourceVersion(now.GetResourceVersion())
	}
	w.c.conflicted(key, err)
	return err
}

// stored returns the status that the API server has, as far as known.
func (w *statusWriter) stored() any {
	if w.view == nil {
		return nil
	}
	return w.view.stored
}

// keepTransitionTimes keeps the transition time of each condition that has not changed, except for its generation.
// Otherwise a condition that is set twice in one reconcile, to another value and back, would seem to have changed.
func keepTransitionTimes(obj, before client.Object) {
	now, then := conditions(obj), conditions(before)
	for i := range now {
		for _, c := range then {
			if c.WithObservedGeneration(0).Equal(now[i]) {
				now[i].LastTransitionTime = c.LastTransitionTime
			}
		}
	}
}

// conditions returns the conditions of an object, which may be changed in place.
func conditions(obj client.Object) []xpv2.Condition {
	status := reflect.ValueOf(obj).Elem().FieldByName("Status")
	if !status.IsValid() {
		return nil
	}
	cs, _ := status.FieldByName("Conditions").Interface().([]xpv2.Condition)
	return cs
}

// statusOf returns the status of an object.
func statusOf(obj client.Object) any {
	return reflect.ValueOf(obj).Elem().FieldByName("Status").Interface()
}
