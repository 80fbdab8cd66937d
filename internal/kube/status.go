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

// A statusWriter writes the status of the object of a View.
type statusWriter struct {
	client.SubResourceWriter

	view *View
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

// write writes the status of an object that was read.
func (v *View) write(ctx context.Context, key types.NamespacedName, obj client.Object,
	opts ...client.SubResourceUpdateOption,
) error {
	sent := obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // A copy has the type of its original.
	var err error
	for range attempts {
		err = v.Client.Status().Update(ctx, sent, opts...)
		if err == nil {
			v.saw(sent)
			obj.SetResourceVersion(sent.GetResourceVersion())
			v.stored = statusOf(sent)
			return nil
		}
		if !kerrors.IsConflict(err) {
			return err
		}
		// ours() has checked the type.
		now := reflect.New(v.kind.Elem()).Interface().(client.Object) //nolint:forcetypeassert // See above.
		if err := v.live.Get(ctx, key, now); err != nil {
			return errors.Wrap(err, "cannot read the object again after a conflict")
		}
		if now.GetUID() != obj.GetUID() {
			return nil // The object is gone, and another has its name.
		}
		if !equality.Semantic.DeepEqual(v.stored, statusOf(now)) {
			v.dropDeferred(key)
			break // Another process has written it.
		}
		sent = obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // As above.
		sent.SetResourceVersion(now.GetResourceVersion())
	}
	v.conflicted(key, err)
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

func statusOf(obj client.Object) any {
	return reflect.ValueOf(obj).Elem().FieldByName("Status").Interface()
}
