// Package kube decorates the Kubernetes client of crossplane-runtime's managed reconciler, for one kind of managed
// resource. It avoids requests, and the loss of what a reconcile has found:
//
//   - A read never returns less than this process has written or read before: if the cache is
//     behind, the object is read live.
//   - Writes before an AWS call are conditional: they fail if the object has changed since the
//     decision, apart from annotations of other tools, and the next reconcile reads the object live.
//   - An unchanged status is not written, and an unchanged condition keeps its transition time.
//     The write of a status may be deferred if another one follows in a moment.
//   - What must be recorded before a creation is written with one patch: the finalizer, the
//     annotation that the creation is pending, and what the kind records itself.
//   - A conflict when writing status is resolved by a live read, without calling AWS again.
//   - Writing an object only writes its metadata, and keeps the spec with resolved references
//     and the incomplete status in memory.
package kube

import (
	"context"
	"reflect"
	"sync"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// attempts is the number of times that a write is tried if another attempt can succeed. The
// attempts follow each other without delay.
const attempts = 4

// A Client is a client.Client for one kind of managed resource. Calls for other kinds pass through.
type Client struct {
	client.Client

	live    client.Reader
	ofShard Selected
	kind    reflect.Type

	mu      sync.Mutex
	objects map[types.NamespacedName]known
}

// A known object is one that was read or written here. The zero value is one of which nothing is known.
type known struct {
	// newest is the newest version that was read or written here, and stale reports whether others have written a newer
	// one.
	newest string
	stale  bool

	// deferred is the status that is to be written later. It is nil if there is none.
	deferred *deferred
}

// A StatusHook may complete the status of an object before it is compared and written. It returns what to do with it.
type StatusHook func(obj client.Object) StatusAction

// A StatusAction is an action on a status.
type StatusAction int

const (
	// WriteStatus writes the status, if it has changed.
	WriteStatus StatusAction = iota

	// DropStatus drops the status.
	DropStatus

	// DeferStatus keeps the status in memory, if it has changed: reads of this process return it, and
	// the next status or WriteDeferred overwrites or writes it. It is lost if the process ends.
	DeferStatus
)

// New decorates the cached client c for objects of the example's type. live reads from the API server.
func New(c client.Client, live client.Reader, example client.Object) *Client {
	return &Client{
		Client:  c,
		live:    live,
		ofShard: Selected{Reader: live},
		kind:    reflect.TypeOf(example),
		objects: map[types.NamespacedName]known{},
	}
}

// Select makes the client get only objects that a selector selects, as its cache does. Objects that
// have left the selection can still be written, to record what was done before.
func (c *Client) Select(s labels.Selector) { c.ofShard.selector = s }

// Patch patches an object. As with any client, the answer replaces the whole object.
func (c *Client) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if err := c.Client.Patch(ctx, obj, patch, opts...); err != nil {
		return err
	}
	if c.ours(obj) {
		c.saw(obj)
	}
	return nil
}

// Forget removes what is known of an object that is gone.
func (c *Client) Forget(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, key)
}

// known returns what is known of an object.
func (c *Client) known(key types.NamespacedName) known {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[key]
}

func (c *Client) change(key types.NamespacedName, by func(*known)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.objects[key]
	by(&k)
	c.objects[key] = k
}

func (c *Client) ours(obj client.Object) bool { return reflect.TypeOf(obj) == c.kind }

// saw records a version that was read or written, so that no older one is returned later.
func (c *Client) saw(obj client.Object) {
	c.change(client.ObjectKeyFromObject(obj), func(k *known) {
		if version := obj.GetResourceVersion(); !older(version, k.newest) {
			k.newest = version
		}
	})
}

// older reports whether a version of an object is older than another one, or cannot be
// compared with it. Every version is newer than an empty one.
func older(version, than string) bool {
	if than == "" || version == than {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err != nil || order < 0
}

// Outdated reports whether a write was refused because the object has changed, and the object was not read since.
func (c *Client) Outdated(key types.NamespacedName) bool { return c.known(key).stale }

// conflicted records a conflict, so that the next read is live.
func (c *Client) conflicted(key types.NamespacedName, err error) {
	if kerrors.IsConflict(err) {
		c.change(key, func(k *known) { k.stale = true })
	}
}

// A View is a Client in one reconcile of an object.
type View struct {
	*Client

	read client.Object
	hook StatusHook

	// stored is the status that the API server has, unless another process has written it.
	stored any
}

// A deferred is an object with a status that is to be written later.
type deferred struct {
	client.Object

	// stored is the status that the API server has until then, unless another process has written it.
	stored any

	// since is the time from which a status was deferred. It is zero until DeferredSince is called.
	since time.Time
}
