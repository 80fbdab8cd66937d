package store

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
)

const (
	// dialTimeout is the time in which a host has to answer.
	dialTimeout = 10 * time.Second

	// maxDownload is the size of the largest artifact that is downloaded, in bytes.
	maxDownload = 300 << 20

	// silence is the time in which a download has to begin or to go on, and perMiB the time that it may take in
	// addition for each MiB, so that a server that sends a byte now and then does not keep a slot.
	silence = 30 * time.Second
	perMiB  = 2 * time.Second
)

var errRedirect = errors.New("the server redirects, which the provider does not follow")

// A downloader downloads the artifacts of Flux's sources from allowed hosts.
type downloader struct {
	hosts  egress.Hosts
	client *http.Client
}

func newDownloader(h egress.Hosts) downloader {
	t := h.Transport(dialTimeout, dialTimeout)
	t.IdleConnTimeout, t.DisableCompression = time.Minute, true
	return downloader{hosts: h, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
		Transport:     t,
	}}
}

// shown returns the part of a URL that is shown to users: a password or a token in it is not for all of them.
func shown(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return "the URL of its status"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// stable returns an error of a download without what differs each time: addresses, ports and the time.
func stable(err error) error {
	if failed := (*net.DNSError)(nil); errors.As(err, &failed) {
		return errors.New("the name of the host cannot be resolved")
	}
	if failed := (*tls.CertificateVerificationError)(nil); errors.As(err, &failed) {
		return errors.New("the server's certificate is not trusted, has expired, or is for another host")
	}
	if failed := (*net.OpError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// artifact writes an artifact. It reads no more bytes than the artifact's status says, or than maxDownload.
func (d downloader) artifact(ctx context.Context, namespace string, a flux.Artifact, w io.Writer) error {
	limit := int64(maxDownload)
	if a.Size > limit {
		return tooLarge()
	}
	if a.Size > 0 {
		limit = a.Size
	}
	if err := flux.CheckDigest(a.Digest); err != nil {
		return err
	}
	want := digest.Digest(a.Digest)
	digester := want.Algorithm().Digester()
	res, err := d.get(ctx, namespace, a.URL)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // Nothing is written.
	if res.ContentLength > limit {
		return tooLarge()
	}
	n, err := io.Copy(io.MultiWriter(w, digester.Hash()), io.LimitReader(res.Body, limit+1))
	switch {
	case err != nil:
		return err
	case n > limit && a.Size > 0:
		return errors.Errorf("it is larger than the %d bytes of the source's status", a.Size)
	case n > limit:
		return tooLarge()
	}
	if got := digester.Digest(); got != want {
		return errors.Errorf("its digest is %s of %d bytes, but the source's status says %s: nothing is deployed",
			got.Encoded(), n, want)
	}
	return nil
}

func (d downloader) get(ctx context.Context, namespace, at string) (*http.Response, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, egress.ErrURL
	}
	if err := d.hosts.CheckURL(u); err != nil {
		return nil, err
	}
	if err := checkPath(u.Path, namespace); err != nil {
		return nil, err
	}
	u.User = nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, egress.ErrURL
	}
	res, err := d.client.Do(req)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // Its URL is told already.
	}
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close() // It is not read.
		return nil, errors.Errorf("the server answers %s: the source may have a newer artifact", res.Status)
	}
	return res, nil
}

// checkPath returns an error unless the path of an artifact is the one that Flux gives those of a namespace:
// /<kind>/<namespace>/<name>/<file>. The server cleans paths, so that one with .. may be any other.
func checkPath(at, namespace string) error {
	parts := strings.Split(at, "/")
	if len(parts) < 5 || parts[2] != namespace || path.Clean(at) != at { //nolint:mnd // The parts above.
		return errors.Errorf("the path of the URL is not that of an artifact of namespace %s: "+
			"/<kind>/%s/<name>/<file>", namespace, namespace)
	}
	return nil
}

func tooLarge() error {
	return errors.Errorf("it is larger than %d MB", maxDownload>>20)
}

var errSlow = errors.New("the server sends too slowly")

// timely returns a writer that ends another one if that writes too slowly.
func timely(write writer) writer {
	return func(ctx context.Context, w io.Writer) error {
		ctx, end := context.WithCancelCause(ctx)
		defer end(nil)
		//nolint:forbidigo // It ends a download in the background. No code waits for it.
		p := &paced{to: w, began: time.Now(), timer: time.AfterFunc(silence, func() { end(errSlow) })}
		defer p.timer.Stop()
		err := write(ctx, p)
		if err != nil && errors.Is(context.Cause(ctx), errSlow) {
			return errSlow
		}
		return err
	}
}

// A paced writer has a timer that ends a download.
type paced struct {
	to    io.Writer
	began time.Time
	moved int64
	timer *time.Timer
}

// Write writes bytes, which gives the download more time.
func (p *paced) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.moved += int64(n)
	left := silence + time.Duration(p.moved)*perMiB/(1<<20) - time.Since(p.began) //nolint:forbidigo // As above.
	p.timer.Reset(min(silence, left))
	return n, err
}
