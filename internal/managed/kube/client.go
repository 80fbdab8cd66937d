// Package kube decorates the Kubernetes client that crossplane-runtime's managed
// reconciler works with, for one kind of managed resource. It avoids what costs
// requests or loses what was learnt:
//
//   - A reader never sees less than this process has written or read before: where the
//     cache is behind, the object is read live.
//   - What is written before a call of AWS is written on condition that nothing has
//     changed since the decision, and who decided by less reads the object live.
//   - A status that says nothing new is not written; a condition that says the same
//     keeps its transition time.
//   - A conflict on writing status is settled by a live read, not by another round
//     of calls to AWS.
//   - Writing an object writes its metadata alone, and keeps the spec that is resolved
//     and the status that is being put together in memory.
package kube

import (
	"context"
	"reflect"
	"sync"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// attempts is how often a write is tried where trying again can help. Nothing
// waits in between.
const attempts = 4

// A Client is a client.Client for one kind of managed resource. Calls for other
// kinds pass through.
type Client struct {
	client.Client

	live    client.Reader
	kind    reflect.Type
	onWrite StatusHook

	mu sync.Mutex
	// newest versions that were read or written here.
	newest map[types.NamespacedName]string
	stale  map[types.NamespacedName]bool
}

// A StatusHook may complete the status of an object before it is compared and
// written. It returns false where the status must not be written at all.
type StatusHook func(ctx context.Context, obj client.Object) (write bool)

// New decorates the cached client c for objects of the example's type. live reads
// from the API server. onWrite may be nil.
func New(c client.Client, live client.Reader, example client.Object, onWrite StatusHook) *Client {
	if onWrite == nil {
		onWrite = func(context.Context, client.Object) bool { return true }
	}
	return &Client{
		Client:  c,
		live:    live,
		kind:    reflect.TypeOf(example),
		onWrite: onWrite,
		newest:  map[types.NamespacedName]string{},
		stale:   map[types.NamespacedName]bool{},
	}
}

// Get an object: the one that the context carries, if it is that one; else the
// cached one; else, where the cache is behind what was written here, the live one.
func (c *Client) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if !c.ours(obj) {
		return c.Client.Get(ctx, key, obj, opts...)
	}
	if read := reading(ctx, key); read != nil {
		assign(obj, read.DeepCopyObject())
		return nil
	}
	err := c.Client.Get(ctx, key, obj, opts...)
	if err == nil && !c.behind(key, obj.GetResourceVersion()) {
		c.saw(obj)
		return nil
	}
	if err != nil && !kerrors.IsNotFound(err) {
		return err
	}
	if err != nil && !c.knows(key) {
		return err
	}
	empty(obj)
	err = c.live.Get(ctx, key, obj)
	if err == nil {
		c.caughtUp(obj)
	}
	return err
}

// Update writes the annotations of an object, on condition that nothing has changed
// since it was read. The runtime updates an object only to note that a creation is
// pending. Its spec is the user's: in memory it may hold what references were resolved
// to, which is not to be written.
func (c *Client) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	if !c.ours(obj) {
		return c.Client.Update(ctx, obj, opts...)
	}
	err := c.patchMetadata(ctx, obj, map[string]any{
		"annotations":     pending(obj),
		"resourceVersion": obj.GetResourceVersion(),
	})
	if err != nil {
		c.conflicted(client.ObjectKeyFromObject(obj), err)
	}
	return err
}

// pending are the annotations of an object whose creation is pending. That an earlier one
// failed is taken off if it was in the same second: by their times, which hold no parts of
// seconds, that would be said of the one that is pending.
func pending(obj client.Object) map[string]any {
	failed := meta.GetExternalCreateFailed(obj)
	same := !failed.IsZero() && failed.Equal(meta.GetExternalCreatePending(obj))
	if same {
		meta.RemoveAnnotations(obj, meta.AnnotationKeyExternalCreateFailed)
	}
	values := map[string]any{}
	for k, v := range obj.GetAnnotations() {
		values[k] = v
	}
	if same {
		values[meta.AnnotationKeyExternalCreateFailed] = nil
	}
	return values
}

// Patch an object. The answer replaces the whole of it, as with any client.
func (c *Client) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if err := c.Client.Patch(ctx, obj, patch, opts...); err != nil {
		return err
	}
	if c.ours(obj) {
		c.saw(obj)
	}
	return nil
}

// Forget what is remembered of an object that is gone.
func (c *Client) Forget(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.newest, key)
	delete(c.stale, key)
}

func (c *Client) ours(obj client.Object) bool { return reflect.TypeOf(obj) == c.kind }

// saw remembers a version that was read or written, so that none is read after it that
// is older.
func (c *Client) saw(obj client.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key, version := client.ObjectKeyFromObject(obj), obj.GetResourceVersion()
	if !older(version, c.newest[key]) {
		c.newest[key] = version
	}
}

func (c *Client) knows(key types.NamespacedName) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest[key] != "" || c.stale[key]
}

// behind tells whether the cached version is older than what was read or written here,
// or is known to be older than what others wrote.
func (c *Client) behind(key types.NamespacedName, cached string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stale[key] || older(cached, c.newest[key])
}

// older tells whether a version of an object is older than another one, or not to be
// compared with it. Every version is newer than none.
func older(version, than string) bool {
	if than == "" || version == than {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err != nil || order < 0
}

// Outdated tells whether a write was refused since the object has changed, and it has
// not been read since.
func (c *Client) Outdated(key types.NamespacedName) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stale[key]
}

func (c *Client) conflicted(key types.NamespacedName, err error) {
	if !kerrors.IsConflict(err) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale[key] = true
}

// caughtUp notes a live read.
func (c *Client) caughtUp(obj client.Object) {
	c.saw(obj)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.stale, client.ObjectKeyFromObject(obj))
}
