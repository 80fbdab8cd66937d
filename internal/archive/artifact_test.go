package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
)

func TestCompareArtifacts(t *testing.T) {
	from := Source{Flux: fluxtest.Ref("fn")}
	const name = "GitRepository/app//fn#sha256:2"
	earlier := &v1beta1.DeployedCode{Source: "GitRepository/app//fn#sha256:1", CodeSHA256: "A=", Revision: "r1"}
	same := &v1beta1.DeployedCode{Source: name, CodeSHA256: "A=", Revision: "r1", Verified: "by k"}
	cases := map[string]struct {
		reason     string
		sha256     string
		has        string
		last       *v1beta1.DeployedCode
		want, have Identity
		stored     *v1beta1.DeployedCode
	}{
		"Steady": {
			reason: "The digest alone says that nothing has changed.", has: "A=", last: same,
			want: Identity{SHA256: "A=", Name: name}, have: Identity{SHA256: "A=", Name: name},
			stored: &v1beta1.DeployedCode{Source: name, CodeSHA256: "A=", Revision: "r2", Verified: "by k"},
		},
		"NewDigest": {
			reason: "Another artifact is due, with its revision.",
			has:    "A=",
			last:   earlier,
			want: Identity{
				SHA256:   "A=",
				Name:     name,
				Revision: "r2",
			},
			have:   Identity{SHA256: "A=", Name: earlier.Source, Revision: "r1"},
			stored: earlier,
		},
		"NewCode": {
			reason: "Once it is downloaded, the hash is compared.",
			sha256: "B=",
			has:    "A=",
			last:   earlier,
			want: Identity{
				SHA256:   "B=",
				Name:     name,
				Revision: "r2",
			},
			have:   Identity{SHA256: "A=", Name: earlier.Source, Revision: "r1"},
			stored: earlier,
		},
		"SameCode": {
			reason: "Another artifact with the same code is not due.", sha256: "A=", has: "A=", last: earlier,
			want: Identity{SHA256: "A="}, have: Identity{SHA256: "A="},
			stored: &v1beta1.DeployedCode{Source: name, CodeSHA256: "A=", Revision: "r2"},
		},
		"ByHand": {
			reason: "Code that others have deployed differs.", has: "X=", last: same,
			want: Identity{SHA256: "A=", Name: name}, have: Identity{SHA256: "X=", Name: name},
			stored: &v1beta1.DeployedCode{Source: name, CodeSHA256: "A=", Revision: "r2", Verified: "by k"},
		},
		"Unknown": {
			reason: "Nothing is known about what is deployed.", has: "A=",
			want: Identity{SHA256: "A=", Name: name, Revision: "r2"}, have: Identity{SHA256: "A="},
		},
		"Imported": {
			reason: "Code that is there already is not deployed again.", sha256: "A=", has: "A=",
			want: Identity{SHA256: "A="}, have: Identity{SHA256: "A="},
			stored: &v1beta1.DeployedCode{Source: name, CodeSHA256: "A=", Revision: "r2"},
		},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			b := Bundle{
				From: from, Version: "sha256:2", SHA256: tc.sha256,
				Artifact: &Artifact{Revision: "r2"},
			}
			want, have := b.Compare(tc.has, tc.last)
			if diff := cmp.Diff([]Identity{tc.want, tc.have}, []Identity{want, have}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.stored, b.RestoreIdentity(tc.has, tc.last)); diff != "" {
				t.Errorf("%s\nstatus: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A bucket is a bucket that keeps the hashes of objects alone.
type bucket struct {
	mu      sync.Mutex
	objects map[string]string
	puts    int
	heads   int
	refuses error
	// begin is closed once an object may be put. Nil does not wait.
	begin chan struct{}
	// afterPut is called once an object was put.
	afterPut func()
}

func (b *bucket) HeadObject(
	_ context.Context,
	in *s3.HeadObjectInput,
	_ ...func(*s3.Options),
) (*s3.HeadObjectOutput, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heads++
	sum, ok := b.objects[*in.Bucket+"/"+*in.Key]
	if !ok {
		return nil, &s3types.NotFound{}
	}
	return &s3.HeadObjectOutput{
		ChecksumSHA256: &sum,
		ChecksumType:   s3types.ChecksumTypeFullObject,
		VersionId:      ptr.To("v1"),
	}, nil
}

func (b *bucket) GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	return nil, errors.New("a staged object is not read")
}

func (b *bucket) PutObject(
	_ context.Context,
	in *s3.PutObjectInput,
	_ ...func(*s3.Options),
) (*s3.PutObjectOutput, error) {
	if b.begin != nil {
		<-b.begin
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.puts++
	h := sha256.New()
	n, err := io.Copy(h, in.Body)
	if sum := base64.StdEncoding.EncodeToString(
		h.Sum(nil),
	); err != nil || n != *in.ContentLength ||
		sum != *in.ChecksumSHA256 {
		return nil, errors.Errorf("%d bytes with the hash %s: %v", n, sum, err)
	}
	b.objects[*in.Bucket+"/"+*in.Key] = *in.ChecksumSHA256
	if b.afterPut != nil {
		b.afterPut()
	}
	return &s3.PutObjectOutput{VersionId: ptr.To(fmt.Sprint("put", b.puts))}, b.refuses
}

// large serves a .tar.gz with one file of random bytes, and returns its artifact.
func large(t testing.TB, size int64) flux.Artifact {
	t.Helper()
	file := filepath.Join(t.TempDir(), "artifact.tar.gz")
	f, err := os.Create(file) //nolint:gosec // In a folder of the test.
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	z, _ := gzip.NewWriterLevel(io.MultiWriter(f, h), gzip.NoCompression)
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "fn/data", Size: size, Mode: 0o600})
	if err == nil {
		_, err = io.CopyN(w, rand.NewChaCha8([32]byte{}), size)
	}
	if err = errors.Join(err, w.Close(), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }),
	)
	t.Cleanup(server.Close)
	return flux.Artifact{
		URL:      server.URL + "/bucket/shop/app/artifact.tar.gz",
		Revision: "r",
		Digest:   "sha256:" + hex.EncodeToString(h.Sum(nil)),
	}
}

