package session

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts/types"
	smithylog "github.com/aws/smithy-go/logging"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
)

const (
	// sourceAssumeRole is the source of credentials of a role in a chain, in metrics.
	sourceAssumeRole = "AssumeRole"
	// defaultSessionName is the session name of roles that the provider assumes.
	defaultSessionName = "provider-lambda"
	// defaultDuration is the lifetime of their credentials. AWS allows it for any role.
	defaultDuration = time.Hour
)

// A login holds what an identity of a config depends on.
type login struct {
	settings
	rawCredentials

	entry *entry
	tags  sessionTags
	// region is the one in which STS is called.
	region string
}

// authenticate returns an aws.Config with the credentials of a login after its chain of roles. It
// makes no call. The part that does not depend on the resource is cached for all resources.
func (r *Resolver) authenticate(ctx context.Context, l login) (aws.Config, error) {
	shared, chain := l, l.AssumeRoleChain
	shared.settings = l.withoutResourceTags()
	cfg, err := r.cache.shared(l.entry, l.region).get(ctx, func(ctx context.Context) (aws.Config, error) {
		return r.authenticateShared(ctx, shared)
	})
	if err != nil {
		return aws.Config{}, err
	}
	return r.assume(cfg, chain[len(shared.AssumeRoleChain):], l.tags), nil
}

// authenticateShared returns an aws.Config with the credentials of a login after the roles that do
// not depend on a resource.
func (r *Resolver) authenticateShared(ctx context.Context, l login) (aws.Config, error) {
	cfg, err := r.load(ctx, l.settings, l.region)
	if err != nil {
		return aws.Config{}, err
	}
	source := string(l.credentials.Source)
	switch {
	case l.keys.HasKeys():
		cfg.Credentials = credentials.StaticCredentialsProvider{Value: l.keys}
	case l.token != "":
		current := token(func() string { return r.cache.tokenOf(l.entry) })
		cfg.Credentials = r.renew(source, stscreds.NewWebIdentityRoleProvider(stsClient(cfg), l.roleARN, current,
			func(o *stscreds.WebIdentityRoleOptions) {
				o.RoleSessionName = cmp.Or(l.webIdentity().RoleSessionName, defaultSessionName)
			}), nil)
	default:
		cfg.Credentials = r.renew(source, r.defaultChain(l.settings, cfg), nil)
	}
	return r.assume(cfg, l.AssumeRoleChain, sessionTags{}), nil
}

// load returns the aws.Config that all clients of a config begin with: region, endpoints, HTTP,
// retries and middleware. It takes settings from the provider's environment, but no credentials.
func (r *Resolver) load(ctx context.Context, s settings, region string) (aws.Config, error) {
	httpClient, err := r.httpClient(s)
	if err != nil {
		return aws.Config{}, err
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, append(loadOptions(s, region, httpClient),
		awsconfig.WithCredentialsProvider(aws.AnonymousCredentials{}),
		awsconfig.WithSharedConfigFiles([]string{}),
		awsconfig.WithSharedCredentialsFiles([]string{}),
	)...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("cannot set up the AWS SDK: %w", err)
	}
	cfg.HTTPClient = r.finish(s, cfg.HTTPClient)
	overrideEndpoint(&cfg, s.ConnectionSpec)
	cfg.APIOptions = append(cfg.APIOptions, r.middlewares(s).addTo)
	return cfg, nil
}

// loadOptions returns the options of the SDK that a config sets.
func loadOptions(s settings, region string, c *awshttp.BuildableClient) []func(*awsconfig.LoadOptions) error {
	o := []func(*awsconfig.LoadOptions) error{
		awsconfig.WithRegion(region),
		awsconfig.WithHTTPClient(c),
		awsconfig.WithRetryer(newRetryer),
		awsconfig.WithAppID(cloudtrail.AppID),
		// The SDK's notes on single calls, such as those to S3, do not belong in the provider's log.
		awsconfig.WithLogger(smithylog.Nop{}),
	}
	if s.UseFIPSEndpoint {
		o = append(o, awsconfig.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled))
	}
	if s.UseDualStackEndpoint {
		o = append(o, awsconfig.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled))
	}
	if s.SkipMetadataAPICheck {
		o = append(o, awsconfig.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	return o
}

// defaultChain returns the SDK's default credential chain: environment, web identity token (IRSA), shared files, Pod
// Identity and other endpoints of a container, the node's role. The files are read again at each fetch: the SDK reads
// keys in them once.
func (r *Resolver) defaultChain(s settings, cfg aws.Config) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		httpClient, err := r.httpClient(s)
		if err != nil {
			return aws.Credentials{}, err
		}
		chain, err := awsconfig.LoadDefaultConfig(ctx, append(loadOptions(s, cfg.Region, httpClient),
			awsconfig.WithWebIdentityRoleCredentialOptions(func(o *stscreds.WebIdentityRoleOptions) {
				o.Client = stsClient(cfg)
				o.RoleSessionName = cmp.Or(o.RoleSessionName, defaultSessionName)
			}),
		)...)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("cannot set up AWS's default credential chain: %w", err)
		}
		found, err := chain.Credentials.Retrieve(ctx)
		if err != nil {
			return aws.Credentials{}, &awserr.ChainError{Err: err}
		}
		return found, nil
	})
}

