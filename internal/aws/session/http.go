package session

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// httpClient returns the HTTP client of a config: the provider's own, with the certificate authorities of the config.
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

// systemRoots returns the certificate authorities of the system, none if they cannot be read.
func systemRoots() *x509.CertPool {
	if roots, err := x509.SystemCertPool(); err == nil {
		return roots
	}
	return x509.NewCertPool()
}

// finish returns the client that the SDK uses for a config, after it has added the certificates of AWS_CA_BUNDLE to c.
func (r *Resolver) finish(s settings, c aws.HTTPClient) aws.HTTPClient {
	b, ok := c.(*awshttp.BuildableClient)
	if !ok {
		return c
	}
	rest := r.bounded(s, &r.clients.shared, b.GetTransport)
	if !s.foreign() {
		return rest
	}
	tenants := r.bounded(s, &r.clients.guarded, func() *http.Transport {
		return guarded(b.GetTransport(), r.endpointHosts())
	})
	return routedClient{endpoint: s.Endpoint, to: tenants, rest: rest}
}

// bounded returns the shared client, made if there is none yet, or a new one if the config has
// certificate authorities of its own.
func (r *Resolver) bounded(s settings, shared *aws.HTTPClient, transport func() *http.Transport) aws.HTTPClient {
	fresh := func() aws.HTTPClient {
		t := transport()
		t.MaxResponseHeaderBytes = headerBytes
		return boundedClient{transport: t, silence: r.options.Silence}
	}
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

// A routedClient sends the calls of services that a config's endpoint is for with one client, and
// the others with another.
type routedClient struct {
	endpoint *v1beta1.EndpointConfig
	to, rest aws.HTTPClient
}

// Do sends a request with the client of its service.
func (c routedClient) Do(r *http.Request) (*http.Response, error) {
	if overrides(c.endpoint, awsmiddleware.GetServiceID(r.Context())) {
		return c.to.Do(r)
	}
	return c.rest.Do(r)
}

// newRetryer returns a Retryer that repeats a call at once, and only once, if it failed on the network
// or in AWS. Other failures are retried by the next reconcile: a reconcile does not sleep.
func newRetryer() aws.Retryer { return retryer(2) }

// retryer returns a Retryer that makes a number of attempts without a delay, and does not repeat throttled calls.
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

// stsClient returns a client of STS. It makes more attempts, since many resources share the result.
func stsClient(cfg aws.Config) *sts.Client {
	return sts.NewFromConfig(cfg, func(o *sts.Options) { o.Retryer = retryer(3) })
}

// A boundedClient sends requests, and reads no more of a response than its operation can have. So
// neither a host that sends without end, nor one that sends hardly anything, occupies a worker. It follows no
// redirect, which could lead to any host.
type boundedClient struct {
	transport http.RoundTripper
	// silence replaces that of the bounds, for tests. 0 keeps it.
	silence time.Duration
}

// Do sends a request and returns the response, whose body it bounds.
func (c boundedClient) Do(r *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancelCause(r.Context())
	service := awsmiddleware.GetServiceID(ctx)
	b := boundOf(service, awsmiddleware.GetOperationName(ctx))
	if c.silence > 0 && b.wait > 0 {
		b.wait = c.silence
	}
	w := newWatch(ctx, end, r.URL.Hostname(), cmp.Or(c.silence, silence))
	r = r.WithContext(ctx)
	if r.Body == nil || r.Body == http.NoBody {
		w.sent(b.wait)
	} else {
		r.Body = &upload{ReadCloser: r.Body, watch: w, wait: b.wait, left: r.ContentLength}
	}
	res, err := c.transport.RoundTrip(r)
	if err != nil {
		w.stop()
		return nil, &url.Error{Op: r.Method, URL: r.URL.Scheme + "://" + r.URL.Host, Err: w.cause(err)}
	}
	if isRedirect(service, res.StatusCode) {
		_ = res.Body.Close() // It is not read.
		w.stop()
		return nil, awserr.Redirect(r.URL.Hostname(), res.StatusCode)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		b = usual // The SDK keeps an error in memory, also that of an operation whose response it streams.
	}
	w.answered()
	res.Body = &download{
		ReadCloser: http.MaxBytesReader(nil, res.Body, b.bytes), watch: w,
		values: valuesOf(r, res.StatusCode), most: b.most(),
	}
	return res, nil
}

// isRedirect reports whether a response is a redirect. Those of S3 are not: they say, in a form that
// the SDK understands, that a bucket is in another region.
func isRedirect(service string, status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return service != "S3"
	default:
		return false
	}
}

