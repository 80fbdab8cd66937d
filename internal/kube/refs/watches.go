package refs

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// minWatch is the time for which a watch is kept at least. Each new one lists all objects of its kind, and a user can
// change what a spec refers to at any rate.
const minWatch = 15 * time.Second

// Start watches what specs refer to until the context is done.
func (r *FieldReader) Start(ctx context.Context) error {
	ticker := r.o.Clock.NewTicker(minDelay)
	defer ticker.Stop()
	for {
		r.syncWatches(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-r.changed:
		case <-ticker.C():
		}
	}
}

// syncWatches starts and stops watches, so that exactly what specs refer to is watched.
func (r *FieldReader) syncWatches(ctx context.Context) {
	r.mu.Lock()
	wanted := r.uses.wanted()
	r.stopUnneeded(wanted)
	r.mu.Unlock()
	for kind, w := range wanted {
		r.syncKind(ctx, kind, w)
	}
}

// stopUnneeded stops watches that are not needed or that keep too few fields of each object, once they are minWatch
// old, and forgets checks of scopes that are not needed. The caller holds the lock.
func (r *FieldReader) stopUnneeded(wanted map[schema.GroupVersionKind]*needed) {
	now := r.o.Clock.Now()
	for s, w := range r.watches {
		want := wanted[s.kind]
		if now.Sub(w.began) >= minWatch && (!want.needs(s) || !w.paths.IsSuperset(want.paths)) {
			r.forget(w)
			delete(r.requests, s)
		}
	}
	for s := range r.requests {
		if !wanted[s.kind].needs(s) {
			delete(r.requests, s)
		}
	}
}

func (w *needed) needs(s scope) bool {
	return w != nil && (s.namespace == "" || w.namespaces.Has(s.namespace))
}

// syncKind watches the objects of a kind: in all namespaces if that is allowed, or else in those that need it.
func (r *FieldReader) syncKind(ctx context.Context, kind schema.GroupVersionKind, w *needed) {
	if len(r.o.Namespaces) == 0 && r.syncScope(ctx, scope{kind: kind}, w.paths) {
		r.stopNamespaces(kind)
		return
	}
	for _, namespace := range sets.List(w.namespaces) {
		r.syncScope(ctx, scope{kind: kind, namespace: namespace}, w.paths)
	}
}

// syncScope watches a scope, if that is allowed. It reports whether the scope is watched.
func (r *FieldReader) syncScope(ctx context.Context, s scope, paths sets.Set[string]) bool {
	r.mu.Lock()
	running := r.watches[s] != nil
	due := !r.o.Clock.Now().Before(r.requests[s].due)
	r.mu.Unlock()
	if running || !due {
		return running
	}
	if r.try(ctx, s, paths) {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused(s)
	return false
}

// try starts a watch of a scope, if that is allowed. It reports whether it did.
func (r *FieldReader) try(ctx context.Context, s scope, paths sets.Set[string]) bool {
	asking, cancel := context.WithTimeout(ctx, accessTimeout)
	defer cancel()
	m, _, err := r.mapping(asking, s.kind)
	if err != nil {
		return false
	}
	allowed, err := r.o.MayWatch(asking, m.Resource, s.namespace)
	if err == nil && allowed {
		err = r.start(ctx, s, m.Resource, paths)
	}
	if err != nil {
		r.o.Log.Debug("Cannot watch objects that specs refer to", "kind", s.kind, "namespace", s.namespace, "error",
			err)
	}
	return err == nil && allowed
}

// stopNamespaces stops the watches of single namespaces once all namespaces are watched.
func (r *FieldReader) stopNamespaces(kind schema.GroupVersionKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.watches[scope{kind: kind}]; w == nil || !w.synced {
		return
	}
	for s, w := range r.watches {
		if s.kind == kind && s.namespace != "" {
			r.forget(w)
		}
	}
}
