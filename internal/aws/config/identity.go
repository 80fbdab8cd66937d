package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/functionname"
)

// An identity is an authenticated aws.Config, and whom AWS takes it for.
type identity struct {
	Identity

	aws aws.Config

	// asked is where the account was asked for: nowhere, at AWS's STS, or at an endpoint.
	asked asked
}

// asked says who told an account.
type asked int

const (
	// nobody was asked: the account is a guess.
	nobody asked = iota
	// atAWS was asked: the STS of AWS, or what the provider's operator put in its place.
	atAWS
	// atEndpoint of the config was asked.
	atEndpoint
)

// scope that the calls of an identity are counted by. Whoever may make a ProviderConfig
// can have an endpoint of theirs claim any account, and answer that its quota is used
// up, so only what AWS has told counts of a namespaced config whose calls go to AWS. An
// administrator's config is taken at its word.
func (i identity) scope(s settings, region string) quota.Scope {
	ownLambda := s.endpointOf("Lambda", region) != ""
	switch {
	case s.namespaced && (i.asked != atAWS || ownLambda):
		return quota.Scope{Account: quota.Unverified, Region: region, Config: string(s.ref.UID)}
	case i.asked == atEndpoint, i.asked == nobody && ownLambda:
		return quota.Scope{Account: i.Account, Region: region, Endpoint: s.endpointOf("STS", region) + s.endpointOf("Lambda", region)}
	default:
		return quota.Scope{Account: i.Account, Region: region}
	}
}

// identify a config: authenticate, and ask STS who that is unless told not to.
func (r *Resolver) identify(ctx context.Context, s settings, m rawCredentials, e *entry, tags sessionTags, region string) (identity, error) {
	cfg, err := r.authenticate(ctx, s, m, e, tags, region)
	if err != nil {
		return identity{}, err
	}
	if s.SkipRequestingAccountID {
		return identity{aws: cfg, Identity: Identity{Account: guessAccount(s, m)}}, nil
	}
	out, err := stsClient(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	switch {
	case err == nil && functionname.IsAccountID(aws.ToString(out.Account)):
		return told(s, cfg, out, region), nil
	case s.SkipCredentialsValidation:
		return identity{aws: cfg, Identity: Identity{Account: guessAccount(s, m)}}, nil
	case err == nil:
		return identity{}, fmt.Errorf("STS does not return a 12-digit account ID: check the endpoint, or set skip_requesting_account_id")
	default:
		return identity{}, cannotAuthenticate(err)
	}
}

// told is the identity that STS has told. It is shown in status, so of an endpoint that is
// not AWS no more is taken than looks like an ARN.
func told(s settings, cfg aws.Config, out *sts.GetCallerIdentityOutput, region string) identity {
	i := identity{aws: cfg, Identity: Identity{Account: aws.ToString(out.Account)}, asked: atAWS}
	if s.endpointOf("STS", region) != "" {
		i.asked = atEndpoint
	}
	if arn := aws.ToString(out.Arn); callerPattern.MatchString(arn) {
		i.ARN = arn
	}
	return i
}

var callerPattern = regexp.MustCompile(`^arn:aws[a-z-]{0,16}:(?:iam|sts)::[0-9]{12}:[A-Za-z0-9+=,.@_/-]{1,640}$`)

// cannotAuthenticate is the error of credentials that could not be fetched or identified. AWS
// may have refused them, or not have been reached.
func cannotAuthenticate(err error) error {
	if awserr.IsUnauthenticated(err) {
		return fmt.Errorf("AWS does not accept the credentials: %w", awserr.Clean(err))
	}
	return awserr.Clean(err)
}

// guessAccount without asking: that of the last role, or a name that stands for
// the account of these keys. It only keeps the quotas of accounts apart.
func guessAccount(s settings, m rawCredentials) string {
	if n := len(s.AssumeRoleChain); n > 0 {
		return accountOf(valueOf(s.AssumeRoleChain[n-1].RoleARN))
	}
	if account := accountOf(m.roleARN); account != "" {
		return account
	}
	of := m.keys.AccessKeyID
	if of == "" {
		of = string(s.source)
	}
	sum := sha256.Sum256([]byte(of + valueOf(endpointOf(s))))
	return "unknown-" + hex.EncodeToString(sum[:4])
}

func endpointOf(s settings) *string {
	if s.Endpoint == nil {
		return nil
	}
	return s.Endpoint.URL.Static
}

// stsRegion is where STS is called for a resource: in the provider's own region,
// which is sure to be reachable, or else in the resource's.
func (r *Resolver) stsRegion(region string) string {
	if own := r.ownRegion(); own != "" && partitionOf(own) == partitionOf(region) {
		return own
	}
	return region
}

// ownRegion is that which the provider's environment names, or nothing.
func (r *Resolver) ownRegion() string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region, ok := r.options.LookupEnv(name); ok && region != "" {
			return region
		}
	}
	return ""
}

// homeRegion is where STS is called for a config itself: in the provider's own
// region, or in one that stands for the config's partition.
func (r *Resolver) homeRegion(s settings) string {
	partition := "aws"
	if s.Endpoint != nil && s.Endpoint.PartitionID != nil {
		partition = *s.Endpoint.PartitionID
	}
	for _, role := range s.AssumeRoleChain {
		if parts := strings.Split(valueOf(role.RoleARN), ":"); len(parts) > 1 {
			partition = parts[1]
		}
	}
	region, ok := mainRegions[partition]
	if !ok {
		region = mainRegions["aws"]
	}
	return r.stsRegion(region)
}

// mainRegions of partitions.
var mainRegions = map[string]string{
	"aws":        "us-east-1",
	"aws-cn":     "cn-north-1",
	"aws-us-gov": "us-gov-west-1",
	"aws-iso":    "us-iso-east-1",
	"aws-iso-b":  "us-isob-east-1",
	"aws-iso-e":  "eu-isoe-west-1",
	"aws-iso-f":  "us-isof-south-1",
	"aws-eusc":   "eusc-de-east-1",
}