// A watch ends a call when nothing was sent or received for a while, or too little.
type watch struct {
	ctx     context.Context //nolint:containedctx // It is that of one call.
	host    string
	end     context.CancelCauseFunc
	silence time.Duration
	timer   *time.Timer

	mu sync.Mutex
	// answers is true once the response has begun.
	answers  bool
	finished bool
	// began is the time when the body of the request or of the response began, and moved the bytes of it that have
	// passed.
	began time.Time
	moved int64
}

func newWatch(ctx context.Context, end context.CancelCauseFunc, host string, silence time.Duration) *watch {
	w := &watch{ctx: ctx, end: end, host: host, silence: silence}
	w.begin()
	//nolint:forbidigo // It ends a call. No code waits for it.
	w.timer = time.AfterFunc(silence, func() { w.end(&awserr.SilentError{Host: host}) })
	return w
}

// begin notes that a body begins.
func (w *watch) begin() {
	w.began, w.moved = time.Now(), 0 //nolint:forbidigo // Like the timer, it only ends a call.
}

// activity notes that a part of a body was sent or received.
func (w *watch) activity(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved += int64(n)
	left := w.silence + time.Duration(w.moved)*perMiB/mib - time.Since(w.began) //nolint:forbidigo // As above.
	w.allow(min(w.silence, max(left, 0)))
}

// sent notes that the whole request was sent, and how long the response may take to begin.
func (w *watch) sent(wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answers { // A host may answer before it has taken all.
		w.allow(wait)
	}
}

// answered notes that the response has begun.
func (w *watch) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = true
	w.begin()
	w.allow(w.silence)
}

// allow ends the call after a silence, or never if that is negative. The caller holds the lock.
func (w *watch) allow(d time.Duration) {
	switch {
	case w.finished:
	case d < 0:
		w.timer.Stop()
	default:
		w.timer.Reset(d)
	}
}

// stop ends the watch after the call has ended.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	w.timer.Stop()
	w.end(nil)
}

// cause returns the cause of an error: the silence, if the watch has ended the call.
func (w *watch) cause(err error) error {
	// It is that of the watch itself.
	if silent, ok := context.Cause(w.ctx).(*awserr.SilentError); ok { //nolint:errorlint // See above.
		return silent
	}
	return err
}

// An upload is the body of a request.
type upload struct {
	io.ReadCloser

	watch *watch
	wait  time.Duration
	// left is the number of bytes that are still to be sent, negative if unknown.
	left int64
}

// Read reads the next part of the request.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	u.left -= int64(n)
	if err == io.EOF || u.left == 0 {
		u.watch.sent(u.wait)
	} else {
		u.watch.activity(n)
	}
	return n, err
}

// A download is the body of a response, decompressed.
type download struct {
	io.ReadCloser

	watch *watch

	// values counts the values of what it is given. It is nil if there is nothing to count, and most is how many there
	// may be.
	values func(part []byte) int
	most   int
}

// Read reads the next part of the response.
func (d *download) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if n > 0 {
		d.watch.activity(n)
		lambdaapi.Received(d.watch.ctx, n)
		if d.values != nil && d.values(p[:n]) > d.most {
			return 0, awserr.Overfull(d.watch.host, d.most)
		}
	}
	if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return n, awserr.Oversize(d.watch.host, long.Limit)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // A reader returns it as it is.
		err = d.watch.cause(err)
	}
	return n, err
}

// Close closes the body, which ends the call.
func (d *download) Close() error {
	err := d.ReadCloser.Close()
	d.watch.stop()
	return err
}
