package config

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// authenticate returns an aws.Config whose credentials are those of a config,
// after its chain of roles. It makes no call.
func (r *Resolver) authenticate(ctx context.Context, s settings, m material, tags sessionTags, region string) (aws.Config, error) {
	cfg, err := r.load(ctx, s, region)
	if err != nil {
		return aws.Config{}, err
	}
	switch {
	case m.keys.HasKeys():
		cfg.Credentials = credentials.StaticCredentialsProvider{Value: m.keys}
	case m.token != nil:
		cfg.Credentials = r.renew(stscreds.NewWebIdentityRoleProvider(stsClient(cfg), m.roleARN, token(m.token), func(o *stscreds.WebIdentityRoleOptions) {
			o.RoleSessionName = nameOr(s.web.sessionName)
		}))
	default:
		chain, err := r.defaultChain(ctx, s, cfg)
		if err != nil {
			return aws.Config{}, err
		}
		cfg.Credentials = r.renew(chain)
	}
	for _, role := range s.AssumeRoleChain {
		cfg.Credentials = r.renew(assumeRole(cfg, role, tags))
	}
	return cfg, nil
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
	if s.CABundle == nil {
		cfg.HTTPClient = r.sharedClient(cfg.HTTPClient)
	} else {
		cfg.HTTPClient = freeze(cfg.HTTPClient)
	}
	if r.options.STSEndpoint != "" {
		url := r.options.STSEndpoint
		cfg.ServiceOptions = append(cfg.ServiceOptions, func(_ string, options any) {
			if o, ok := options.(*sts.Options); ok {
				o.BaseEndpoint = &url
			}
		})
	}
	overrideEndpoint(&cfg, s.ConnectionSpec)
	return cfg, nil
}

func (r *Resolver) loadOptions(s settings, region string, c *awshttp.BuildableClient) []func(*awsconfig.LoadOptions) error {
	o := []func(*awsconfig.LoadOptions) error{
		awsconfig.WithRegion(region),
		awsconfig.WithHTTPClient(c),
		awsconfig.WithRetryer(newRetryer),
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

func (r *Resolver) renew(p aws.CredentialsProvider) aws.CredentialsProvider {
	return &renewing{now: r.now, fetch: p}
}

// httpClient of a config: the provider's own, with the authorities of the config.
func (r *Resolver) httpClient(s settings) (*awshttp.BuildableClient, error) {
	if s.CABundle == nil {
		return r.options.HTTPClient, nil
	}
	added := true
	c := r.options.HTTPClient.WithTransportOptions(func(t *http.Transport) {
		tlsConfig := t.TLSClientConfig.Clone()
		if tlsConfig.RootCAs == nil {
			tlsConfig.RootCAs = systemRoots()
		} else {
			tlsConfig.RootCAs = tlsConfig.RootCAs.Clone()
		}
		added = tlsConfig.RootCAs.AppendCertsFromPEM([]byte(*s.CABundle))
		t.TLSClientConfig = tlsConfig
	})
	if !added {
		return nil, fmt.Errorf("caBundle holds no certificate that can be read: give PEM blocks of type CERTIFICATE")
	}
	return c, nil
}

func systemRoots() *x509.CertPool {
	if roots, err := x509.SystemCertPool(); err == nil {
		return roots
	}
	return x509.NewCertPool()
}

// sharedClient keeps one pool of connections for all configs that trust the same
// authorities: the SDK would make one for each client of each service.
func (r *Resolver) sharedClient(c aws.HTTPClient) aws.HTTPClient {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shared == nil {
		r.shared = freeze(c)
	}
	return r.shared
}

// freeze a client: the SDK changes it no more.
func freeze(c aws.HTTPClient) aws.HTTPClient {
	if b, ok := c.(*awshttp.BuildableClient); ok {
		return b.Freeze()
	}
	return c
}

// newRetryer tries once more, at once, what failed on the way or in AWS. Whatever
// needs time comes back with the resource: a reconcile does not sleep.
func newRetryer() aws.Retryer { return retryer(2) }

func retryer(attempts int) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = attempts
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			if awserr.IsThrottled(err) {
				return aws.FalseTernary
			}
			return aws.UnknownTernary
		})}, retry.DefaultRetryables...)
	})
}

// stsClient tries more often: what it fetches is shared by many.
func stsClient(cfg aws.Config) *sts.Client {
	return sts.NewFromConfig(cfg, func(o *sts.Options) { o.Retryer = retryer(3) })
}

func nameOr(name string) string {
	if name == "" {
		return defaultSessionName
	}
	return name
}
