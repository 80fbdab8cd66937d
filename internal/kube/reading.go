package kube

import (
	"context"
	"reflect"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Get gets an object: the cached one, or, if the cache is older than what was written here, the live one.
func (c *Client) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if !c.ours(obj) {
		return c.Client.Get(ctx, key, obj, opts...)
	}
	err := c.Client.Get(ctx, key, obj, opts...)
	k := c.known(key)
	switch {
	case err == nil && !k.stale && !older(obj.GetResourceVersion(), k.newest):
	case err != nil && (!kerrors.IsNotFound(err) || k.newest == "" && !k.stale):
		return err
	default:
		empty(obj)
		if err := c.ofShard.Get(ctx, key, obj); err != nil {
			return err
		}
		c.change(key, func(k *known) { k.stale = false })
	}
	c.saw(obj)
	c.showDeferred(key, obj)
	return nil
}

// View returns a client in which every Get of the object that was read returns a copy of it: one reconcile uses the
// same object from its first decision to its last. The status is completed by the hook, and compared with that object
// before it is written. The object must not be changed.
func (c *Client) View(read client.Object, hook StatusHook) *View {
	return &View{Client: c, read: read, hook: hook, stored: c.storedStatus(read)}
}

// Get gets the object that was read, or another one as Client does.
func (v *View) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if !v.ours(obj) || key != client.ObjectKeyFromObject(v.read) {
		return v.Client.Get(ctx, key, obj, opts...)
	}
	assign(obj, v.read.DeepCopyObject())
	return nil
}

// assign sets *to = *from. Both are pointers to the same type of struct.
func assign(to client.Object, from runtime.Object) {
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}