// loaded loads the code of a source, however long that takes.
func loaded(t testing.TB, f Finder, b Bundle) (Bundle, error) {
	t.Helper()
	for {
		got, err := f.Load(t.Context(), b)
		if !reconcile.IsLater(err) {
			return got, err
		}
	}
}

// TestUploadOfADroppedFile checks that a call that needs code that was dropped since it was loaded is made later.
func TestUploadOfADroppedFile(t *testing.T) {
	ends := make(chan struct{})
	defer close(ends)
	fetch := func(context.Context, io.Writer) error { <-ends; return errors.New("too late") }
	b := Bundle{
		From:     Source{Flux: fluxtest.Ref("fn")},
		Artifact: &Artifact{content: store.Artifact{Namespace: "shop", Digest: "sha256:1", Fetch: fetch}},
	}
	if _, err := (Finder{Store: newStore(t, time.Millisecond)}).Upload(t.Context(), b); !reconcile.IsLater(err) {
		t.Errorf("want a LaterError, got %v", err)
	}
}

func newStore(t testing.TB, patience time.Duration) *store.Store {
	t.Helper()
	return store.New(store.Options{
		Hosts: egress.Hosts{Allowed: []string{"127.0.0.1"}, Loopback: true}, TempDir: t.TempDir(),
		Patience: patience,
	})
}

func TestStaging(t *testing.T) {
	content := large(t, maxDirect+1)
	from := Source{Field: "spec.forProvider.code", Flux: fluxtest.Ref("fn")}
	storage := &bucket{objects: map[string]string{}}
	f := Finder{Store: newStore(t, time.Hour), S3: storage}
	b := Bundle{From: from, Artifact: &Artifact{content: f.Store.Flux("shop", content)}, Version: content.Digest}
	if _, err := loaded(
		t,
		f,
		b,
	); err == nil ||
		!strings.Contains(err.Error(), "set spec.forProvider.code.staging, or spec.code.staging") ||
		backoff.Classify(err) != backoff.Terminal {
		t.Errorf("without a place in S3, the error says what to set, got %v", err)
	}
	f.Code.Staging = &v1beta1.Staging{S3Bucket: "config", Prefix: ptr.To("p/")}
	for _, version := range []string{"put1", "v1"} {
		got, err := loaded(t, f, b)
		if err != nil {
			t.Fatal(err)
		}
		sum, _ := base64.StdEncoding.DecodeString(got.SHA256)
		want := Upload{
			S3Bucket:        ptr.To("config"),
			S3Key:           ptr.To("p/" + hex.EncodeToString(sum) + ".zip"),
			S3ObjectVersion: ptr.To(version),
		}
		u, err := f.Upload(t.Context(), got)
		if diff := cmp.Diff(want, u); diff != "" || err != nil {
			t.Errorf("%v, -want, +got:\n%s", err, diff)
		}
	}
	if storage.puts != 1 {
		t.Errorf("%d uploads, want 1", storage.puts)
	}
	b.From.Staging = &v1beta1.Staging{S3Bucket: "own"}
	got, err := loaded(t, f, b)
	if err != nil || got.staged.bucket != "own" {
		t.Errorf("the place of the resource comes first, got %+v, %v", got.staged, err)
	}
	f.Code.RequireVerified, b.Artifact.Verified = true, "someone"
	got, err = loaded(t, f, b)
	if err != nil || got.staged.bucket != "config" {
		t.Errorf(
			"the place of the resource does not count if the config requires verified code, got %+v, %v",
			got.staged,
			err,
		)
	}
	f.Code.RequireVerified = false
	// An object that others have replaced is not deployed.
	for k := range storage.objects {
		storage.objects[k] = "other"
	}
	if _, err := loaded(t, f, b); err != nil || storage.puts != 3 {
		t.Errorf("%v after %d uploads: a replaced object is uploaded again", err, storage.puts)
	}
}

