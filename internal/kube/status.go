package kube

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
		now, err := v.present(ctx)
		if err != nil {
			return err
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

// A deferred is an object with a status that is to be written later.
type deferred struct {
	client.Object

	// stored is the status that the API server has until then, unless another process has written it.
	stored any

	// since is the time from which a status was deferred. It is zero until DeferredSince is called.
	since time.Time
}

// HasDeferred reports whether the write of an object's status is deferred.
func (c *Client) HasDeferred(key types.NamespacedName) bool { return c.known(key).deferred != nil }

// DeferredSince returns since when the write of an object's status is deferred, which is now if it was not called
// before. It returns false if the write is not deferred.
func (c *Client) DeferredSince(key types.NamespacedName, now time.Time) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.objects[key].deferred
	if d == nil {
		return time.Time{}, false
	}
	if d.since.IsZero() || d.since.After(now) {
		d.since = now
	}
	return d.since, true
}

// WriteDeferred writes the deferred status of an object, if any.
func (c *Client) WriteDeferred(ctx context.Context, key types.NamespacedName) error {
	d := c.known(key).deferred
	if d == nil {
		return nil
	}
	v := &View{Client: c, read: d.Object, stored: d.stored}
	// A copy has the type of its original.
	err := v.write(ctx, key, d.DeepCopyObject().(client.Object)) //nolint:forcetypeassert // See above.
	if err == nil || kerrors.IsNotFound(err) {
		c.dropDeferred(key)
		return nil
	}
	return err
}

// keepDeferred keeps the status of an object in memory, to be written later. stored is the one that the API server has.
func (c *Client) keepDeferred(key types.NamespacedName, obj client.Object, stored any) {
	// A copy has the type of its original.
	d := &deferred{Object: obj.DeepCopyObject().(client.Object), stored: stored} //nolint:forcetypeassert // See above.
	c.change(key, func(k *known) {
		if k.deferred != nil {
			d.since = k.deferred.since
		}
		k.deferred = d
	})
}

// storedStatus returns the status that the API server has of an object that was read: not its deferred one.
func (c *Client) storedStatus(read client.Object) any {
	if d := c.known(client.ObjectKeyFromObject(read)).deferred; d != nil && d.GetUID() == read.GetUID() {
		return d.stored
	}
	return statusOf(read)
}

func (c *Client) dropDeferred(key types.NamespacedName) {
	c.change(key, func(k *known) { k.deferred = nil })
}

// showDeferred sets the status of an object that was read to its deferred one, if any. It drops that of an earlier
// object of the same name.
func (c *Client) showDeferred(key types.NamespacedName, obj client.Object) {
	d := c.known(key).deferred
	switch {
	case d == nil:
	case d.GetUID() != obj.GetUID():
		c.dropDeferred(key)
	default:
		status := reflect.ValueOf(d.DeepCopyObject()).Elem().FieldByName("Status")
		reflect.ValueOf(obj).Elem().FieldByName("Status").Set(status)
	}
}
