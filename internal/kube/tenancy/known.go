package tenancy

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

func keyOf(kind string, o client.Object) resourceKey {
	return resourceKey{kind: kind, NamespacedName: client.ObjectKeyFromObject(o)}
}

// known returns what is known of a user of a kind, and creates it if there is nothing. The caller holds the lock.
func (b *Registry) known(kind string, u User) *knownResource {
	if k := b.knownOf(kind, u.Resource); k != nil {
		return k
	}
	key, k := keyOf(kind, u.Resource), &knownResource{uid: u.Resource.GetUID()}
	b.drop(key)
	b.resources[key] = k
	return k
}

// knownOf returns what is known of a resource of a kind, nil if nothing is. The caller holds the lock.
func (b *Registry) knownOf(kind string, o client.Object) *knownResource {
	if k := b.resources[keyOf(kind, o)]; k != nil && k.uid == o.GetUID() {
		return k
	}
	return nil
}

// drop removes what is known of a resource. The caller holds the lock.
func (b *Registry) drop(key resourceKey) {
	if k := b.resources[key]; k != nil && b.confirmed[k.owns] == key {
		delete(b.confirmed, k.owns)
	}
	delete(b.claims, key)
	delete(b.resources, key)
}

// confirmedIn returns the key of a target in a session.
func confirmedIn(s *session.Session, t Target) confirmedKey {
	t = t.in(s)
	k := confirmedKey{scope: s.Scope, target: t.Key()}
	if s.Identity.AccountID() != "" {
		k.account, k.scope.Endpoint = t.Account, ""
	}
	return k
}

// Forget removes what is known of a resource that is gone.
func (b *Registry) Forget(kind string, name types.NamespacedName) {
	if b == nil || b.planning {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(resourceKey{kind: kind, NamespacedName: name})
}

// Serve records the scope in which a resource of a kind is served.
func (b *Registry) Serve(kind string, u User) {
	if b == nil || b.planning {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known(kind, u).scope = u.Session.Scope
}

// Confirm records that AWS has shown what a resource owns, which ends its claim.
func (b *Registry) Confirm(u User, targets []Target) {
	if b == nil || b.planning {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range targets {
		k, me := b.known(t.Kind, u), keyOf(t.Kind, u.Resource)
		if b.confirmed[k.owns] == me {
			delete(b.confirmed, k.owns)
		}
		k.owns = confirmedIn(u.Session, t)
		b.confirmed[k.owns] = me
		delete(b.claims, me)
	}
}

// isConfirmed reports whether AWS has confirmed that a resource owns a target.
func (b *Registry) isConfirmed(u User, t Target, o resource.ModernManaged) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.knownOf(t.Kind, o) != nil && b.confirmed[confirmedIn(u.Session, t)] == keyOf(t.Kind, o)
}

// Acts records that a resource of a kind has something with an external name within targets, on which it was allowed to
// act.
func (b *Registry) Acts(kind string, u User, name string, targets []Target) {
	if b == nil || b.planning {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.known(kind, u)
	if k.has, k.seen = name, b.now(); !slices.Equal(k.acted, targets) {
		k.acted = slices.Clone(targets)
	}
}

// RecordCreated records the external name of what a resource has created, or an empty name once that is removed.
func (b *Registry) RecordCreated(kind string, u User, name string) {
	if b == nil || b.planning {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known(kind, u).created = &name
}

// Created returns the external name of what a resource has created. It is empty if that was removed, and known is false
// if this process has not seen the resource create anything.
func (b *Registry) Created(kind string, u User) (name string, known bool) {
	if b == nil {
		return "", false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.knownOf(kind, u.Resource)
	if k == nil || k.created == nil {
		return "", false
	}
	return *k.created, true
}
