// Package oci reads archives from OCI registries: what a reference points to, the one layer of an artifact, and the
// signatures that belong to it. It trusts no registry: sizes are bounded, digests are checked, and the caller says
// which hosts may be called.
package oci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/opencontainers/go-digest"
	"k8s.io/utils/lru"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// Options of a Client.
type Options struct {
	// Hosts are the hosts that may be called: registries, the services that issue their tokens, and the hosts that they
	// redirect to, such as those of Amazon S3.
	Hosts egress.Hosts

	// PlainLoopback allows plain HTTP for registries on loopback addresses, as in tests and in the demo. All others
	// are called by HTTPS only.
	PlainLoopback bool
}

// A Client reads from OCI registries. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	plain bool

	// issued has the tokens of registries.
	issued *lru.Cache
}

// New returns a client.
func New(o Options) *Client {
	return &Client{
		http:   &http.Client{Transport: newTransport(o.Hosts, o.PlainLoopback), CheckRedirect: checkRedirect},
		plain:  o.PlainLoopback,
		issued: lru.New(maxTokens),
	}
}

// Digest returns the digest that a reference points to, such as sha256:0f3a. A reference that has a digest costs no
// request. A tag costs one HEAD, or a GET if the registry does not answer HEAD with a digest; and two more
// requests if it asks for a new token. For its errors, see ErrNotFound.
func (c *Client) Digest(ctx context.Context, ref string, a Auth) (string, error) {
	r, err := parse(ref)
	if err != nil {
		return "", err
	}
	if d, err := r.Digest(); err == nil {
		return checkDigest(ref, d)
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	repo, err := c.repository(ctx, r, a)
	if err != nil {
		return "", err
	}
	d, err := resolve(ctx, repo, r.Reference)
	if err != nil {
		return "", explain("look up "+ref, err)
	}
	return checkDigest(ref, d)
}

// resolve returns the digest of a tag.
func resolve(ctx context.Context, repo *remote.Repository, tag string) (digest.Digest, error) {
	d, err := repo.Manifests().Resolve(ctx, tag)
	if err == nil {
		return d.Digest, nil
	}
	if !lacksHead(err) {
		return "", err
	}
	m, err := manifest(ctx, repo, tag)
	if err == nil && !json.Valid(m) {
		err = errManifest
	}
	return digest.FromBytes(m), err
}

// errManifest is the error of what cannot be a manifest, such as a web page, which would have another digest each time.
var errManifest = errors.New("the manifest is not JSON")

// lacksHead reports whether a registry answered HEAD in another way than the specification says.
func lacksHead(err error) bool {
	if response, ok := errors.AsType[*errcode.ErrorResponse](err); ok {
		return response.StatusCode == http.StatusMethodNotAllowed
	}
	return !errors.Is(err, errdef.ErrNotFound) && !isTransport(err)
}

// repository returns a client of the repository of a reference.
func (c *Client) repository(ctx context.Context, r registry.Reference, a Auth) (*remote.Repository, error) {
	credential, err := a.credential(ctx, r)
	if err != nil {
		return nil, err
	}
	return &remote.Repository{
		Reference:            r,
		PlainHTTP:            c.plain && isLoopback(r.Host()),
		MaxMetadataBytes:     maxList,
		ReferrerListMaxPages: maxReferrerPages,
		Client: &auth.Client{
			Client:     c.http,
			Credential: auth.StaticCredential(r.Host(), credential),
			Cache:      tokens{all: c.issued, of: tokenKey{r.Host(), r.Repository, credential}},
			Header:     http.Header{"User-Agent": {"provider-lambda"}},
		},
	}, nil
}

// parse parses a reference that has a registry, a repository, and a tag or a digest.
func parse(ref string) (registry.Reference, error) {
	r, err := registry.ParseReference(ref)
	if err != nil || r.Reference == "" {
		return r, fmt.Errorf("%q is not a reference: it takes a registry, a repository, and a tag or a digest, such "+
			"as ghcr.io/acme/orders:v1", ref)
	}
	return r, nil
}

// parseAt parses a reference, and checks the digest of what is asked for in its repository.
func parseAt(ref, of string) (registry.Reference, error) {
	r, err := parse(ref)
	if err == nil {
		_, err = checkDigest(ref, digest.Digest(of))
	}
	return r, err
}

func checkDigest(ref string, d digest.Digest) (string, error) {
	if d.Validate() != nil || d.Algorithm() != digest.SHA256 {
		return "", fmt.Errorf("%s has the digest %q, which is not a SHA-256 digest", ref, d)
	}
	return d.String(), nil
}
