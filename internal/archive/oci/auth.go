package oci

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"k8s.io/utils/lru"
	"k8s.io/utils/ptr"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
)

// Auth is the source of the credentials for a registry. Without one that fits, it is called anonymously.
type Auth struct {
	// PullSecrets are tried in their order.
	PullSecrets []PullSecret

	// ECR has the credentials for registries of Amazon ECR, if no pull secret has some. Nil has none.
	ECR *ECR
}

// credential returns the credentials for the repository of a reference.
func (a Auth) credential(ctx context.Context, r registry.Reference) (auth.Credential, error) {
	for _, s := range a.PullSecrets {
		if c, ok := s.credential(r); ok {
			return c, nil
		}
	}
	if region := ecrRegion(r.Registry); a.ECR.has(region) {
		return a.ECR.credential(ctx, region)
	}
	return auth.EmptyCredential, nil
}

// A PullSecret has the credentials of a Secret of type kubernetes.io/dockerconfigjson.
type PullSecret struct{ entries []entry }

// An entry has the credentials of a location: a host, whose parts may hold *, and maybe the start of a path.
type entry struct {
	host, path string
	credential auth.Credential
}

// dockerHub is the location of Docker Hub in the files of Docker.
const dockerHub = "index.docker.io"

// ParsePullSecret parses the value of the key .dockerconfigjson. Its errors do not mention the value.
func ParsePullSecret(value []byte) (PullSecret, error) {
	var config struct {
		Auths map[string]struct {
			Username      string `json:"username"`
			Password      string `json:"password"`
			Auth          string `json:"auth"`
			IdentityToken string `json:"identitytoken"`
			RegistryToken string `json:"registrytoken"`
		} `json:"auths"`
	}
	if json.Unmarshal(value, &config) != nil {
		return PullSecret{}, errors.New("it does not hold JSON of the type kubernetes.io/dockerconfigjson")
	}
	var s PullSecret
	for _, location := range slices.Sorted(maps.Keys(config.Auths)) {
		a := config.Auths[location]
		e, ok := newEntry(location)
		user, password, decoded := decodeAuth(a.Auth)
		if !ok || !decoded {
			return PullSecret{}, errors.New("it has an entry whose location or credentials cannot be read")
		}
		e.credential = auth.Credential{
			Username: cmp.Or(user, a.Username), Password: cmp.Or(password, a.Password),
			RefreshToken: a.IdentityToken, AccessToken: a.RegistryToken,
		}
		if e.credential != auth.EmptyCredential { // Those of docker login may be in a store of the user's own.
			s.entries = append(s.entries, e)
		}
	}
	// The kubelet prefers what comes last: longer paths are before shorter ones.
	slices.SortStableFunc(s.entries, func(a, b entry) int { return cmp.Compare(b.host+b.path, a.host+a.path) })
	return s, nil
}

// newEntry returns the entry of a location such as ghcr.io, *.example.com/team or https://index.docker.io/v1/.
func newEntry(location string) (entry, bool) {
	if !strings.HasPrefix(location, "https://") && !strings.HasPrefix(location, "http://") {
		location = "https://" + location
	}
	u, err := url.Parse(location)
	if err != nil || u.Host == "" {
		return entry{}, false
	}
	p := u.Path
	if strings.HasPrefix(p, "/v1/") || strings.HasPrefix(p, "/v2/") {
		p = p[len("/v1"):]
	}
	return entry{host: u.Host, path: strings.TrimSuffix(p, "/")}, true
}

// decodeAuth decodes a user's name and password. As for the kubelet, the padding may be missing.
func decodeAuth(s string) (user, password string, ok bool) {
	if s == "" {
		return "", "", true
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "=\r\n"))
	if err != nil {
		return "", "", false
	}
	user, password, ok = strings.Cut(string(b), ":")
	return user, strings.TrimRight(password, "\x00"), ok
}

// credential returns the credentials for a repository, chosen as the kubelet does.
func (s PullSecret) credential(r registry.Reference) (auth.Credential, bool) {
	host := r.Registry
	if r.Host() == "registry-1.docker.io" || host == "docker.io" {
		host = dockerHub
	}
	for _, e := range s.entries {
		if e.matches(host, "/"+r.Repository) || host == dockerHub && e.matches("docker.io", "/"+r.Repository) {
			return e.credential, true
		}
	}
	return auth.EmptyCredential, false
}

// matches reports whether an entry is for a repository of a host. A * matches within one part of a name.
func (e entry) matches(hostport, repository string) bool {
	host, port := egress.SplitHost(hostport)
	wantHost, wantPort := egress.SplitHost(e.host)
	parts, want := strings.Split(host, "."), strings.Split(wantHost, ".")
	if port != wantPort || len(parts) != len(want) || !strings.HasPrefix(repository, e.path) {
		return false
	}
	for i := range want {
		if ok, err := path.Match(want[i], parts[i]); !ok || err != nil {
			return false
		}
	}
	return true
}