// TestReplacedAtOnce checks that AWS reads the version that was uploaded, even if others replace the object at once.
func TestReplacedAtOnce(t *testing.T) {
	content := large(t, maxDirect+1)
	for name, patience := range map[string]time.Duration{
		"Awaited": time.Hour, "LongerThanAReconcile": time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			storage := &bucket{objects: map[string]string{}}
			storage.afterPut = func() {
				for k := range storage.objects {
					storage.objects[k] = "other"
				}
			}
			f := Finder{Store: newStore(t, patience), S3: storage}
			f.Code.Staging = &v1beta1.Staging{S3Bucket: "config"}
			b := Bundle{
				From:     Source{Flux: fluxtest.Ref("fn")},
				Artifact: &Artifact{content: f.Store.Flux("shop", content)},
				Version:  content.Digest,
			}
			got, err := loaded(t, f, b)
			if err != nil || ptr.Deref(got.staged.version, "") != fmt.Sprint("put", storage.puts) {
				t.Errorf("got version %q, %v, after %d uploads", ptr.Deref(got.staged.version, ""), err, storage.puts)
			}
		})
	}
}

// TestStagedAgain checks that S3 is not asked for an object while that is uploaded, and that an object that a lifecycle
// rule has deleted since is uploaded again.
func TestStagedAgain(t *testing.T) {
	content := large(t, maxDirect+1)
	storage := &bucket{objects: map[string]string{}, begin: make(chan struct{})}
	f := Finder{Store: newStore(t, time.Second), S3: storage}
	f.Code.Staging = &v1beta1.Staging{S3Bucket: "config"}
	b := Bundle{
		From:     Source{Flux: fluxtest.Ref("fn")},
		Artifact: &Artifact{content: f.Store.Flux("shop", content)},
		Version:  content.Digest,
	}
	for storage.heads == 0 { // The archive is not there before.
		if _, err := f.Load(t.Context(), b); !reconcile.IsLater(err) {
			t.Fatalf("got %v, want that it is being uploaded", err)
		}
	}
	if _, err := f.Load(t.Context(), b); !reconcile.IsLater(err) || storage.heads != 1 {
		t.Errorf("got %v after %d look-ups, want one", err, storage.heads)
	}
	close(storage.begin)
	for puts := range 2 {
		if got, err := loaded(t, f, b); err != nil || got.staged.version == nil || storage.puts != puts+1 {
			t.Errorf("got %+v, %v, after %d uploads", got.staged, err, storage.puts)
		}
		clear(storage.objects)
	}
}

// TestMemoryOfLargeArchives checks the memory that the deployment of an archive of 250 MB needs.
func TestMemoryOfLargeArchives(t *testing.T) {
	const most = 64 << 20
	content := large(t, 245<<20)
	f := Finder{Store: newStore(t, time.Hour), S3: &bucket{objects: map[string]string{}}}
	f.Code.Staging = &v1beta1.Staging{S3Bucket: "b"}
	b := Bundle{
		From: Source{
			Flux: fluxtest.Ref("fn"),
		},
		Artifact: &Artifact{content: f.Store.Flux("shop", content)},
		Version:  content.Digest,
	}
	inUse := func() uint64 {
		m := runtime.MemStats{}
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	debug.FreeOSMemory()
	before, peak := inUse(), atomic.Uint64{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := loaded(t, f, b); err != nil {
			t.Error(err)
		}
	}()
	sample := time.NewTicker(5 * time.Millisecond)
	defer sample.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-sample.C:
			peak.Store(max(peak.Load(), inUse()))
		}
	}
	if got := peak.Load() - before; got > most {
		t.Errorf("%d MB more than at rest, want %d at most", got>>20, most>>20)
	} else {
		t.Logf("%.1f MB more than at rest", float64(got)/(1<<20))
	}
}
