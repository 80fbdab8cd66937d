package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// A Session is the configuration with which the resources of one config call AWS in one region. All of them share it,
// and must not change it.
type Session struct {
	// AWS is the configuration of clients. Calls keep to the quotas of Scope.
	AWS aws.Config

	// Scope is the account and region by which quotas are counted.
	Scope quota.Scope

	// Partition of the region, such as aws or aws-cn, which is part of ARNs.
	Partition string

	// Identity is the AWS identity of the config.
	Identity Identity

	// Tags are set on each taggable resource of this config.
	Tags map[string]string

	// IgnoreTags are neither set, removed nor compared.
	IgnoreTags IgnoreTags

	// Ref names the config.
	Ref Ref

	// Code is the config's policy for code.
	Code v1beta1.CodePolicy

	// Tenancy has the config's rules for the namespaces that share it.
	Tenancy Tenancy

	// Clock is AWS's clock, as the session's calls show it.
	Clock *Clock

	readCache readcache.Cache

	// only has the one resource that the session is limited to, if any.
	only sessionTags

	// guessed reports whether STS was asked for the account and has not returned it.
	guessed bool

	mu sync.Mutex
	// values are shared by all users of the session, by their type.
	values map[reflect.Type]any
}

// ReadCache returns the cache that the resources of this session share.
func (s *Session) ReadCache() *readcache.Cache { return &s.readCache }

// A Reader identifies on whose behalf a session reads AWS.
type Reader struct {
	ref   Ref
	scope quota.Scope
	only  sessionTags
}

// Reader returns that of a session, which sessions with renewed credentials of a config in an account share.
func (s *Session) Reader() Reader { return Reader{ref: s.Ref, scope: s.Scope, only: s.only} }

// BreakerKey returns the key of the session's circuit breaker.
func (s *Session) BreakerKey() breaker.Key {
	return breaker.Key{Config: s.Ref.UID, Region: s.AWS.Region}
}

// Client returns the client of a service for a session. newFromConfig is the service's function, such
// as lambda.NewFromConfig. It is called once a session, so that all users share the client's
// connections and its budget of retries.
func Client[C, O any](s *Session, newFromConfig func(aws.Config, ...func(*O)) *C) *C {
	return Once(s, func() *C { return newFromConfig(s.AWS) })
}

// Shared returns the value of a type that all users of a session share. It is zero at first.
func Shared[T any](s *Session) *T {
	return Once(s, func() *T { return new(T) })
}

// Once returns the value of a type that all users of a session share. create is called once a session. It must not use
// the values of the session.
func Once[T any](s *Session, create func() *T) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := reflect.TypeFor[T]()
	if v, ok := s.values[t].(*T); ok {
		return v
	}
	v := create()
	if s.values == nil {
		s.values = map[reflect.Type]any{}
	}
	s.values[t] = v
	return v
}

// IgnoreTags are tags that are neither set, removed nor compared.
type IgnoreTags struct {
	keys     []string
	prefixes []string
}

// NewIgnoreTags returns IgnoreTags of whole keys and of prefixes of keys.
func NewIgnoreTags(keys, prefixes []string) IgnoreTags {
	return IgnoreTags{keys: keys, prefixes: prefixes}
}

// Match reports whether a tag is ignored. Tags of AWS itself are.
func (i IgnoreTags) Match(key string) bool {
	if strings.HasPrefix(strings.ToLower(key), "aws:") || slices.Contains(i.keys, key) {
		return true
	}
	return slices.ContainsFunc(i.prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
}

// TagRules returns a text that identifies the tags that the config sets and those that it ignores. It is empty if there
// are none.
func (s *Session) TagRules() string {
	if len(s.Tags)+len(s.IgnoreTags.keys)+len(s.IgnoreTags.prefixes) == 0 {
		return ""
	}
	return fmt.Sprintf("%q %q %q", s.Tags, s.IgnoreTags.keys, s.IgnoreTags.prefixes)
}

// An Identity is the AWS identity of a config.
type Identity struct {
	// Account is the AWS account ID, or a made-up name if it is not known.
	Account string
	// ARN of the user or the assumed role. It is empty if STS was not called.
	ARN string
}

// AccountID returns the AWS account ID, or "" if it is not known.
func (i Identity) AccountID() string {
	if !functionname.IsAccountID(i.Account) {
		return ""
	}
	return i.Account
}

// Derive returns a session of the same identity with clients and caches of its own. add adds middleware to the stacks
// of its clients' operations.
func (s *Session) Derive(add ...func(*middleware.Stack) error) *Session {
	cfg := s.AWS.Copy()
	cfg.APIOptions = slices.Concat(cfg.APIOptions, add)
	return &Session{
		AWS: cfg, Scope: s.Scope, Partition: s.Partition, Identity: s.Identity, Tags: s.Tags, IgnoreTags: s.IgnoreTags,
		Ref: s.Ref, Code: s.Code, Tenancy: s.Tenancy, Clock: s.Clock,
	}
}
