package kube

import (
	"context"
	"reflect"
	"strings"
	"sync"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// pageSize is the number of objects per page of a live list.
const pageSize = 500

// A CatchUp reads from a cache, but returns nothing older than what the API server had when this process became active.
// A cache with a lagging watch, as a standby may have, would make it undo or repeat what the previous leader did. The
// first read of a kind lists the metadata of its objects live, and records those of which the cache has older versions.
// They are read live until the cache has caught up.
type CatchUp struct {
	cache      client.Reader
	scheme     *runtime.Scheme
	namespaces []string
	working    <-chan struct{}

	kinds map[schema.GroupVersionKind]*backlog
}

// NewCatchUp returns a CatchUp that reads objects of the given kinds from a cache of the given namespaces, or all if
// there are none. live reads from the API server. Other kinds are read from the cache as they are.
func NewCatchUp(cache, live client.Reader, s *runtime.Scheme, namespaces []string,
	kinds ...schema.GroupVersionKind,
) *CatchUp {
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	c := &CatchUp{cache: cache, scheme: s, namespaces: namespaces, kinds: map[schema.GroupVersionKind]*backlog{}}
	for _, k := range kinds {
		c.kinds[k] = &backlog{live: Selected{Reader: live}}
	}
	return c
}

// Select limits the objects of some of the kinds to those that a selector selects, as the cache does. An
// object that has left the selection counts as deleted.
func (c *CatchUp) Select(s labels.Selector, kinds ...schema.GroupVersionKind) {
	for _, k := range kinds {
		c.kinds[k].live.selector = s
	}
}

// From sets the channel that is closed when this process becomes active. Before that, reads
// return what is in the cache. From must be called before the first read.
func (c *CatchUp) From(working <-chan struct{}) { c.working = working }

// Get gets an object.
func (c *CatchUp) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	err := c.cache.Get(ctx, key, obj, opts...)
	if err != nil && !kerrors.IsNotFound(err) {
		return err
	}
	b, failed := c.backlog(ctx, obj)
	switch {
	case failed != nil:
		return failed
	case b == nil:
		return err
	}
	version := ""
	if err == nil {
		version = obj.GetResourceVersion()
	}
	if !b.has(key, version) {
		return err
	}
	empty(obj)
	live := b.live.Get(ctx, key, obj)
	if err != nil && kerrors.IsNotFound(live) {
		b.remove(key)
	}
	return live
}

// List lists objects. It omits objects that the cache does not have yet, or not with the labels that are asked for.
func (c *CatchUp) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := c.cache.List(ctx, list, opts...); err != nil {
		return err
	}
	b, err := c.backlog(ctx, list)
	if b == nil || err != nil || b.empty() {
		return err
	}
	cached, err := kmeta.ExtractList(list)
	if err != nil {
		return err
	}
	lo := (&client.ListOptions{}).ApplyOptions(opts)
	items := make([]runtime.Object, 0, len(cached))
	for _, item := range cached {
		obj := item.(client.Object) //nolint:forcetypeassert // The items of a list of objects are objects.
		if b.has(client.ObjectKeyFromObject(obj), obj.GetResourceVersion()) {
			// It has the type of obj.
			now := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(client.Object) //nolint:forcetypeassert // See above.
			err := b.live.Get(ctx, client.ObjectKeyFromObject(obj), now)
			if kerrors.IsNotFound(err) {
				continue
			}
			if err != nil {
				return err
			}
			if lo.LabelSelector != nil && !lo.LabelSelector.Matches(labels.Set(now.GetLabels())) {
				continue
			}
			item = now
		}
		items = append(items, item)
	}
	return kmeta.SetList(list, items)
}

