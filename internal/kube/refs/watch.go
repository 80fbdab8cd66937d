package refs

import (
	"context"
	"maps"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic/dynamicinformer"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// trim returns a function that trims an object to its name and the fields at the paths.
func trim(paths sets.Set[string]) toolscache.TransformFunc {
	return func(in any) (any, error) {
		u, ok := in.(*unstructured.Unstructured)
		if !ok {
			return in, nil
		}
		t := &trimmed{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: u.GetNamespace(), Name: u.GetName(),
				ResourceVersion: u.GetResourceVersion(),
			},
			texts: map[string]string{},
		}
		for path := range paths {
			if v := text(u, path); v != "" {
				t.texts[path] = v
			}
		}
		return t, nil
	}
}

// start starts a watch. It runs until it is stopped, or is not permitted any more.
func (r *FieldReader) start(ctx context.Context, s scope, resource schema.GroupVersionResource,
	paths sets.Set[string],
) error {
	ctx, stop := context.WithCancel(ctx)
	inf := dynamicinformer.NewFilteredDynamicInformer(r.o.Dynamic, resource, s.namespace, 0, toolscache.Indexers{},
		nil).Informer()
	w := &watch{scope: s, paths: paths, store: inf.GetStore(), stop: stop, began: r.o.Clock.Now()}
	if err := r.prepare(inf, w); err != nil {
		stop()
		return errors.Wrap(err, "cannot prepare a watch")
	}
	h, err := inf.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { r.saw(w, obj) },
		UpdateFunc: func(_, obj any) { r.saw(w, obj) },
		DeleteFunc: func(obj any) { r.saw(w, obj) },
	})
	if err != nil {
		stop()
		return errors.Wrap(err, "cannot add a handler to a watch")
	}
	r.mu.Lock()
	r.watches[s] = w
	r.mu.Unlock()
	go inf.RunWithContext(ctx)
	go func() {
		if toolscache.WaitForCacheSync(ctx.Done(), h.HasSynced) {
			r.synced(w)
		}
	}()
	return nil
}

func (r *FieldReader) prepare(inf toolscache.SharedIndexInformer, w *watch) error {
	if err := inf.SetTransform(trim(w.paths)); err != nil {
		return err
	}
	return inf.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *toolscache.Reflector, err error) {
		r.o.Log.Debug("A watch of objects that specs refer to failed", "kind", w.scope.kind, "namespace",
			w.scope.namespace, "error", err)
		if kerrors.IsForbidden(err) || kerrors.IsNotFound(err) || kerrors.IsMethodNotSupported(err) {
			r.handleLost(w)
		}
	})
}

// synced handles a watch that has received all objects. It enqueues resources that have read other values meanwhile.
func (r *FieldReader) synced(w *watch) {
	r.o.Log.Debug("Watching objects that specs refer to", "kind", w.scope.kind, "namespace", w.scope.namespace)
	r.mu.Lock()
	w.synced = true
	delete(r.requests, w.scope)
	users := r.outdated(w.scope)
	r.mu.Unlock()
	r.enqueueAll(users, w.scope.kind.Kind)
}

// saw handles an object that was added, changed or deleted.
func (r *FieldReader) saw(w *watch, obj any) {
	if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	t, ok := obj.(*trimmed)
	if !ok {
		return
	}
	o := Object{Kind: w.scope.kind, Namespace: t.Namespace, Name: t.Name}
	r.mu.Lock()
	var users map[User]bool
	if w.synced {
		users = r.uses.outdated(o, func(path string) (value, bool) { return r.current(o, path) })
	}
	r.mu.Unlock()
	r.enqueueAll(users, o.cause())
}

// handleLost handles a watch that is not permitted any more, or of a kind that was deleted. Its
// values are not used any more.
func (r *FieldReader) handleLost(w *watch) {
	r.mu.Lock()
	if r.watches[w.scope] != w {
		r.mu.Unlock()
		return
	}
	r.forget(w)
	r.refused(w.scope)
	var users map[User]bool
	if w.synced {
		users = r.users(w.scope)
	}
	r.mu.Unlock()
	r.enqueueAll(users, w.scope.kind.Kind)
}

// forget stops and removes a watch. The caller holds the lock.
func (r *FieldReader) forget(w *watch) {
	w.stop()
	delete(r.watches, w.scope)
}

// outdated returns the resources that have read a value of a scope's objects that differs from
// the present one. The caller holds the lock.
func (r *FieldReader) outdated(s scope) map[User]bool {
	users := map[User]bool{}
	for obj := range r.uses.byObject {
		if s.has(obj) {
			maps.Copy(users, r.uses.outdated(obj, func(path string) (value, bool) { return r.current(obj, path) }))
		}
	}
	return users
}

// users returns the users of a scope's objects. The caller holds the lock.
func (r *FieldReader) users(s scope) map[User]bool {
	users := map[User]bool{}
	for user, fs := range r.uses.byUser {
		for f := range fs {
			if s.has(f.Object) {
				users[user] = true
			}
		}
	}
	return users
}

// refused records that a scope may not be watched. The caller holds the lock.
func (r *FieldReader) refused(s scope) {
	limit := maxDelay
	if s.namespace != "" && len(r.o.Namespaces) == 0 {
		limit = maxNamespaceDelay
	}
	r.requests[s] = r.requests[s].deferred(r.o.Clock.Now(), limit)
}
