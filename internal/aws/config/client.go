package config

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// A boundedClient sends requests, and takes of an answer no more than its operation can
// have: neither a host that sends without end, nor one that sends nothing, holds up the
// provider. It follows no redirect, which could lead anywhere.
type boundedClient struct {
	transport http.RoundTripper
	// silence in place of that of bounds, for tests. 0 is that of bounds.
	silence time.Duration
}

// Do sends a request of the SDK's.
func (c boundedClient) Do(r *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancelCause(r.Context())
	service := awsmiddleware.GetServiceID(ctx)
	b := c.bound(service, awsmiddleware.GetOperationName(ctx))
	w := newWatch(ctx, end, r.URL.Hostname(), b.silence)
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
		_ = res.Body.Close() // Nothing of it is of use.
		w.stop()
		return nil, &awserr.RedirectError{Host: r.URL.Hostname(), Status: res.StatusCode}
	}
	w.answered()
	res.Body = &download{ReadCloser: res.Body, watch: w, left: b.bytes, limit: b.bytes}
	return res, nil
}

// limits of a call.
type limits struct {
	bound

	silence time.Duration
}

func (c boundedClient) bound(service, operation string) limits {
	l := limits{bound: boundOf(service, operation), silence: silence}
	if c.silence > 0 {
		l.silence = c.silence
		if l.wait > 0 {
			l.wait = c.silence
		}
	}
	return l
}

// isRedirect says whether an answer sends the caller elsewhere. S3 tells by such answers
// that a bucket lies in another region, in a form that the SDK understands.
func isRedirect(service string, status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return service != "S3"
	default:
		return false
	}
}

// A watch ends a call when nothing has come or gone for a while.
type watch struct {
	ctx     context.Context //nolint:containedctx // It is that of one call.
	host    string
	end     context.CancelCauseFunc
	silence time.Duration
	timer   *time.Timer

	mu       sync.Mutex
	answers  bool
	finished bool
}

func newWatch(ctx context.Context, end context.CancelCauseFunc, host string, silence time.Duration) *watch {
	w := &watch{ctx: ctx, end: end, host: host, silence: silence}
	//nolint:forbidigo // It ends a call, and nobody waits for it.
	w.timer = time.AfterFunc(silence, func() { w.end(&awserr.SilentError{Host: host}) })
	return w
}

// heard says that something has come or gone.
func (w *watch) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allow(w.silence)
}

// sent says that the whole request is gone, and how long the answer may take to begin.
func (w *watch) sent(wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.answers { // A host may answer before it has taken all.
		w.allow(wait)
	}
}

// answered says that the answer has begun.
func (w *watch) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = true
	w.allow(w.silence)
}

// allow silence for a while, or without end where that is negative. The lock is held.
func (w *watch) allow(d time.Duration) {
	switch {
	case w.finished:
	case d < 0:
		w.timer.Stop()
	default:
		w.timer.Reset(d)
	}
}

// stop watching: the call is over.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	w.timer.Stop()
	w.end(nil)
}

// cause of an error: the silence that the watch has ended, if it has.
func (w *watch) cause(err error) error {
	if silent, ok := context.Cause(w.ctx).(*awserr.SilentError); ok { //nolint:errorlint // It is that of the watch itself.
		return silent
	}
	return err
}

// An upload is the body of a request.
type upload struct {
	io.ReadCloser

	watch *watch
	wait  time.Duration
	// left to send, as far as that is known.
	left int64
}

// Read what is sent next.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	u.left -= int64(n)
	if err == io.EOF || u.left == 0 {
		u.watch.sent(u.wait)
	} else {
		u.watch.heard()
	}
	return n, err
}

// A download is the body of an answer, unpacked if it came packed.
type download struct {
	io.ReadCloser

	watch       *watch
	left, limit int64
}

// Read what has come.
func (d *download) Read(p []byte) (int, error) {
	if d.left == 0 {
		return d.probe()
	}
	if int64(len(p)) > d.left {
		p = p[:d.left]
	}
	n, err := d.ReadCloser.Read(p)
	d.left -= int64(n)
	if n > 0 {
		d.watch.heard()
	}
	if err != nil && err != io.EOF { //nolint:errorlint // A reader returns it as it is.
		err = d.watch.cause(err)
	}
	return n, err
}

// probe whether an answer that is as long as it may be ends there.
func (d *download) probe() (int, error) {
	var one [1]byte
	n, err := d.ReadCloser.Read(one[:])
	if n > 0 {
		return 0, &awserr.OversizeError{Host: d.watch.host, Limit: d.limit}
	}
	return 0, err
}

// Close the body: the call is over.
func (d *download) Close() error {
	err := d.ReadCloser.Close()
	d.watch.stop()
	return err
}

// A routedClient sends the calls of services that have an endpoint of the config's own
// by one client, and the others by another.
type routedClient struct {
	own  func(service string) bool
	to   aws.HTTPClient
	rest aws.HTTPClient
}

// Do sends a request of the SDK's.
func (c routedClient) Do(r *http.Request) (*http.Response, error) {
	if c.own(awsmiddleware.GetServiceID(r.Context())) {
		return c.to.Do(r)
	}
	return c.rest.Do(r)
}
