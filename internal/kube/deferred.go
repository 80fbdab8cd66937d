package kube

import (
	"context"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HasDeferred reports whether the write of an object's status is deferred.
func (c *Client) HasDeferred(key types.NamespacedName) bool { return c.deferredOf(key) != nil }

// WriteDeferred writes the deferred status of an object, if any.
func (c *Client) WriteDeferred(ctx context.Context, key types.NamespacedName) error {
	obj := c.deferredOf(key)
	if obj == nil {
		return nil
	}
	w := &statusWriter{SubResourceWriter: c.Client.Status(), c: c}
	// A copy has the type of its original.
	err := w.write(ctx, key, obj.DeepCopyObject().(client.Object)) //nolint:forcetypeassert // See above.
	if err == nil || kerrors.IsNotFound(err) {
		c.dropDeferred(key)
		return nil
	}
	return err
}

// keepDeferred keeps the status of an object in memory, to be written later.
func (c *Client) keepDeferred(key types.NamespacedName, obj client.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A copy has the type of its original.
	c.deferred[key] = obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // See above.
}

func (c *Client) dropDeferred(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.deferred, key)
}

// deferredOf returns the object with its deferred status, or nil.
func (c *Client) deferredOf(key types.NamespacedName) client.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deferred[key]
}

// showDeferred sets the status of an object that was read to its deferred one, if any. It drops that of an earlier
// object of the same name.
func (c *Client) showDeferred(key types.NamespacedName, obj client.Object) {
	deferred := c.deferredOf(key)
	switch {
	case deferred == nil:
	case deferred.GetUID() != obj.GetUID():
		c.dropDeferred(key)
	default:
		status := reflect.ValueOf(deferred.DeepCopyObject()).Elem().FieldByName("Status")
		reflect.ValueOf(obj).Elem().FieldByName("Status").Set(status)
	}
}
