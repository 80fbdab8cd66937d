// Package registry runs an OCI registry on a loopback address, for tests and the demo.
package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote"
)

// A Registry is an OCI registry in memory, with the referrers API. It is served by plain HTTP.
type Registry struct {
	// Host is its address, such as 127.0.0.1:40001.
	Host string

	server *httptest.Server

	mu       sync.Mutex
	requests []string
	before   func(w http.ResponseWriter, r *http.Request) bool
}

// Start starts a registry. The caller closes it.
func Start() *Registry {
	r := &Registry{}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true))
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.requests = append(r.requests, req.Method+" "+req.URL.Path)
		before := r.before
		r.mu.Unlock()
		if before == nil || !before(w, req) {
			inner.ServeHTTP(w, req)
		}
	}))
	r.Host = strings.TrimPrefix(r.server.URL, "http://")
	return r
}

// Close ends the registry.
func (r *Registry) Close() { r.server.Close() }

// Intercept makes the registry call a function before it answers, which returns whether it has answered itself.
func (r *Registry) Intercept(before func(w http.ResponseWriter, r *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

// Requests returns the method and path of the requests since it was called last.
func (r *Registry) Requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.requests
	r.requests = nil
	return got
}

// A Layer is a blob of a manifest.
type Layer struct {
	MediaType   string
	Content     []byte
	Annotations map[string]string
}

// A Manifest describes an artifact that is pushed.
type Manifest struct {
	ArtifactType string
	Annotations  map[string]string
	Layers       []Layer

	// Subject is the digest of the artifact that it refers to, if any.
	Subject string
}

// Push pushes an artifact to a repository, with a tag unless it is empty, and returns the digest of its manifest.
func (r *Registry) Push(ctx context.Context, repository, tag string, m Manifest) (string, error) {
	repo, err := remote.NewRepository(r.Host + "/" + repository)
	if err != nil {
		return "", err
	}
	repo.PlainHTTP, repo.Client = true, http.DefaultClient
	out := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		ArtifactType: m.ArtifactType, Annotations: m.Annotations, Config: ocispec.DescriptorEmptyJSON,
	}
	if m.Subject != "" {
		d := digest.Digest(m.Subject)
		subject, err := repo.Resolve(ctx, d.String())
		if err != nil {
			return "", fmt.Errorf("the subject is not in the registry: %w", err)
		}
		out.Subject = &subject
	}
	blobs := append([]Layer{{MediaType: ocispec.MediaTypeEmptyJSON, Content: []byte("{}")}}, m.Layers...)
	for i, l := range blobs {
		d := descriptor(l)
		if err := repo.Push(ctx, d, bytes.NewReader(l.Content)); err != nil {
			return "", fmt.Errorf("cannot push blob %d: %w", i, err)
		}
		if i > 0 {
			out.Layers = append(out.Layers, d)
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return "", err
	}
	d := descriptor(Layer{MediaType: ocispec.MediaTypeImageManifest, Content: text})
	if tag == "" {
		return d.Digest.String(), repo.Push(ctx, d, bytes.NewReader(text))
	}
	return d.Digest.String(), repo.PushReference(ctx, d, bytes.NewReader(text), tag)
}

func descriptor(l Layer) ocispec.Descriptor {
	return ocispec.Descriptor{
		MediaType: l.MediaType, Annotations: l.Annotations,
		Size: int64(len(l.Content)), Digest: digest.FromBytes(l.Content),
	}
}
