package oci

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"k8s.io/utils/ptr"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
)

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
