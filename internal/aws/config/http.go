package config

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

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
		return nil, fmt.Errorf("caBundle contains no readable certificate: use PEM blocks of type CERTIFICATE")
	}
	return c, nil
}

func systemRoots() *x509.CertPool {
	if roots, err := x509.SystemCertPool(); err == nil {
		return roots
	}
	return x509.NewCertPool()
}

// clients of a config that has no authorities of its own: one pool of connections for all
// of these, where the SDK would make one for each client of each service, and one for
// the endpoints that tenants name.
type clients struct {
	mu      sync.Mutex
	shared  aws.HTTPClient
	guarded aws.HTTPClient
}

// finish the client of a config: the SDK changes it no more.
func (r *Resolver) finish(s settings, c aws.HTTPClient) aws.HTTPClient {
	b, ok := c.(*awshttp.BuildableClient)
	if !ok {
		return c
	}
	rest := r.cached(s, &r.clients.shared, func() aws.HTTPClient { return r.bounded(b.GetTransport()) })
	if !s.foreign() {
		return rest
	}
	own := r.cached(s, &r.clients.guarded, func() aws.HTTPClient { return r.bounded(r.guard().transport(b.GetTransport())) })
	return routedClient{own: func(id string) bool { return overrides(s.Endpoint, id) }, to: own, rest: rest}
}

func (r *Resolver) bounded(t *http.Transport) aws.HTTPClient {
	t.MaxResponseHeaderBytes = headerBytes
	return boundedClient{transport: t, silence: r.options.Silence}
}

// cached makes a client that configs share, unless the config has authorities of its own.
func (r *Resolver) cached(s settings, shared *aws.HTTPClient, fresh func() aws.HTTPClient) aws.HTTPClient {
	if s.CABundle != nil {
		return fresh()
	}
	r.clients.mu.Lock()
	defer r.clients.mu.Unlock()
	if *shared == nil {
		*shared = fresh()
	}
	return *shared
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
