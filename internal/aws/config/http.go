package config

import (
	"crypto/x509"
	"fmt"
	"net/http"
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
