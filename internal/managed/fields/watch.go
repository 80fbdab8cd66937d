package fields

import (
	"context"
	"maps"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A scope is what one watch sees: the objects of a kind, in one namespace or, if it
// is empty, in all.
type scope struct {
	kind      schema.GroupVersionKind
	namespace string
}

func (s scope) has(obj Object) bool {
	return s.kind == obj.Kind && (s.namespace == "" || s.namespace == obj.Namespace)
}

// A watch of a scope.
type watch struct {
	scope scope
	paths map[string]bool
	store toolscache.Store
	stop  context.CancelFunc

	// synced is true once the store has all that there is.
	synced bool
}

// trimmed is all that is kept of an object.
type trimmed struct {
	metav1.ObjectMeta

	texts map[string]string
}

// value of a field, as the store has it.
func (w *watch) value(obj Object, path string) value {
	kept, exists, err := w.store.GetByKey(obj.Namespace + "/" + obj.Name)
	t, ok := kept.(*trimmed)
	if err != nil || !exists || !ok {
		return value{}
	}
	return value{exists: true, text: t.texts[path]}
}

// trim an object to its name and the fields at the paths.
func trim(paths map[string]bool) toolscache.TransformFunc {
	return func(in any) (any, error) {
		u, ok := in.(*unstructured.Unstructured)
		if !ok {
			return in, nil
		}
		t := &trimmed{
			ObjectMeta: metav1.ObjectMeta{Namespace: u.GetNamespace(), Name: u.GetName(), ResourceVersion: u.GetResourceVersion()},
			texts:      map[string]string{},
		}
		for path := range paths {
			if v := text(u, path); v != "" {
				t.texts[path] = v
			}
		}
		return t, nil
	}
}

// start a watch. It runs until it is stopped, or may go on no longer.
func (r *Reader) start(ctx context.Context, s scope, resource schema.GroupVersionResource, paths map[string]bool) error {
	ctx, stop := context.WithCancel(ctx)
	inf := dynamicinformer.NewFilteredDynamicInformer(r.o.Dynamic, resource, s.namespace, 0, toolscache.Indexers{}, nil).Informer()
	w := &watch{scope: s, paths: paths, store: inf.GetStore(), stop: stop}
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

func (r *Reader) prepare(inf toolscache.SharedIndexInformer, w *watch) error {
	if err := inf.SetTransform(trim(w.paths)); err != nil {
		return err
	}
	return inf.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *toolscache.Reflector, err error) {
		r.o.Log.Debug("A watch of objects that specs refer to failed", "kind", w.scope.kind, "namespace", w.scope.namespace, "error", err)
		if kerrors.IsForbidden(err) || kerrors.IsNotFound(err) || kerrors.IsMethodNotSupported(err) {
			r.lost(w)
		}
	})
}

// synced is told when a watch has seen all that there is. Resources that were told
// something else meanwhile have to look again.
func (r *Reader) synced(w *watch) {
	r.o.Log.Debug("Watching objects that specs refer to", "kind", w.scope.kind, "namespace", w.scope.namespace)
	r.mu.Lock()
	w.synced = true
	delete(r.asked, w.scope)
	users := r.outdated(w.scope)
	r.mu.Unlock()
	r.enqueueAll(users, w.scope.kind.Kind)
}

// saw is told of each object that has come, changed or gone.
func (r *Reader) saw(w *watch, obj any) {
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

// lost is told when a watch may go on no longer: the permission was withdrawn, or
// the kind is gone. What it knew is then known no more.
func (r *Reader) lost(w *watch) {
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

// forget a watch. The lock is held.
func (r *Reader) forget(w *watch) {
	w.stop()
	delete(r.watches, w.scope)
}

// outdated are the resources that were told something else of a scope's objects than
// what is so now. The lock is held.
func (r *Reader) outdated(s scope) map[User]bool {
	users := map[User]bool{}
	for obj := range r.uses.byObject {
		if s.has(obj) {
			maps.Copy(users, r.uses.outdated(obj, func(path string) (value, bool) { return r.current(obj, path) }))
		}
	}
	return users
}

// users of a scope's objects. The lock is held.
func (r *Reader) users(s scope) map[User]bool {
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
