package config

import (
	"maps"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// idle is how long a session that depends on a resource is kept unused.
	idle = 2 * time.Hour
	// sweepEvery is how often such sessions are looked for.
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
	// base are configurations with what does not depend on a resource, by
	// partition.
	base       map[string]*memo[aws.Config]
	identities map[identityKey]*memo[identity]
	sessions   map[sessionKey]*Session
	used       map[sessionTags]time.Time
	// region that a resource was last served in.
	region string
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

// entry of a config, new if its version is.
func (c *cache) entry(uid types.UID, version string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep()
	e := c.configs[uid]
	if e == nil || e.version != version {
		e = &entry{
			version:    version,
			base:       map[string]*memo[aws.Config]{},
			identities: map[identityKey]*memo[identity]{},
			sessions:   map[sessionKey]*Session{},
			used:       map[sessionTags]time.Time{},
		}
		c.configs[uid] = e
	}
	return e
}

func (c *cache) session(e *entry, k sessionKey) (*Session, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.used[k.tags] = c.now()
	e.region = k.region
	s, ok := e.sessions[k]
	return s, ok
}

// keep a session that was made, unless another was first.
func (c *cache) keep(e *entry, k sessionKey, fresh func() *Session) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := e.sessions[k]; ok {
		return s
	}
	s := fresh()
	e.sessions[k] = s
	return s
}

func (c *cache) identity(e *entry, k identityKey) *memo[identity] {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.used[k.tags] = c.now()
	m, ok := e.identities[k]
	if !ok {
		m = &memo[identity]{now: c.now}
		e.identities[k] = m
	}
	return m
}

// shared by all resources of a config in a partition.
func (c *cache) shared(e *entry, partition string) *memo[aws.Config] {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := e.base[partition]
	if !ok {
		m = &memo[aws.Config]{now: c.now}
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

// sweep out sessions of single resources that were not used for long.
func (c *cache) sweep() {
	now := c.now()
	if now.Sub(c.swept) < sweepEvery {
		return
	}
	c.swept = now
	for _, e := range c.configs {
		for t, used := range e.used {
			if t == (sessionTags{}) || now.Sub(used) < idle {
				continue
			}
			e.drop(t)
		}
	}
}

// drop all that was made for a resource.
func (e *entry) drop(t sessionTags) {
	delete(e.used, t)
	maps.DeleteFunc(e.identities, func(k identityKey, _ *memo[identity]) bool { return k.tags == t })
	maps.DeleteFunc(e.sessions, func(k sessionKey, _ *Session) bool { return k.tags == t })
}
