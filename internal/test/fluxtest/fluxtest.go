// Package fluxtest stands for Flux's source-controller in tests: a source with a status, and the server of its
// artifacts.
package fluxtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
)

// A Source is a GitRepository named app.
type Source struct {
	// Store downloads its artifacts.
	Store *store.Store

	// Namespace is its namespace. The default is ns.
	Namespace string

	server string

	mu        sync.Mutex
	archive   []byte
	object    *unstructured.Unstructured
	downloads int

	// stalled is closed when artifacts are sent. It is nil if they are sent at once.
	stalled chan struct{}
}

func newStore(t testing.TB, patience time.Duration) *store.Store {
	t.Helper()
	return store.New(store.Options{
		Hosts:   egress.Hosts{Flag: "--source-host", Allowed: []string{"127.0.0.1"}, Loopback: true},
		TempDir: t.TempDir(), Patience: patience,
	})
}

// Stall makes the source send nothing until the returned function is called, and Store impatient until then.
func (s *Source) Stall(t testing.TB) (send func()) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	stalled := make(chan struct{})
	s.stalled, s.Store = stalled, newStore(t, time.Millisecond)
	return func() {
		close(stalled)
		s.Store = newStore(t, 0)
	}
}

// New returns a source without an artifact.
func New(t testing.TB) *Source {
	t.Helper()
	s := &Source{
		Store: newStore(t, 0), Namespace: "ns",
		object: &unstructured.Unstructured{Object: map[string]any{"kind": "GitRepository"}},
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		stalled := s.stalled
		s.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.downloads++
		_, _ = w.Write(s.archive) // The client notices what is missing.
	}))
	// In a bubble of synctest, time would stand still while a connection is idle.
	server.Config.SetKeepAlivesEnabled(false)
	server.Start()
	t.Cleanup(server.Close)
	s.server = server.URL
	return s
}

// Ref returns the reference to a path in the source.
func Ref(path string) *v1beta1.SourceReference {
	return &v1beta1.SourceReference{Kind: "GitRepository", Name: "app", Path: &path}
}

// Publish publishes files as an artifact of a revision.
func (s *Source) Publish(t testing.TB, revision string, files map[string]string) {
	t.Helper()
	archive := Pack(t, files)
	sum := sha256.Sum256(archive)
	s.Set(archive, map[string]any{
		"url": s.URL(), "revision": revision, "digest": "sha256:" + hex.EncodeToString(sum[:]),
		"size": int64(len(archive)),
	})
}

// Set sets the bytes that are served, and the artifact of the status.
func (s *Source) Set(archive []byte, artifact map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archive = archive
	_ = unstructured.SetNestedMap(s.object.Object, artifact, "status", "artifact") // The parents are maps.
}

// Verify sets the conditions of a source whose artifact is signed. An empty message says that the signature does not
// match.
func (s *Source) Verify(message string) {
	status := "True"
	if message == "" {
		status, message = "False", "signature does not match"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = unstructured.SetNestedSlice(s.object.Object, []any{
		map[string]any{"type": "SourceVerified", "status": status, "message": message, "observedGeneration": int64(0)},
		map[string]any{"type": "Ready", "status": status, "message": "stored artifact", "observedGeneration": int64(0)},
	}, "status", "conditions") // The parents are maps.
}

// Artifact returns status.artifact of the source.
func (s *Source) Artifact() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, _, _ := unstructured.NestedMap(s.object.Object, "status", "artifact")
	return a
}

// URL returns the URL of the artifacts.
func (s *Source) URL() string {
	return s.server + "/gitrepository/" + s.Namespace + "/app/artifact.tar.gz"
}

// Downloads returns how often an artifact was downloaded.
func (s *Source) Downloads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.downloads
}

// Get returns the view of the source, as a FieldReader does.
func (s *Source) Get(_ context.Context, _ string, from v1beta1.FieldSelector) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from.FieldPath != flux.View || from.Kind != "GitRepository" || from.Name != "app" {
		return "", errors.New(from.Kind + " " + from.Name + " does not exist")
	}
	return flux.Summarize(s.object), nil
}

// Pack returns a .tar.gz of files.
func Pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	var err error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(files[name])), Mode: 0o600}
		err = errors.Join(err, w.WriteHeader(h))
		_, copied := io.Copy(w, strings.NewReader(files[name]))
		err = errors.Join(err, copied)
	}
	if err = errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
