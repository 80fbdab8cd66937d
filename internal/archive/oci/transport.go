package oci

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

const (
	dialTimeout   = 10 * time.Second
	answerTimeout = 30 * time.Second
	idleTimeout   = 90 * time.Second
	maxIdle       = 16
)

// newTransport returns a transport to the hosts that are allowed.
func newTransport(hosts egress.Hosts, plainLoopback bool) http.RoundTripper {
	inner := hosts.Transport(dialTimeout, answerTimeout)
	inner.MaxIdleConns, inner.IdleConnTimeout = maxIdle, idleTimeout
	return &transport{plain: plainLoopback, inner: inner}
}

// A transport sends requests, those to which a registry redirects included.
type transport struct {
	inner http.RoundTripper
	plain bool
}

// RoundTrip sends a request. It returns a RateLimitError if the server asks to call later.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !(t.plain && isLoopback(req.URL.Host)) {
		return nil, errPlain
	}
	res, err := t.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if after := res.Header.Get("Retry-After"); res.StatusCode == http.StatusTooManyRequests ||
		res.StatusCode == http.StatusServiceUnavailable && after != "" {
		_ = res.Body.Close() // It is not read.
		return nil, &RateLimitError{Host: req.URL.Hostname(), After: retryAfter(after)}
	}
	return res, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// retryAfter returns the delay of a header Retry-After, 0 if it has none. Its form with a date is not read, as it
// would take the clock of the registry.
func retryAfter(s string) time.Duration {
	seconds, err := strconv.Atoi(s)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, int(maxRetryAfter.Seconds()))) * time.Second
}

// checkRedirect sends credentials to the host only that the request was made for.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	if !sameOrigin(via[0].URL, req.URL) {
		if req.Body != nil && req.Body != http.NoBody {
			return errBody
		}
		req.Header.Del("Authorization")
	}
	return nil
}

// isLoopback reports whether a host, with or without a port, is on the loopback interface.
func isLoopback(hostport string) bool {
	host, _ := egress.SplitHost(hostport)
	host = egress.Host(host)
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && egress.Address(a).IsLoopback()
}
