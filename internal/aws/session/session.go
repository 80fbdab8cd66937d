package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
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

func (r *Resolver) newSession(s settings, known identity, k sessionKey) *Session {
	region := k.region
	cfg := known.aws.Copy()
	cfg.Region = region
	m := r.middlewares(s)
	m.limiter, m.scope = r.limiter, known.scope(s, region)
	m.fence, m.refused = r.options.Fence, known.refused
	m.breakers, m.breaker = r.options.Breakers, breaker.Key{Config: s.ref.UID, Region: region}
	m.clock, m.now = &Clock{}, r.now
	cfg.APIOptions = []func(*middleware.Stack) error{m.addTo}
	tags := make(map[string]string, len(s.Tags))
	for k, v := range s.Tags {
		tags[k] = string(v)
	}
	session := &Session{
		AWS:       cfg,
		Scope:     m.scope,
		Partition: PartitionOf(region),
		Identity:  known.Identity,
		Tags:      tags,
		Ref:       s.ref,
		Tenancy:   s.tenancy,
		Clock:     m.clock,
		only:      k.tags,
		guessed:   !known.answered && !s.SkipRequestingAccountID,
	}
	if s.ConnectionSpec.Code != nil {
		session.Code = *s.ConnectionSpec.Code
	}
	if s.Endpoint != nil && s.Endpoint.PartitionID != nil {
		session.Partition = *s.Endpoint.PartitionID
	}
	if s.IgnoreTags != nil {
		session.IgnoreTags = NewIgnoreTags(s.IgnoreTags.Keys, s.IgnoreTags.KeyPrefixes)
	}
	return session
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

// scope returns the scope by which calls are counted against quotas. Whoever may create a ProviderConfig can run an
// endpoint that claims any account and answers that its quota is exhausted. So a namespaced config shares the scope of
// an account only if AWS itself, or what the provider's operator has configured in its place, named the account and its
// calls go to AWS. An administrator's config is trusted.
func (i identity) scope(s settings, region string) quota.Scope {
	ownSTS, ownLambda := s.endpointOf("STS", region), s.endpointOf("Lambda", region)
	switch {
	case s.namespaced && (!i.answered || ownSTS != "" || ownLambda != ""):
		return quota.Scope{Account: quota.Unverified, Region: region, Config: string(s.ref.UID)}
	case i.answered && ownSTS != "", !i.answered && ownLambda != "":
		return quota.Scope{Account: i.Account, Region: region, Endpoint: ownSTS + ownLambda}
	default:
		return quota.Scope{Account: i.Account, Region: region}
	}
}

// A login holds what an identity of a config depends on.
type login struct {
	settings
	rawCredentials

	entry *entry
	tags  sessionTags
	// region is the one in which STS is called.
	region string
}

// memo returns the cached identity of a login.
func (r *Resolver) memo(l login) *cached[identity] {
	return r.cache.identity(l.entry, identityKeyOf(l.region, l.tags))
}

// identity returns the cached identity of a login. The first call authenticates, and asks STS for the identity unless
// the config says not to.
func (r *Resolver) identity(ctx context.Context, l login) (identity, error) {
	return r.memo(l).get(ctx, func(ctx context.Context) (found identity, err error) {
		defer func() {
			if err == nil {
				r.cache.accept(l.entry, l.region)
			}
		}()
		found, err = r.guess(ctx, l)
		if err != nil || l.SkipRequestingAccountID {
			return found, err
		}
		out, err := stsClient(found.aws).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
		doubt(found.aws.Credentials, err)
		r.options.Breakers.Report(stsKey(l.settings), err)
		switch {
		case err == nil && functionname.IsAccountID(aws.ToString(out.Account)):
			found.Identity, found.answered = identityOf(out), true
			return found, nil
		case err == nil:
			return identity{}, fmt.Errorf(
				"STS does not return a 12-digit account ID: check the endpoint, or set skip_requesting_account_id")
		default:
			return identity{}, cannotAuthenticate(err)
		}
	})
}

// guess returns the identity of a login by what is known without STS.
func (r *Resolver) guess(ctx context.Context, l login) (identity, error) {
	cfg, err := r.authenticate(ctx, l)
	return identity{
		aws: cfg, Identity: Identity{Account: guessAccount(l.settings, l.rawCredentials)}, memo: r.memo(l),
	}, err
}

// stsRegions stands in messages for the regions in which STS is called.
const stsRegions = "STS"

// stsKey returns the key of the circuit breaker of a config's calls to STS.
func stsKey(s settings) breaker.Key { return breaker.Key{Config: s.ref.UID, Region: stsRegions} }

// A PausedError says that a resource must not wait for STS now, because it does not answer, or because many wait for an
// STS that has not answered yet.
type PausedError struct {
	Ref Ref
	// Region stands for STS if that does not answer. It is empty if that is not known.
	Region string
	// After is the time to wait before the next attempt. It is 0 after an attempt.
	After time.Duration
}

// Error returns the reason.
func (e *PausedError) Error() string {
	if e.Region != "" {
		return fmt.Sprintf("AWS does not answer %s in %s", e.Ref, e.Region)
	}
	return fmt.Sprintf("%s waits until others know whether STS answers", e.Ref)
}

// enterSTS begins a wait of a namespace for the identity of a config. Like calls to Lambda, only a few may wait at a
// time while STS has not answered. It returns a PausedError if the resource must not wait now. Otherwise the caller
// must call leave after the wait.
func (r *Resolver) enterSTS(l login, namespace string) (leave func(), err error) {
	if !r.memo(l).waits() {
		return func() {}, nil
	}
	leave, wait := r.options.Breakers.Enter(stsKey(l.settings), namespace)
	if wait == 0 {
		return leave, nil
	}
	paused := &PausedError{Ref: l.ref, After: wait}
	if r.options.Breakers.IsOpen(stsKey(l.settings)) {
		paused.Region = stsRegions
	}
	return leave, paused
}

// identityOf returns the identity that STS answered. It is shown in status, so the ARN counts only if it
// looks like one: an endpoint that is not AWS can answer anything.
func identityOf(out *sts.GetCallerIdentityOutput) Identity {
	i := Identity{Account: aws.ToString(out.Account)}
	if caller := aws.ToString(out.Arn); len(caller) <= maxCaller && callerPattern.MatchString(caller) {
		i.ARN = caller
	}
	return i
}

// callerPattern matches the ARNs that GetCallerIdentity returns, of at most maxCaller bytes.
var callerPattern = regexp.MustCompile(`^arn:aws[a-z-]*:(?:iam|sts)::[0-9]{12}:[A-Za-z0-9+=,.@_/-]+$`)

const maxCaller = 680

// cannotAuthenticate returns the error of credentials that could not be fetched or identified. It says
// that AWS does not accept them only if AWS said so.
func cannotAuthenticate(err error) error {
	if awserr.IsUnauthenticated(err) {
		return fmt.Errorf("AWS does not accept the credentials: %w", awserr.Sanitize(err))
	}
	return awserr.Sanitize(err)
}

// guessAccount returns the account of the last role, or a name that stands for the account of these
// keys. It only separates the quotas of accounts.
func guessAccount(s settings, m rawCredentials) string {
	last := m.roleARN
	if n := len(s.AssumeRoleChain); n > 0 {
		last = aws.ToString(s.AssumeRoleChain[n-1].RoleARN)
	}
	if role, _ := arn.Parse(last); role.AccountID != "" || len(s.AssumeRoleChain) > 0 {
		return role.AccountID
	}
	of := cmp.Or(m.keys.AccessKeyID, string(s.credentials.Source))
	if s.Endpoint != nil {
		of += aws.ToString(s.Endpoint.URL.Static)
	}
	sum := sha256.Sum256([]byte(of))
	return "unknown-" + hex.EncodeToString(sum[:4])
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
