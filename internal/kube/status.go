package kube

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// A statusWriter writes the status of the object of a View.
type statusWriter struct {
	client.SubResourceWriter

	view *View
}

// Status returns a writer of the status subresource.
func (v *View) Status() client.SubResourceWriter {
	return &statusWriter{SubResourceWriter: v.Client.Status(), view: v}
}

// Update updates the status, if it has changed. If something else of the object has changed, the status is written to
// the present object: its conditions contain the generation that they were observed for. If another process has written
// the status since it was read, as the previous leader or another shard may do, it is kept: Update returns a conflict,
// and the next read of the object is live.
func (w *statusWriter) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	v := w.view
	if !v.ours(obj) {
		return w.SubResourceWriter.Update(ctx, obj, opts...)
	}
	keepTransitionTimes(obj, v.read)
	action := WriteStatus
	if v.hook != nil {
		action = v.hook(obj)
	}
	if action == DropStatus {
		return nil
	}
	keepTransitionTimes(obj, v.read) // The hook may have set them again.
	key, unchanged := client.ObjectKeyFromObject(obj), equality.Semantic.DeepEqual(statusOf(obj), statusOf(v.read))
	switch {
	case unchanged && (!v.HasDeferred(key) || action == DeferStatus):
		return nil
	case action == DeferStatus:
		v.keepDeferred(key, obj, v.stored)
		return nil
	}
	err := v.write(ctx, key, obj, opts...)
	if err == nil {
		v.dropDeferred(key)
	}
	return err
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