// backlog returns the backlog of the kind of an object or a list, or nil if there is none. The
// first call for a kind compares the cache with the API server.
func (c *CatchUp) backlog(ctx context.Context, obj runtime.Object) (*backlog, error) {
	select {
	case <-c.working:
	default:
		return nil, nil
	}
	switch obj.(type) {
	case *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList, runtime.Unstructured:
		return nil, nil
	}
	gvk, err := apiutil.GVKForObject(obj, c.scheme)
	if err != nil {
		return nil, err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	b := c.kinds[gvk]
	if b == nil {
		return nil, nil
	}
	return b, errors.Wrapf(b.take(func() (map[types.NamespacedName]string, error) { return c.stock(ctx, gvk) }),
		"cannot check which %s are outdated in the cache", gvk.Kind)
}

// stock returns the objects that are outdated in the cache, with the versions from which on
// they are not: objects of which the API server has newer versions, with these versions, and
// objects that were deleted, with the version of the list.
func (c *CatchUp) stock(ctx context.Context, gvk schema.GroupVersionKind) (map[types.NamespacedName]string, error) {
	behind := map[types.NamespacedName]string{}
	for _, ns := range c.namespaces {
		live, at, err := c.versions(ctx, gvk, ns)
		if err != nil {
			return nil, err
		}
		cached, err := c.cached(ctx, gvk, ns)
		if err != nil {
			return nil, err
		}
		for key, version := range live {
			if have := cached[key]; have == "" || older(have, version) {
				behind[key] = version
			}
		}
		for key, version := range cached {
			if live[key] == "" && older(version, at) {
				behind[key] = at
			}
		}
	}
	return behind, nil
}

// versions returns the versions of all objects, and that of their list, read live.
func (c *CatchUp) versions(ctx context.Context, gvk schema.GroupVersionKind,
	ns string,
) (all map[types.NamespacedName]string, at string, err error) {
	all = map[types.NamespacedName]string{}
	page := &metav1.PartialObjectMetadataList{}
	page.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	for more := ""; ; {
		if err := c.kinds[gvk].live.List(ctx, page, client.InNamespace(ns), client.Limit(pageSize),
			client.Continue(more)); err != nil {
			return nil, "", err
		}
		for i := range page.Items {
			all[client.ObjectKeyFromObject(&page.Items[i])] = page.Items[i].GetResourceVersion()
		}
		if more = page.GetContinue(); more == "" {
			return all, page.GetResourceVersion(), nil
		}
		page.Items = nil
	}
}

func (c *CatchUp) cached(ctx context.Context, gvk schema.GroupVersionKind,
	ns string,
) (map[types.NamespacedName]string, error) {
	kind := gvk.GroupVersion().WithKind(gvk.Kind + "List")
	list := resource.MustCreateObject(kind, c.scheme).(client.ObjectList) //nolint:forcetypeassert // Lists of kinds are.
	if err := c.cache.List(ctx, list, client.InNamespace(ns), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	all := map[types.NamespacedName]string{}
	return all, kmeta.EachListItem(list, func(item runtime.Object) error {
		o := item.(client.Object) //nolint:forcetypeassert // The items of a list of objects are objects.
		all[client.ObjectKeyFromObject(o)] = o.GetResourceVersion()
		return nil
	})
}

// A backlog records which objects are outdated in the cache of one kind, with the versions from which on they are not.
type backlog struct {
	live Selected

	mu         sync.Mutex
	determined bool
	until      map[types.NamespacedName]string
}

// take determines the backlog with stock, once. Concurrent callers wait, because none may use the cache before.
func (b *backlog) take(stock func() (map[types.NamespacedName]string, error)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.determined {
		return nil
	}
	var err error
	b.until, err = stock()
	b.determined = err == nil
	return err
}

// has reports whether the cached version of an object is outdated. version is empty if the
// cache does not have the object.
func (b *backlog) has(key types.NamespacedName, version string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	until, ok := b.until[key]
	if ok && version != "" && !older(version, until) {
		delete(b.until, key)
		return false
	}
	return ok
}

func (b *backlog) remove(key types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.until, key)
}

func (b *backlog) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.until) == 0
}
