package kube

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
