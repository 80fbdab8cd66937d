package kube

import (
	"context"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A deferred is an object with a status that is to be written later.
type deferred struct {
	client.Object

	// stored is the status that the API server has until then, unless another process has written it.
	stored any
}

// HasDeferred reports whether the write of an object's status is deferred.
func (c *Client) HasDeferred(key types.NamespacedName) bool { return c.deferredOf(key).Object != nil }

// WriteDeferred writes the deferred status of an object, if any.
func (c *Client) WriteDeferred(ctx context.Context, key types.NamespacedName) error {
	d := c.deferredOf(key)
	if d.Object == nil {
		return nil
	}
	w := &statusWriter{
		SubResourceWriter: c.Client.Status(), c: c,
		view: &View{Client: c, read: d.Object, stored: d.stored},
	}
	// A copy has the type of its original.
	err := w.write(ctx, key, d.DeepCopyObject().(client.Object)) //nolint:forcetypeassert // See above.
	if err == nil || kerrors.IsNotFound(err) {
		c.dropDeferred(key)
		return nil
	}
	return err
}

// keepDeferred keeps the status of an object in memory, to be written later. stored is the one that the API server has.
func (c *Client) keepDeferred(key types.NamespacedName, obj client.Object, stored any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A copy has the type of its original.
	copied := obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // See above.
	c.deferred[key] = deferred{Object: copied, stored: stored}
}

// storedStatus returns the status that the API server has of an object that was read: not its deferred one.
func (c *Client) storedStatus(read client.Object) any {
	if d := c.deferredOf(client.ObjectKeyFromObject(read)); d.Object != nil && d.GetUID() == read.GetUID() {
		return d.stored
	}
	return statusOf(read)
}

func (c *Client) dropDeferred(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.deferred, key)
}

// deferredOf returns the object with its deferred status. It has none if no status is deferred.
func (c *Client) deferredOf(key types.NamespacedName) deferred {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deferred[key]
}

// showDeferred sets the status of an object that was read to its deferred one, if any. It drops that of an earlier
// object of the same name.
func (c *Client) showDeferred(key types.NamespacedName, obj client.Object) {
	d := c.deferredOf(key)
	switch {
	case d.Object == nil:
	case d.GetUID() != obj.GetUID():
		c.dropDeferred(key)
	default:
		status := reflect.ValueOf(d.DeepCopyObject()).Elem().FieldByName("Status")
		reflect.ValueOf(obj).Elem().FieldByName("Status").Set(status)
	}
}
