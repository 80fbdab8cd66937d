package analysis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

const (
	// requestTimeout of one check.
	requestTimeout = 5 * time.Second

	// maxBody is the longest response of a web metric, in bytes.
	maxBody = 64 << 10

	// maxPrometheusBody is the longest response of a Prometheus server, in bytes. One element takes less than 1 KiB.
	maxPrometheusBody = 256 << 10

	// Idle connections.
	maxIdle     = 32
	idleTimeout = 90 * time.Second
)

// Errors of a request.
var (
	errRedirect = errors.New("the server redirects, which the provider does not follow")
	errToken    = errors.New("the bearer token is sent over https only: use an https URL")
)

// newTransport returns a transport to allowed hosts.
func newTransport(h egress.Hosts) *http.Transport {
	t := h.Transport(requestTimeout, requestTimeout)
	t.MaxIdleConns, t.IdleConnTimeout = maxIdle, idleTimeout
	return t
}

// A requester sends the requests of one check.
type requester struct {
	hosts     egress.Hosts
	transport http.RoundTripper

	// token is sent to the host, and limit is the maximum length of a response in bytes.
	token string
	limit int64

	// redirects are responses like others, instead of errors.
	redirects bool
}

// client returns an HTTP client of a requester. It follows no redirect.
func (r requester) client() *http.Client {
	return &http.Client{
		Transport:     r,
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// RoundTrip sends a request to an allowed host, with the token, and bounds the response.
func (r requester) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.hosts.CheckURL(req.URL); err != nil {
		return nil, err
	}
	if r.token != "" && req.URL.Scheme != "https" {
		return nil, errToken
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", "provider-lambda")
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	res, err := r.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 3 && !r.redirects {
		_ = res.Body.Close() // It is not read.
		return nil, errRedirect
	}
	res.Body = http.MaxBytesReader(nil, res.Body, r.limit)
	return res, nil
}

// get sends a GET request. The caller closes the body of the response.
func (r requester) get(ctx context.Context, target string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, egress.ErrURL
	}
	req.Header.Set("Accept", "application/json, */*;q=0.5")
	return r.client().Do(req)
}

func isSuccess(status int) bool { return status/100 == 2 }

// explain returns an error of a request without what the server has sent, and without addresses
// and ports, which differ each time.
func explain(err error) error {
	for _, known := range []error{egress.ErrURL, errRedirect, errToken} {
		if errors.Is(err, known) {
			return known
		}
	}
	if refused, ok := errors.AsType[*egress.HostError](err); ok {
		return refused
	}
	if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fmt.Errorf("the response has more than %d KiB", long.Limit>>10) //nolint:mnd // KiB.
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errors.New("the server's certificate is not trusted, or is for another host")
	}
	if awserr.IsTimeout(err) {
		return fmt.Errorf("there is no answer within %s", requestTimeout)
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the name of the host cannot be resolved")
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return errors.New("the host does not accept the connection")
	}
	return errors.New("the request failed: the server closed the connection, or its answer is not HTTP")
}

func hostOf(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return "the server"
	}
	return strings.ToValidUTF8(u.Host, "")
}
