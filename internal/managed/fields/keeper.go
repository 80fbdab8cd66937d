package fields

import (
	"context"
	"maps"
	"slices"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// How soon it is asked again whether a scope may be watched, after the first refusal
// and at most. Of single namespaces there may be many, unless the provider is told
// which.
const (
	soonest   = 5 * time.Second
	latest    = 30 * time.Second
	unhurried = 2 * time.Minute

	askTimeout = 15 * time.Second
)

// A question is whether a scope may be watched. It was refused.
type question struct {
	// due is when to ask again.
	due time.Time

	// wait is how long it was put off last.
	wait time.Duration
}

// putOff a question to a later time, at most the limit from now.
func (q question) putOff(now time.Time, limit time.Duration) question {
	q.wait = min(max(2*q.wait, soonest), limit)
	q.due = now.Add(q.wait)
	return q
}

// refused notes that a scope may not be watched. The lock is held.
func (r *Reader) refused(s scope) {
	limit := latest
	if s.namespace != "" && len(r.o.Namespaces) == 0 {
		limit = unhurried
	}
	r.asked[s] = r.asked[s].putOff(r.o.Clock.Now(), limit)
}

// Start watching what specs refer to, until the context ends.
func (r *Reader) Start(ctx context.Context) error {
	ticker := r.o.Clock.NewTicker(soonest)
	defer ticker.Stop()
	for {
		r.keep(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-r.changed:
		case <-ticker.C():
		}
	}
}

// keep watching what specs refer to, and nothing else.
func (r *Reader) keep(ctx context.Context) {
	r.mu.Lock()
	wanted := r.uses.wanted()
	r.dismiss(wanted)
	r.mu.Unlock()
	for kind, w := range wanted {
		r.keepKind(ctx, kind, w)
	}
}

// dismiss watches that nobody needs, or that keep too few fields of each object,
// and questions that nobody asks. The lock is held.
func (r *Reader) dismiss(wanted map[schema.GroupVersionKind]*want) {
	for s, w := range r.watches {
		if want := wanted[s.kind]; !want.needs(s) || !covers(w.paths, want.paths) {
			r.forget(w)
			delete(r.asked, s)
		}
	}
	for s := range r.asked {
		if !wanted[s.kind].needs(s) {
			delete(r.asked, s)
		}
	}
}

func (w *want) needs(s scope) bool {
	return w != nil && (s.namespace == "" || w.namespaces[s.namespace])
}

func covers(have, need map[string]bool) bool {
	for path := range need {
		if !have[path] {
			return false
		}
	}
	return true
}

// keepKind watches the objects of a kind: in all namespaces if that is allowed, or
// else in those that need it.
func (r *Reader) keepKind(ctx context.Context, kind schema.GroupVersionKind, w *want) {
	if len(r.o.Namespaces) == 0 && r.keepScope(ctx, scope{kind: kind}, w.paths) {
		r.dismissNamespaces(kind)
		return
	}
	for _, namespace := range slices.Sorted(maps.Keys(w.namespaces)) {
		r.keepScope(ctx, scope{kind: kind, namespace: namespace}, w.paths)
	}
}

// keepScope watches a scope, if it may. It returns whether it is watched.
func (r *Reader) keepScope(ctx context.Context, s scope, paths map[string]bool) bool {
	r.mu.Lock()
	running := r.watches[s] != nil
	due := !r.o.Clock.Now().Before(r.asked[s].due)
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

// try to watch a scope.
func (r *Reader) try(ctx context.Context, s scope, paths map[string]bool) bool {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := r.o.Mapper.RESTMapping(s.kind.GroupKind(), s.kind.Version)
	if err != nil || m.Scope.Name() != kmeta.RESTScopeNameNamespace || isSecret(s.kind) {
		return false
	}
	allowed, err := r.o.MayWatch(asking, m.Resource, s.namespace)
	if err == nil && allowed {
		err = r.start(ctx, s, m.Resource, paths)
	}
	if err != nil {
		r.o.Log.Debug("Cannot watch objects that specs refer to", "kind", s.kind, "namespace", s.namespace, "error", err)
	}
	return err == nil && allowed
}

// dismissNamespaces stops watches of single namespaces, once all are watched.
func (r *Reader) dismissNamespaces(kind schema.GroupVersionKind) {
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
