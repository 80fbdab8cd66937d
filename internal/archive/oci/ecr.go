package oci

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"k8s.io/utils/ptr"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// renewBefore is the time before its end at which a token of Amazon ECR is replaced. It is valid for 12 hours.
const renewBefore = 10 * time.Minute

// ecrHost has the group region. See https://docs.aws.amazon.com/AmazonECR/latest/userguide/Registries.html. It
// has the whole name, so that no other host is sent AWS's credentials.
var ecrHost = regexp.MustCompile(`^[0-9]{12}\.(?:` +
	`dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?|` +
	`dkr-ecr(?:-fips)?\.([a-z0-9-]+)\.on\.aws)$`)

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

// ECR has the credentials for registries of Amazon ECR, by one identity in AWS. It keeps the token of each region
// until it expires. It is safe for concurrent use.
type ECR struct {
	api func(region string) ECRAPI
	now func() time.Time

	mu     sync.Mutex
	tokens map[string]ecrToken
}

type ecrToken struct {
	credential auth.Credential
	expires    time.Time
}

// NewECR returns the credentials of an identity. api returns its client for a region.
func NewECR(api func(region string) ECRAPI, now func() time.Time) *ECR {
	return &ECR{api: api, now: now, tokens: map[string]ecrToken{}}
}

// credential returns the credentials for the registries of a region (GetAuthorizationToken, once in 12 hours).
// Concurrent callers share one call.
func (e *ECR) credential(ctx context.Context, region string) (auth.Credential, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t, ok := e.tokens[region]; ok && e.now().Before(t.expires.Add(-renewBefore)) {
		return t.credential, nil
	}
	out, err := e.api(region).GetAuthorizationToken(ctx, &ecr.GetAuthorizationTokenInput{})
	if err != nil {
		return auth.EmptyCredential, fmt.Errorf("cannot get credentials for Amazon ECR in %s: %w", region,
			awserr.Sanitize(err))
	}
	t, err := parseToken(out)
	if err != nil {
		return auth.EmptyCredential, err
	}
	e.tokens[region] = t
	return t.credential, nil
}

func parseToken(out *ecr.GetAuthorizationTokenOutput) (ecrToken, error) {
	errToken := errors.New("the token that Amazon ECR returned is not one")
	if len(out.AuthorizationData) == 0 {
		return ecrToken{}, errToken
	}
	data := out.AuthorizationData[0]
	b, err := base64.StdEncoding.DecodeString(ptr.Deref(data.AuthorizationToken, ""))
	user, password, ok := strings.Cut(string(b), ":")
	if err != nil || !ok {
		return ecrToken{}, errToken
	}
	return ecrToken{
		credential: auth.Credential{Username: user, Password: password},
		expires:    ptr.Deref(data.ExpiresAt, time.Time{}),
	}, nil
}