const (
	// maxTokens is the number of tokens that are kept. One that is not kept is issued again for each request.
	maxTokens = 1000

	// maxToken is the length up to which a token is kept, with its scope, in bytes. Those of known registries have less
	// than 4 KB.
	maxToken = 16 << 10
)

// A tokenKey identifies what a registry issues a token for.
type tokenKey struct {
	host, repository string
	credential       auth.Credential
}

// A token with the scope that it is for, which the registry may make up.
type token struct {
	scheme      auth.Scheme
	scope, text string
}

// tokens are an auth.Cache of one key, which keeps one token. The library's own keep one for each scope, without bound.
type tokens struct {
	all *lru.Cache
	of  tokenKey
}

func (t tokens) last() (token, error) {
	if v, ok := t.all.Get(t.of); ok {
		return v.(token), nil //nolint:forcetypeassert // Only Set adds one.
	}
	return token{}, errdef.ErrNotFound
}

// GetScheme returns the scheme of the token.
func (t tokens) GetScheme(context.Context, string) (auth.Scheme, error) {
	last, err := t.last()
	return last.scheme, err
}

// GetToken returns the token if it is for a scope.
func (t tokens) GetToken(_ context.Context, _ string, scheme auth.Scheme, scope string) (string, error) {
	last, err := t.last()
	if err == nil && (last.scheme != scheme || last.scope != scope) {
		err = errdef.ErrNotFound
	}
	return last.text, err
}

// Set keeps a token that is fetched.
func (t tokens) Set(ctx context.Context, _ string, scheme auth.Scheme, scope string,
	fetch func(context.Context) (string, error),
) (string, error) {
	text, err := fetch(ctx)
	if err == nil && len(scope)+len(text) <= maxToken {
		t.all.Add(t.of, token{scheme: scheme, scope: scope, text: text})
	}
	return text, err
}

// tokenAge is the time for which a token of Amazon ECR is used. It is valid for 12 hours.
const tokenAge = 50 * time.Minute

// ecrHost has the group region. See https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html. It
// has the whole name, with the domains of all partitions, so that no other host is sent AWS's credentials.
var ecrHost = regexp.MustCompile(`^[0-9]{12}\.(?:` +
	`dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.(?:com(?:\.cn)?|eu)|` +
	`c2s\.ic\.gov|sc2s\.sgov\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)|` +
	`dkr-ecr(?:-fips)?\.([a-z0-9-]+)\.on\.(?:aws|amazonwebservices\.com\.cn))$`)

// ecrRegion returns the region of a registry of Amazon ECR, empty for other registries.
func ecrRegion(host string) string {
	m := ecrHost.FindStringSubmatch(host)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// ECRAPI is the part of the Amazon ECR API that is used. GetAuthorizationToken returns a password that all
// registries of a region accept from the caller, for what the caller may read in them.
type ECRAPI interface {
	GetAuthorizationToken(ctx context.Context, in *ecr.GetAuthorizationTokenInput,
		opts ...func(*ecr.Options)) (*ecr.GetAuthorizationTokenOutput, error)
}

// ECR has the credentials for registries of Amazon ECR, by one identity in AWS. It is safe for concurrent use.
type ECR struct {
	api   func(region string) ECRAPI
	home  string
	cache *readcache.Cache
	now   func() time.Time
}

// NewECR returns the credentials of an identity, of which the cache keeps the tokens. api returns its client for a
// region. Besides the regions of AWS, home is one.
func NewECR(api func(region string) ECRAPI, home string, cache *readcache.Cache, now func() time.Time) *ECR {
	return &ECR{api: api, home: home, cache: cache, now: now}
}

// has reports whether a name is that of a region. Users can make up any.
func (e *ECR) has(region string) bool {
	return e != nil && region != "" && (region == e.home || regions.Known(region))
}

// credential returns the credentials for the registries of a region (GetAuthorizationToken). Concurrent callers share
// one call.
func (e *ECR) credential(ctx context.Context, region string) (auth.Credential, error) {
	now := e.now()
	k := readcache.Key{Operation: "GetAuthorizationToken", Of: region}
	f := readcache.Freshness{Now: now, Since: now.Add(-tokenAge)}
	return readcache.Read(ctx, e.cache, k, f, func(ctx context.Context) (auth.Credential, error) {
		out, err := e.api(region).GetAuthorizationToken(ctx, &ecr.GetAuthorizationTokenInput{})
		if err != nil {
			return auth.EmptyCredential, fmt.Errorf("cannot get credentials for Amazon ECR in %s: %w", region,
				awserr.Sanitize(err))
		}
		return parseToken(out)
	})
}

func parseToken(out *ecr.GetAuthorizationTokenOutput) (auth.Credential, error) {
	errToken := errors.New("the token that Amazon ECR returned is not one")
	if len(out.AuthorizationData) == 0 {
		return auth.EmptyCredential, errToken
	}
	b, err := base64.StdEncoding.DecodeString(ptr.Deref(out.AuthorizationData[0].AuthorizationToken, ""))
	user, password, ok := strings.Cut(string(b), ":")
	if err != nil || !ok {
		return auth.EmptyCredential, errToken
	}
	return auth.Credential{Username: user, Password: password}, nil
}
