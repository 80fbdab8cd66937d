package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// stsRegions stands in messages for the regions in which STS is called.
const stsRegions = "STS"

// callerPattern matches the ARNs that GetCallerIdentity returns, of at most maxCaller bytes.
var callerPattern = regexp.MustCompile(`^arn:aws[a-z-]*:(?:iam|sts)::[0-9]{12}:[A-Za-z0-9+=,.@_/-]+$`)

const maxCaller = 680

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
