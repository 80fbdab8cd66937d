package session

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

const (
	// idle is the time for which sessions and identities are kept unused.
	idle = 2 * time.Hour
	// forgotten is the time for which a config is kept unused. Configs that exist are reconciled every few
	// minutes, so one that is unused for so long was deleted.
	forgotten = 24 * time.Hour
	// sweepEvery is the interval at which unused entries are dropped.
	sweepEvery = 10 * time.Minute
	// maxSessions is the maximum number of sessions of a config: those of more regions than AWS has, and of many single
	// resources. One takes some 10 KB, and is made again without a call.
	maxSessions = 1000
	// maxIdentities is the maximum number of identities of a config: those of single resources. One takes some 10 KB,
	// and is made again by two calls of STS.
	maxIdentities = 10_000
)

// A cache has the sessions of configs. Its lock is held for lookups only.
type cache struct {
	now func() time.Time

	mu      sync.Mutex
	configs map[types.UID]*entry
	swept   time.Time
}

// An entry is the cached state of one version of a config and of its raw credentials. A new version replaces it.
type entry struct {
	version string
	// token is the current web identity token.
	token string
	used  time.Time
	// base has the part that does not depend on a resource, by the region in which it calls STS.
	base map[string]*cached[aws.Config]
	// accepted has the region of each partition in which STS has accepted the config.
	accepted   map[string]string
	identities recent[identityKey, *cached[identity]]
	sessions   recent[sessionKey, *Session]
	// region is the region that a resource used last with success, or else the first that one asked for.
	region string
}

// An identity is an authenticated aws.Config with its identity.
type identity struct {
	Identity

	aws aws.Config

	// answered reports whether STS has returned the account. Otherwise it is a guess.
	answered bool

	// memo caches the identity.
	memo *cached[identity]
}

// refused has the credentials, and whose they are, fetched again if AWS has refused them in a call.
func (i identity) refused(err error) {
	doubt(i.aws.Credentials, err)
	if awserr.IsUnauthenticated(err) {
		i.memo.doubt()
	}
}

// recent has values by their keys, and when they were last used: tenants can name any number of regions and resources.
type recent[K comparable, V any] map[K]*cacheEntry[V]

type cacheEntry[V any] struct {
	value V
	used  time.Time
}

// get returns a value, which counts as used now, and false if there is none.
func (r recent[K, V]) get(k K, now time.Time) (v V, ok bool) {
	e, ok := r[k]
	if !ok {
		return v, false
	}
	e.used = now
	return e.value, true
}

// put keeps a value that is used now. If there are as many as there may be at most, it drops the least recently used.
func (r recent[K, V]) put(k K, v V, now time.Time, most int) {
	if len(r) >= most {
		byUse := func(a, b K) int { return r[a].used.Compare(r[b].used) }
		delete(r, slices.MinFunc(slices.Collect(maps.Keys(r)), byUse))
	}
	r[k] = &cacheEntry[V]{value: v, used: now}
}

// sweep drops what was unused for idle.
func (r recent[K, V]) sweep(now time.Time) {
	maps.DeleteFunc(r, func(_ K, e *cacheEntry[V]) bool { return now.Sub(e.used) >= idle })
}

// An identityKey has the partition of the STS that is called, because access keys of one partition are
// unknown in another.
type identityKey struct {
	partition string
	tags      sessionTags
}

// identityKeyOf returns the key of the identity that STS of a region knows.
func identityKeyOf(region string, tags sessionTags) identityKey {
	return identityKey{partition: PartitionOf(region), tags: tags}
}

// A sessionKey has the region of a session and the resource that it is limited to, if any.
type sessionKey struct {
	region string
	tags   sessionTags
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, configs: map[types.UID]*entry{}, swept: now()}
}

// entry returns the entry of a version of a config, and whether it replaces that of another version or token.
// The role of a token stays the same, so that its credentials count until the new token has given others.
func (c *cache) entry(uid types.UID, version, token string) (e *entry, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep()
	e = c.configs[uid]
	replaced := e != nil && e.version != version
	changed = replaced || e != nil && e.token != token
	if e == nil || replaced {
		e = &entry{
			version:    version,
			base:       map[string]*cached[aws.Config]{},
			accepted:   map[string]string{},
			identities: recent[identityKey, *cached[identity]]{},
			sessions:   recent[sessionKey, *Session]{},
		}
		c.configs[uid] = e
	}
	e.used = c.now()
	e.token = token
	if changed && !replaced {
		e.retry(true)
	}
	return e, changed
}

// tokenOf returns the current web identity token of a config.
func (c *cache) tokenOf(e *entry) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.token
}

// retry lets what has failed for a config be fetched again at once, since the config works again.
func (c *cache) retry(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.retry(false)
}

// retry lets what has failed be fetched again at once. If the token is a new one, the credentials that it gives are due
// for renewal.
func (e *entry) retry(rotated bool) {
	configs := make([]aws.Config, 0, len(e.identities)+len(e.base))
	for _, m := range e.identities {
		configs = append(configs, m.value.retry().aws)
	}
	for _, m := range e.base {
		configs = append(configs, m.retry())
	}
	for _, cfg := range configs {
		for r, ok := cfg.Credentials.(*renewing); ok; r, ok = r.signer.(*renewing) {
			r.retry()
			if rotated && r.signer == nil {
				r.renew()
			}
		}
	}
}

// session returns a cached session, and false if there is none. Its identity counts as used, too.
func (c *cache) session(e *entry, k sessionKey) (*Session, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := e.sessions.get(k, c.now())
	if ok || e.region == "" {
		e.region = k.region
	}
	if ok {
		e.identities.get(identityKeyOf(k.region, k.tags), c.now())
	}
	return s, ok
}

// keep caches a session, and returns it or the one that another caller has cached before, unless that has a guessed
// account.
func (c *cache) keep(e *entry, k sessionKey, s *Session) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.region = k.region
	if earlier, ok := e.sessions[k]; ok && (s.guessed || !earlier.value.guessed) {
		return earlier.value
	}
	e.sessions.put(k, s, c.now(), maxSessions)
	return s
}

func (c *cache) identity(e *entry, k identityKey) *cached[identity] {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := e.identities.get(k, c.now())
	if !ok {
		m = &cached[identity]{now: c.now}
		e.identities.put(k, m, c.now(), maxIdentities)
	}
	return m
}

// shared returns the memo of what all resources of a config share in the partition of a region. It calls STS there, or
// where STS has accepted the config: an account may not have enabled each region.
func (c *cache) shared(e *entry, region string) *cached[aws.Config] {
	c.mu.Lock()
	defer c.mu.Unlock()
	region = cmp.Or(e.accepted[PartitionOf(region)], region)
	m, ok := e.base[region]
	if !ok {
		m = &cached[aws.Config]{now: c.now}
		e.base[region] = m
	}
	return m
}

// accept keeps the first region of a partition in which STS has accepted the config.
func (c *cache) accept(e *entry, region string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	partition := PartitionOf(region)
	e.accepted[partition] = cmp.Or(e.accepted[partition], region)
}

// regionOf returns the region in which a config is checked, empty if no resource has asked for one.
func (c *cache) regionOf(e *entry) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.region
}

// forget drops all that is cached of a config.
func (c *cache) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.configs, uid)
}

// sweep drops what was unused for long: sessions, identities and configs. The caller holds the lock.
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
		for partition := range e.accepted { // There are few that depend on no resource.
			e.identities.get(identityKey{partition: partition}, now)
		}
		e.sessions.sweep(now)
		e.identities.sweep(now)
	}
}
