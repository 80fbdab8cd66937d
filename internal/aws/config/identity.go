package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// An identity is an authenticated aws.Config, and whom AWS takes it for.
type identity struct {
	Identity

	aws aws.Config
}

// identify a config: authenticate, and ask STS who that is unless told not to.
func (r *Resolver) identify(ctx context.Context, s settings, m material, e *entry, tags sessionTags, region string) (identity, error) {
	cfg, err := r.authenticate(ctx, s, m, e, tags, region)
	if err != nil {
		return identity{}, err
	}
	if s.SkipRequestingAccountID {
		return identity{aws: cfg, Identity: Identity{Account: guessAccount(s, m)}}, nil
	}
	out, err := stsClient(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	switch {
	case err == nil:
		return identity{aws: cfg, Identity: Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn)}}, nil
	case s.SkipCredentialsValidation:
		return identity{aws: cfg, Identity: Identity{Account: guessAccount(s, m)}}, nil
	default:
		return identity{}, cannotAuthenticate(err)
	}
}

func cannotAuthenticate(err error) error {
	return fmt.Errorf("AWS does not accept its credentials: %w", awserr.Clean(err))
}

// guessAccount without asking: that of the last role, or a name that stands for
// the account of these keys. It only keeps the quotas of accounts apart.
func guessAccount(s settings, m material) string {
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