// A token returns the current web identity token.
type token func() string

// GetIdentityToken returns the token.
func (t token) GetIdentityToken() ([]byte, error) { return []byte(t()), nil }

// assume returns cfg with the credentials of the last of a chain of roles.
func (r *Resolver) assume(cfg aws.Config, chain []v1beta1.AssumeRoleOptions, tags sessionTags) aws.Config {
	for _, role := range chain {
		cfg.Credentials = r.renew(sourceAssumeRole, assumeRole(cfg, role, tags), cfg.Credentials)
	}
	return cfg
}

// assumeRole returns the credentials of a role that is assumed with those of cfg.
func assumeRole(cfg aws.Config, role v1beta1.AssumeRoleOptions, tags sessionTags) aws.CredentialsProvider {
	return stscreds.NewAssumeRoleProvider(stsClient(cfg), aws.ToString(role.RoleARN),
		func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = cmp.Or(aws.ToString(role.RoleSessionName), defaultSessionName)
			o.Duration = time.Duration(ptr.Deref(role.DurationSeconds,
				int32(defaultDuration/time.Second))) * time.Second
			o.ExternalID = role.ExternalID
			o.Policy = role.Policy
			for _, arn := range role.PolicyARNs {
				o.PolicyARNs = append(o.PolicyARNs, types.PolicyDescriptorType{Arn: aws.String(arn)})
			}
			for _, t := range role.Tags {
				o.Tags = append(o.Tags, types.Tag{Key: aws.String(t.Key), Value: aws.String(t.Value)})
			}
			for _, name := range role.ResourceTags {
				if key, value := tags.tag(name); key != "" {
					o.Tags = append(o.Tags, types.Tag{Key: aws.String(key), Value: aws.String(*value)})
				}
			}
			o.TransitiveTagKeys = role.TransitiveTagKeys
		})
}

// renew returns credentials that are cached, renewed before they expire, and counted in the metrics
// under their source: one of v1beta1, or sourceAssumeRole. signer has the credentials that sign the calls of p.
func (r *Resolver) renew(source string, p, signer aws.CredentialsProvider) *renewing {
	p = r.options.Measure.Credentials(source, p)
	return &renewing{provider: p, signer: signer, cached: cached[aws.Credentials]{
		now: r.now,
		expiry: func(c aws.Credentials) (time.Time, bool) {
			if !c.HasKeys() {
				return time.Time{}, true // They are of no use.
			}
			return c.Expires, c.CanExpire
		},
	}}
}

// stsRegion returns the region in which STS is called for a resource: the provider's own region,
// which it certainly reaches, or the one of the resource if that is in another partition.
func (r *Resolver) stsRegion(region string) string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if own, ok := r.options.LookupEnv(name); ok && own != "" {
			if PartitionOf(own) == PartitionOf(region) {
				return own
			}
			break
		}
	}
	return region
}

// homeRegion returns the region in which STS is called for a config that no resource has used: the
// provider's own region, or the main one of the config's partition.
func (r *Resolver) homeRegion(s settings, m rawCredentials) string {
	partition := defaultPartition
	if s.Endpoint != nil && s.Endpoint.PartitionID != nil {
		partition = *s.Endpoint.PartitionID
	}
	roles := []string{m.roleARN}
	for _, role := range s.AssumeRoleChain {
		roles = append(roles, aws.ToString(role.RoleARN))
	}
	for _, role := range roles {
		if a, err := arn.Parse(role); err == nil {
			partition = a.Partition
		}
	}
	return r.stsRegion(cmp.Or(mainRegions[partition], mainRegions[defaultPartition]))
}
