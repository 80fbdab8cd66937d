package kube

import (
	"context"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Holds reports whether the status of an object is held back.
func (c *Client) Holds(key types.NamespacedName) bool { return c.heldBack(key) != nil }

// WriteHeld writes the status that is held back, if any.
func (c *Client) WriteHeld(ctx context.Context, key types.NamespacedName) error {
	obj := c.heldBack(key)
	if obj == nil {
		return nil
	}
	w := &statusWriter{SubResourceWriter: c.Client.Status(), c: c}
	err := w.write(ctx, key, obj.DeepCopyObject().(client.Object)) //nolint:forcetypeassert // A copy has the type of its original.
	if err == nil || kerrors.IsNotFound(err) {
		c.release(key)
		return nil
	}
	return err
}

// hold holds the status of an object back.
func (c *Client) hold(key types.NamespacedName, obj client.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[key] = obj.DeepCopyObject().(client.Object) //nolint:forcetypeassert // A copy has the type of its original.
}

// release forgets the status that was held back.
func (c *Client) release(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, key)
}

// heldBack returns the object with the status that is held back, or nil.
func (c *Client) heldBack(key types.NamespacedName) client.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[key]
}

// showHeld sets the status of an object that was read to the one that is held back, if any. It
// forgets that of an earlier object of the same name.
func (c *Client) showHeld(key types.NamespacedName, obj client.Object) {
	held := c.heldBack(key)
	switch {
	case held == nil:
	case held.GetUID() != obj.GetUID():
		c.release(key)
	default:
		status := reflect.ValueOf(held.DeepCopyObject()).Elem().FieldByName("Status")
		reflect.ValueOf(obj).Elem().FieldByName("Status").Set(status)
	}
}
