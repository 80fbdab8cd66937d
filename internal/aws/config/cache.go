package config

import (
	"maps"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// idle is how long what was made for a resource or a region is kept unused.
	idle = 2 * time.Hour
	// forgotten is how long a config is kept that nobody looks at, as one that is gone is
	// not: those that are there are looked at every few minutes.
	forgotten = 24 * time.Hour
	// sweepEvery is how often that is looked for.
	sweepEvery = 10 * time.Minute
)

// A cache has the sessions of configs. Its lock is held for look-ups only.
type cache struct {
	now func() time.Time

	mu      *sync.Mutex
	configs map[types.UID]*entry
	swept   time.Time
}

// An entry is of one version of a config and of what its credentials come from.
// A new version replaces it.
type entry struct {
	version string
	used    time.Time
	// base are configurations with what does not depend on a resource, by
	// partition.
	base       map[string]*cached[aws.Config]
	identities map[identityKey]*kept[*cached[identity]]
	sessions   map[sessionKey]*kept[*Session]
	// region that a resource was last served in.
	region string
}

// kept is what is let go when it was not used for long: tenants can name as many
// regions and resources as they like.
type kept[T any] struct {
	value T
	used  time.Time
}

// An identityKey has the partition of the STS that is asked, for keys of one are
// unknown in another.
type identityKey struct {
	partition string
	tags      sessionTags
}

type sessionKey struct {
	region string
	tags   sessionTags
}

func newCache(now func() time.Time) cache {
	return cache{now: now, mu: &sync.Mutex{}, configs: map[types.UID]*entry{}, swept: now()}
}

// entry of a config, new if its version is, which changed then tells.
func (c *cache) entry(uid types.UID, version string) (e *entry, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep()
	e = c.configs[uid]
	changed = e != nil && e.version != version
	if e == nil || changed {
		e = &entry{
			version:    version,
			base:       map[string]*cached[aws.Config]{},
			identities: map[identityKey]*kept[*cached[identity]]{},
			sessions:   map[sessionKey]*kept[*Session]{},
		}
		c.configs[uid] = e
	}
	e.used = c.now()
	return e, changed
}

// retry what has failed for a config, which works again: its failures count no more.
func (c *cache) retry(e *entry) {
	c.mu.Lock()
	memos := make([]*cached[identity], 0, len(e.identities))
	for _, m := range e.identities {
		memos = append(memos, m.value)
	}
	c.mu.Unlock()
	for _, m := range memos {
		if id, ok := m.retry(); ok {
			if r, ok := id.aws.Credentials.(*renewing); ok {
				r.retry()
			}
		}
	}
}

func (c *cache) session(e *entry, k sessionKey) (*Session, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.region = k.region
	s, ok := e.sessions[k]
	if !ok {
		return nil, false
	}
	s.used = c.now()
	return s.value, true
}

// keep a session that was made, unless another was first.
func (c *cache) keep(e *entry, k sessionKey, fresh func() *Session) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := e.sessions[k]; ok {
		return s.value
	}
	s := fresh()
	e.sessions[k] = &kept[*Session]{value: s, used: c.now()}
	return s
}

func (c *cache) identity(e *entry, k identityKey) *cached[identity] {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := e.identities[k]
	if !ok {
		m = &kept[*cached[identity]]{value: &cached[identity]{now: c.now}}
		e.identities[k] = m
	}
	m.used = c.now()
	return m.value
}

// shared by all resources of a config in a partition.
func (c *cache) shared(e *entry, partition string) *cached[aws.Config] {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := e.base[partition]
	if !ok {
		m = &cached[aws.Config]{now: c.now}
		e.base[partition] = m
	}
	return m
}

// regionOf the resources of a config, empty if there were none yet.
func (c *cache) regionOf(e *entry) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.region
}

func (c *cache) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.configs, uid)
}

// sweep out what was not used for long: sessions of regions and of single resources,
// and configs that nobody looks at. An identity is used for as long
// as a session that was made of it.
func (c *cache) sweep() {
	now := c.now()
	if now.Sub(c.swept) < sweepEvery {
		return
	}
	c.swept = now
	for uid, e := range c.configs {
		if now.Sub(e.used) >= forgotten {
			delete(c.configs, uid)
			continue
		}
		used := map[sessionTags]bool{}
		maps.DeleteFunc(e.sessions, func(k sessionKey, s *kept[*Session]) bool {
			gone := now.Sub(s.used) >= idle
			used[k.tags] = used[k.tags] || !gone
			return gone
		})
		maps.DeleteFunc(e.identities, func(k identityKey, m *kept[*cached[identity]]) bool {
			return now.Sub(m.used) >= idle && k.tags != (sessionTags{}) && !used[k.tags]
		})
	}
}
