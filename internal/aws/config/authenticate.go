package config

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	smithylog "github.com/aws/smithy-go/logging"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/spans"
)

// sourceAssumeRole is where the credentials of a role in a chain come from.
const sourceAssumeRole = "AssumeRole"

// authenticate returns an aws.Config whose credentials are those of a config,
// after its chain of roles. It makes no call. What does not depend on a resource
// is shared by all, so that it is fetched once.
func (r *Resolver) authenticate(ctx context.Context, s settings, m rawCredentials, e *entry, tags sessionTags, region string) (aws.Config, error) {
	shared := s.withoutResourceTags()
	cfg, err := r.cache.shared(e, partitionOf(region)).get(ctx, func(ctx context.Context) (aws.Config, error) {
		return r.authenticateShared(ctx, shared, m, region)
	})
	if err != nil {
		return aws.Config{}, err
	}
	return r.assume(cfg, s.AssumeRoleChain[len(shared.AssumeRoleChain):], tags), nil
}

// assume roles, one after the other.
func (r *Resolver) assume(cfg aws.Config, chain []v1beta1.AssumeRoleOptions, tags sessionTags) aws.Config {
	for _, role := range chain {
		cfg.Credentials = r.renew(sourceAssumeRole, assumeRole(cfg, role, tags))
	}
	return cfg
}

// authenticateShared is authenticate without the roles that depend on a resource.
func (r *Resolver) authenticateShared(ctx context.Context, s settings, m rawCredentials, region string) (aws.Config, error) {
	cfg, err := r.load(ctx, s, region)
	if err != nil {
		return aws.Config{}, err
	}
	switch {
	case m.keys.HasKeys():
		cfg.Credentials = credentials.StaticCredentialsProvider{Value: m.keys}
	case m.token != nil:
		cfg.Credentials = r.renew(string(s.source), stscreds.NewWebIdentityRoleProvider(stsClient(cfg), m.roleARN, token(m.token), func(o *stscreds.WebIdentityRoleOptions) {
			o.RoleSessionName = nameOr(s.web.sessionName)
		}))
	default:
		chain, err := r.defaultChain(ctx, s, cfg)
		if err != nil {
			return aws.Config{}, err
		}
		cfg.Credentials = r.renew(string(s.source), chain)
	}
	return r.assume(cfg, s.AssumeRoleChain, sessionTags{}), nil
}

// load what holds for all clients of a config: region, endpoints, HTTP, retries.
// The provider's environment counts, but for what it says of credentials.
func (r *Resolver) load(ctx context.Context, s settings, region string) (aws.Config, error) {
	httpClient, err := r.httpClient(s)
	if err != nil {
		return aws.Config{}, err
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, append(r.loadOptions(s, region, httpClient),
		awsconfig.WithCredentialsProvider(aws.AnonymousCredentials{}),
		awsconfig.WithSharedConfigFiles([]string{}),
		awsconfig.WithSharedCredentialsFiles([]string{}),
	)...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("cannot set up the AWS SDK: %w", err)
	}
	cfg.HTTPClient = r.finish(s, cfg.HTTPClient)
	if r.options.STSEndpoint != "" {
		url := r.options.STSEndpoint
		cfg.ServiceOptions = append(cfg.ServiceOptions, func(_ string, options any) {
			if o, ok := options.(*sts.Options); ok {
				o.BaseEndpoint = &url
			}
		})
	}
	overrideEndpoint(&cfg, s.ConnectionSpec)
	spans.AddTo(&cfg, r.options.Tracer)
	r.options.Measure.AddTo(&cfg)
	s.distrust(&cfg)
	return cfg, nil
}

func (r *Resolver) loadOptions(s settings, region string, c *awshttp.BuildableClient) []func(*awsconfig.LoadOptions) error {
	o := []func(*awsconfig.LoadOptions) error{
		awsconfig.WithRegion(region),
		awsconfig.WithHTTPClient(c),
		awsconfig.WithRetryer(newRetryer),
		awsconfig.WithLogger(smithylog.Nop{}), // What the SDK has to say of single calls, such as those to S3, is no line of this log.
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

// defaultChain is the SDK's own: environment, web identity token (IRSA), shared
// files, Pod Identity and other endpoints of a container, the node's role.
func (r *Resolver) defaultChain(ctx context.Context, s settings, cfg aws.Config) (aws.CredentialsProvider, error) {
	httpClient, err := r.httpClient(s)
	if err != nil {
		return nil, err
	}
	chain, err := awsconfig.LoadDefaultConfig(ctx, append(r.loadOptions(s, cfg.Region, httpClient),
		awsconfig.WithWebIdentityRoleCredentialOptions(func(o *stscreds.WebIdentityRoleOptions) {
			o.Client = stsClient(cfg)
			o.RoleSessionName = nameOr(o.RoleSessionName)
		}),
	)...)
	if err != nil {
		return nil, fmt.Errorf("cannot set up AWS's default credential chain: %w", err)
	}
	return chainCredentials{chain.Credentials}, nil
}

// chainCredentials are those of the SDK's default chain without its cache, which
// goes by a clock of its own.
type chainCredentials struct{ aws.CredentialsProvider }

// Retrieve credentials anew.
func (c chainCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	if cache, ok := c.CredentialsProvider.(*aws.CredentialsCache); ok {
		cache.Invalidate()
	}
	return c.CredentialsProvider.Retrieve(ctx)
}

// A token is a web identity token as it was read.
type token []byte

// GetIdentityToken returns the token.
func (t token) GetIdentityToken() ([]byte, error) { return t, nil }

// renew credentials before they expire. What they come from is told to the metrics: a
// source of v1beta1, or sourceAssumeRole.
func (r *Resolver) renew(source string, p aws.CredentialsProvider) aws.CredentialsProvider {
	return &renewing{now: r.now, fetch: r.options.Measure.Credentials(source, p)}
}

func nameOr(name string) string {
	if name == "" {
		return defaultSessionName
	}
	return name
}
