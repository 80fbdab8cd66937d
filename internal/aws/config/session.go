package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// A Session is how the resources of one config reach one region. It is shared by
// all of them, and must not be changed.
type Session struct {
	// AWS is the configuration for clients. Calls keep to the quotas of Scope.
	AWS aws.Config

	// Scope is the account and region that quotas are counted by.
	Scope quota.Scope

	// Partition of the region, such as aws or aws-cn, which ARNs begin with.
	Partition string

	// Identity is whom AWS takes the config for.
	Identity Identity

	// Tags that every taggable thing of this config gets.
	Tags map[string]string

	// IgnoreTags are left to others.
	IgnoreTags IgnoreTags

	// Ref names the config.
	Ref Ref

	// Tenancy is what the config says of the namespaces that share it.
	Tenancy Tenancy

	inventory inventory.Cache

	mu      sync.Mutex
	clients map[reflect.Type]any
}

// Inventory is what the resources of this session read from AWS together.
func (s *Session) Inventory() *inventory.Cache { return &s.inventory }

// Client of a service for a session, made by the service's NewFromConfig, such as
// lambda.NewFromConfig. It is made once, since a client has connections and a
// budget of retries that all of its users share.
func Client[C, O any](s *Session, newFromConfig func(aws.Config, ...func(*O)) *C) *C {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := reflect.TypeFor[C]()
	if c, ok := s.clients[t].(*C); ok {
		return c
	}
	c := newFromConfig(s.AWS)
	if s.clients == nil {
		s.clients = map[reflect.Type]any{}
	}
	s.clients[t] = c
	return c
}

// IgnoreTags are tags that are neither set, removed nor compared.
type IgnoreTags struct {
	keys     []string
	prefixes []string
}

// NewIgnoreTags of whole keys and of beginnings of keys.
func NewIgnoreTags(keys, prefixes []string) IgnoreTags {
	return IgnoreTags{keys: keys, prefixes: prefixes}
}

// Match says whether a tag is ignored. Those of AWS itself are.
func (i IgnoreTags) Match(key string) bool {
	if strings.HasPrefix(strings.ToLower(key), "aws:") || slices.Contains(i.keys, key) {
		return true
	}
	return slices.ContainsFunc(i.prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
}

// newSession of an identity in a region.
func (r *Resolver) newSession(s settings, known identity, region string) *Session {
	cfg := known.aws.Copy()
	cfg.Region = region
	cfg.APIOptions = slices.Clone(cfg.APIOptions)
	scope := known.scope(s, region)
	r.limiter.AddTo(&cfg, scope)
	r.options.Fence.addTo(&cfg)
	r.options.Breakers.AddTo(&cfg, breaker.Key{Config: s.ref.UID, Region: region})
	return &Session{
		AWS:        cfg,
		Scope:      scope,
		Partition:  partitionFor(s, region),
		Identity:   known.Identity,
		Tags:       defaultTags(s.Tags),
		IgnoreTags: ignored(s.IgnoreTags),
		Ref:        s.ref,
		Tenancy:    s.tenancy,
	}
}

func partitionFor(s settings, region string) string {
	if s.Endpoint != nil && s.Endpoint.PartitionID != nil {
		return *s.Endpoint.PartitionID
	}
	return partitionOf(region)
}

func defaultTags(in map[string]v1beta1.TagValue) map[string]string {
	tags := make(map[string]string, len(in))
	for k := range maps.Keys(in) {
		tags[k] = string(in[k])
	}
	return tags
}

func ignored(in *v1beta1.IgnoreTags) IgnoreTags {
	if in == nil {
		return IgnoreTags{}
	}
	return NewIgnoreTags(in.Keys, in.KeyPrefixes)
}
