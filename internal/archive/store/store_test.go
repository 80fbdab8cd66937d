package store

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// packed returns a .tar.gz of files.
func packed(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, body := range files {
		if err := w.WriteHeader(
			&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(body)), Mode: 0o600},
		); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// loopback returns a Store that may download from loopback addresses.
func loopback(t testing.TB, allowed ...string) *Store {
	t.Helper()
	return New(Options{
		Hosts:   egress.Hosts{Flag: "--source-host", Allowed: append(allowed, "127.0.0.1"), Loopback: true},
		TempDir: t.TempDir(),
	})
}

// serve serves an artifact of the namespace shop, and returns its URL.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/gitrepository/shop/app/artifact.tar.gz"
}

func TestDownload(t *testing.T) {
	archive := packed(t, map[string]string{"app/index.py": "1"})
	long := sha512.Sum512(archive)
	answers := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) }
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	}
	cases := map[string]struct {
		reason string
		answer http.HandlerFunc
		url    string
		digest string
		size   int64
		want   string
	}{
		"Whole": {
			reason: "An artifact with the digest is deployed.",
			answer: answers,
			digest: sha(archive),
			size:   int64(len(archive)),
		},
		"NoSize": {reason: "Its size may be unknown.", answer: answers, digest: sha(archive)},
		"SHA512": {
			reason: "Flux may use another algorithm.",
			answer: answers,
			digest: "sha512:" + hex.EncodeToString(long[:]),
		},
		"OtherDigest": {
			reason: "Other bytes are not deployed.",
			answer: answers,
			digest: sha([]byte("other")),
			want:   "nothing is deployed",
		},
		"NoDigest": {reason: "Without a digest nothing is deployed.", answer: answers, want: "is not a SHA-256"},
		"Truncated": {
			reason: "A part is not deployed.",
			answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive[:20]) },
			digest: sha(archive),
			want:   "nothing is deployed",
		},
		"CutOff": {
			reason: "A connection that ends early is told.", digest: sha(archive), want: "unexpected EOF",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000")
				_, _ = w.Write(archive[:20])
			},
		},
		"Endless": {
			reason: "No more is read than the status says.",
			answer: endless,
			digest: sha(archive),
			size:   1000,
			want:   "larger than the 1000 bytes",
		},
		"EndlessNoSize": {
			reason: "No more is read than 300 MB.",
			answer: endless,
			digest: sha(archive),
			want:   "larger than 300 MB",
		},
		"Announced": {
			reason: "What is announced as too large is not read.", digest: sha(archive), want: "larger than 300 MB",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(maxDownload+1))
			},
		},
		"SizeTooLarge": {
			reason: "A status that says too much is not believed.",
			answer: answers,
			digest: sha(archive),
			size:   maxDownload + 1,
			want:   "larger than 300 MB",
		},
		"Redirect": {
			reason: "A redirect is not followed, not even to the same host.", digest: sha(archive), want: "redirects",
			answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) },
		},
		"Reset": {
			reason: "An error does not mention the local port, which differs each time.", digest: sha(archive),
			want: "/artifact.tar.gz: read: connection reset by peer",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				tcp, _ := c.(*net.TCPConn)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
				_ = errors.Join(tcp.SetLinger(0), c.Close())
			},
		},
		"Secrets": {
			reason: "A password or a token in the URL is not shown.",
			digest: sha(archive),
			url:    "http://me:secret@evil.example.org/a?token=secret#secret",
			want:   "cannot download the artifact from http://evil.example.org/a: host",
		},
		"Control": {
			reason: "What a terminal interprets is not shown.",
			digest: sha(archive),
			url:    "http://evil.example.org/\x1b[2J",
			want:   "cannot download the artifact from the URL of its status: it is not an http or https URL",
		},
		"NotFound": {
			reason: "An artifact that is gone is told.",
			answer: http.NotFound,
			digest: sha(archive),
			want:   "404",
		},
		"Metadata": {
			reason: "The metadata service is never called.",
			url:    "http://169.254.169.254/latest/meta-data",
			digest: sha(archive),
			want:   "host 169.254.169.254 is not allowed",
		},
		"OtherHost": {
			reason: "Another host is not called.",
			url:    "http://evil.example.org/a",
			digest: sha(archive),
			want:   "host evil.example.org is not allowed: ask the provider's operator for --source-host=evil.example.org",
		},
		"File": {
			reason: "Only http is spoken.",
			url:    "file:///etc/passwd",
			digest: sha(archive),
			want:   "not an http or https URL",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			at := tc.url
			if at == "" {
				at = serve(t, tc.answer)
			}
			s := loopback(t)
			var b bytes.Buffer
			err := s.Flux("shop", flux.Artifact{URL: at, Digest: tc.digest, Size: tc.size}).Fetch(t.Context(), &b)
			if tc.want == "" {
				if err != nil || !bytes.Equal(b.Bytes(), archive) {
					t.Errorf("%s\n%v, %d bytes", tc.reason, err, b.Len())
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestMetadataByName checks that not even an allowed name leads to an address that is never called.
func TestMetadataByName(t *testing.T) {
	s := New(Options{Hosts: egress.Hosts{Flag: "--source-host", Allowed: []string{"localhost", "169.254.169.254"}}})
	for _, at := range []string{"http://localhost:1", "http://169.254.169.254"} {
		err := s.Flux("shop", flux.Artifact{URL: at + "/bucket/shop/app/a", Digest: sha(nil)}).
			Fetch(t.Context(), io.Discard)
		if err == nil || !strings.Contains(err.Error(), "loopback, link-local or reserved") {
			t.Errorf("%s: got %v", at, err)
		}
	}
}

// TestSharedDownload checks that 300 resources with one source, and a folder each, cause one download.
func TestSharedDownload(t *testing.T) {
	const resources = 300
	files := map[string]string{}
	for i := range resources {
		files[fmt.Sprintf("f%d/index.py", i)] = fmt.Sprint(i)
	}
	archive := packed(t, files)
	var calls atomic.Int32
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) { calls.Add(1); _, _ = w.Write(archive) })
	s := loopback(t)
	artifact := s.Flux("shop", flux.Artifact{URL: at, Digest: sha(archive)})
	var wg sync.WaitGroup
	hashes := sync.Map{}
	for i := range resources {
		wg.Go(func() {
			for {
				f, err := s.Zip(t.Context(), artifact, fmt.Sprintf("f%d", i))
				if reconcile.IsLater(err) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				hashes.Store(f.SHA256(), true)
				if r, err := zip.NewReader(f, f.Size()); err != nil || len(r.File) != 1 {
					t.Errorf("got %v", err)
				}
				f.Release()
				return
			}
		})
	}
	wg.Wait()
	distinct := 0
	hashes.Range(func(any, any) bool { distinct++; return true })
	if calls.Load() != 1 || distinct != resources {
		t.Errorf("%d downloads of %d archives, want 1 of %d", calls.Load(), distinct, resources)
	}
	if left, _ := filepath.Glob(filepath.Join(s.o.TempDir, "*")); len(left) > 0 {
		t.Errorf("temporary files have names: %v", left)
	}
}

// TestNamespaces checks that whoever knows the digest of another namespace's artifact does not get its content.
func TestNamespaces(t *testing.T) {
	secret := packed(t, map[string]string{"a": "secret"})
	s := loopback(t)
	mine := s.Flux(
		"shop",
		flux.Artifact{
			URL:    serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(secret) }),
			Digest: sha(secret),
		},
	)
	f, err := s.Zip(t.Context(), mine, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	theirs := s.Flux(
		"evil",
		flux.Artifact{URL: strings.Replace(serve(t, http.NotFound), "/shop/", "/evil/", 1), Digest: sha(secret)},
	)
	if _, err := s.Zip(t.Context(), theirs, ""); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("want that it is not there, got %v", err)
	}
}

// TestPathsOfNamespaces checks that the provider, which source-controller serves the artifacts of all namespaces, reads
// none for another one.
func TestPathsOfNamespaces(t *testing.T) {
	secret := packed(t, map[string]string{"a": "secret"})
	of := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(secret) })
	host, _, _ := strings.Cut(of, "/gitrepository")
	s := loopback(t)
	for at, want := range map[string]bool{
		"/gitrepository/evil/app/a.tar.gz":                true,
		"/externalartifact/evil/app/sub/a.tar.gz":         true,
		"/gitrepository/shop/app/a.tar.gz":                false,
		"/gitrepository/evil/../shop/app/a.tar.gz":        false,
		"/gitrepository/evil/%2e%2e/shop/app/a.tar.gz":    false,
		"/gitrepository/evil/..%2fshop%2fapp%2fa.tar.gz":  false,
		"//evil/evil/../../gitrepository/shop/app/a.tar":  false,
		"/gitrepository//evil/app/a.tar.gz":               false,
		"/gitrepository/evil/a.tar.gz":                    false,
		"/gitrepository/shop/app/evil/a.tar.gz?x=/evil/#": false,
		"": false,
	} {
		err := s.Flux("evil", flux.Artifact{URL: host + at, Digest: sha(secret)}).Fetch(t.Context(), io.Discard)
		if want != (err == nil) ||
			err != nil && !strings.Contains(err.Error(), "is not that of an artifact of namespace evil") {
			t.Errorf("%s: want it to be read: %t, got %v", at, want, err)
		}
	}
}

// TestBusy checks that a slow source makes nobody wait, and that what it sends at last is used.
func TestBusy(t *testing.T) {
	archive := packed(t, map[string]string{"a": "1"})
	send := make(chan struct{})
	calls := 0
	artifact := Artifact{Digest: sha(archive), Fetch: func(_ context.Context, w io.Writer) error {
		calls++
		<-send
		_, err := w.Write(archive)
		return err
	}}
	s := loopback(t)
	s.o.Patience = 0
	if _, err := s.Zip(t.Context(), artifact, ""); !reconcile.IsLater(err) {
		t.Fatalf("want that it is busy, got %v", err)
	}
	s.o.Patience = patience
	close(send)
	f, err := s.Zip(t.Context(), artifact, "")
	if err != nil || calls != 1 {
		t.Fatalf("%v after %d calls", err, calls)
	}
	f.Release()
}

// TestRoom checks that files are dropped if there is no room, but not those in use.
func TestRoom(t *testing.T) {
	s := New(Options{TempDir: t.TempDir(), MaxBytes: 10})
	made := func(key string) *File {
		f, err := s.files.get(t.Context(), key, func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "12345678")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a := made("a")
	b := made("b")
	b.Release()
	made("c").Release()
	got := made("a")
	if got != a {
		t.Error("a file in use was dropped")
	}
	if s.files.byKey["b"] != nil || b.File != nil {
		t.Error("a file that is not in use remains, although there is no room")
	}
	buf := [8]byte{}
	if _, err := a.ReadAt(buf[:], 0); err != nil || string(buf[:]) != "12345678" {
		t.Errorf("got %q, %v", buf, err)
	}
	got.Release()
	a.Release()
}

// TestManySmallFiles checks that small files are dropped, too, because each is open.
// TestRoomOfNamespaces checks that a namespace with many files drops its own.
func TestRoomOfNamespaces(t *testing.T) {
	f := newFiles(t.TempDir(), 100)
	have := func(key string) {
		t.Helper()
		file, err := f.get(t.Context(), key, func(_ context.Context, w io.Writer) error {
			_, err := w.Write(make([]byte, 30))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		file.Release()
	}
	have("shop\napp")
	for i := range 5 {
		have(fmt.Sprint("busy\n", i))
	}
	for key, want := range map[string]bool{"shop\napp": true, "busy\n2": false, "busy\n3": true, "busy\n4": true} {
		if f.has(key) != want {
			t.Errorf("%q is there: %t, want %t", key, !want, want)
		}
	}
}

func TestManySmallFiles(t *testing.T) {
	s := New(Options{TempDir: t.TempDir()})
	for i := range maxFiles + 100 {
		f, err := s.files.get(t.Context(), fmt.Sprint(i), func(context.Context, io.Writer) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		f.Release()
	}
	if n := len(s.files.byKey); n != maxFiles {
		t.Errorf("%d files are open, want %d", n, maxFiles)
	}
}

// TestFailure checks that a failure is not kept.
func TestFailure(t *testing.T) {
	s := loopback(t)
	fails, archive := true, packed(t, map[string]string{"a": "1"})
	artifact := Artifact{Digest: "d", Fetch: func(_ context.Context, w io.Writer) error {
		if fails {
			panic("a value that may be secret")
		}
		_, err := w.Write(archive)
		return err
	}}
	if _, err := s.Zip(t.Context(), artifact, ""); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	fails = false
	f, err := s.Zip(t.Context(), artifact, "")
	if err != nil {
		t.Fatal(err)
	}
	f.Release()
	s.o.TempDir = filepath.Join(t.TempDir(), "missing")
	s.files.dir = s.o.TempDir
	if _, err := s.Zip(
		t.Context(),
		artifact,
		"b",
	); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "TMPDIR") ||
		strings.Contains(err.Error(), s.o.TempDir) {
		t.Errorf("want an error with what to do and without a name that differs each time, got %v", err)
	}
}

// TestFullDisk checks that the error of a disk that is full is the same each time.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close() //nolint:errcheck // Nothing is written.
	_, err = tempWriter{full}.Write([]byte("1"))
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "/dev/full") ||
		!strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("got %v", err)
	}
}

// TestWaitingArtifacts checks that no more artifacts are downloaded than may be worked on, while those that were
// downloaded wait to be packed.
func TestWaitingArtifacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{TempDir: t.TempDir(), Patience: time.Nanosecond})
		var fetched atomic.Int32
		for i := range packings {
			s.packing.take(fmt.Sprint("packing ", i))
		}
		for i := range 20 {
			a := Artifact{
				Namespace: fmt.Sprint(i),
				Digest:    fmt.Sprint(i),
				Fetch: func(_ context.Context, w io.Writer) error {
					fetched.Add(1)
					_, err := io.WriteString(w, "1")
					return err
				},
			}
			_, _ = s.Zip(t.Context(), a, "") // It is busy.
		}
		synctest.Wait()
		if n := fetched.Load(); n != artifacts {
			t.Errorf("%d artifacts are on the disk, want %d", n, artifacts)
		}
		for i := range packings {
			s.packing.release(fmt.Sprint("packing ", i))
		}
		synctest.Wait()
		if n := fetched.Load(); n != 20 {
			t.Errorf("%d artifacts were packed, want all", n)
		}
	})
}

// TestWaitersOfANamespace checks that a namespace whose downloads do not end has few of its archives wait, each of
// which has a file, and that those that may not wait yet are made later.
func TestWaitersOfANamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{TempDir: t.TempDir(), Patience: time.Second})
		const all = maxCallers + 100
		archive, ends := packed(t, map[string]string{"a": "1"}), make(chan struct{})
		made := func() (n int) {
			for i := range all {
				a := Artifact{
					Namespace: "slow",
					Digest:    fmt.Sprint(i),
					Fetch: func(_ context.Context, w io.Writer) error {
						<-ends
						_, err := w.Write(archive)
						return err
					},
				}
				f, err := s.Zip(t.Context(), a, "")
				if err != nil && !reconcile.IsLater(err) {
					t.Fatal(err)
				}
				if err == nil {
					f.Release()
					n++
				}
			}
			return n
		}
		made()
		if n := len(s.files.byKey); n > maxCallers+artifacts {
			t.Errorf("%d files are open, want %d at most", n, maxCallers+artifacts)
		}
		close(ends)
		n := 0
		for range 2 {
			n = made()
		}
		if n != all {
			t.Errorf("%d of %d archives are made", n, all)
		}
	})
}

// TestErrorsThatNobodyAsksFor checks that they do not fill the memory.
func TestErrorsThatNobodyAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{TempDir: t.TempDir(), Patience: time.Nanosecond})
		for i := range 2 * maxFailed {
			_, _ = s.files.get(
				cancelled(t),
				fmt.Sprint(i),
				func(context.Context, io.Writer) error { return errors.New("no") },
			)
		}
		synctest.Wait()
		if n := len(s.files.byKey); n > maxFailed {
			t.Errorf("%d errors are kept, want %d at most", n, maxFailed)
		}
	})
}

func cancelled(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestSlots checks that namespaces whose downloads do not end leave room for others.
func TestSlots(t *testing.T) {
	cases := map[string]struct {
		reason string
		slots  int
		slow   int
	}{
		"One":         {"A namespace does not take all.", artifacts, 1},
		"Two":         {"Neither do two.", artifacts, 2},
		"OneOfTwo":    {"A namespace does not take the last one of two.", packings, 1},
		"Colluding":   {"Each one more leaves less, but not nothing.", artifacts, 3},
		"NobodyWaits": {"A namespace alone takes what there is.", 1, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				s := newSlots(tc.slots)
				for i := range tc.slow {
					for range artifacts {
						go func() {
							_ = s.within(ctx, fmt.Sprint(i), func() error { <-ctx.Done(); return nil })
						}()
					}
					synctest.Wait()
				}
				began := false
				go func() { _ = s.within(ctx, "other", func() error { began = true; return nil }) }()
				synctest.Wait()
				if !began {
					t.Errorf("%s Another namespace waits.", tc.reason)
				}
				cancel()
				synctest.Wait()
				if len(s.used)+len(s.callers) != 0 {
					t.Errorf("namespaces without downloads are remembered: %v", s.used)
				}
			})
		})
	}
}

// TestTurns checks that a namespace waits for few downloads of others, however many callers those have.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const others = 4
		ctx, cancel := context.WithCancel(t.Context())
		s, ends := newSlots(artifacts), [others]chan struct{}{}
		for i := range others {
			ends[i] = make(chan struct{})
			for range 100 {
				go func() { _ = s.within(ctx, fmt.Sprint(i), func() error { <-ends[i]; return nil }) }()
			}
			synctest.Wait()
		}
		gone, leave := context.WithCancel(ctx)
		go func() { _ = s.within(gone, "gone", func() error { return nil }) }()
		synctest.Wait()
		began := false
		go func() { _ = s.within(ctx, "other", func() error { began = true; return nil }) }()
		synctest.Wait()
		leave()
		synctest.Wait()
		n := 0
		for ; !began && n < 50; n++ {
			ends[others-1] <- struct{}{} // The last of them has one slot, and could take it again.
			synctest.Wait()
		}
		if n > 2 {
			t.Errorf("%d downloads of others end before one begins, want 2 at most", n)
		}
		for i := range others {
			close(ends[i])
		}
		synctest.Wait()
		cancel()
		if len(s.line)+len(s.used)+len(s.callers) != 0 {
			t.Errorf("namespaces without downloads are remembered: %v, %v, %v", s.line, s.used, s.callers)
		}
	})
}

// TestPace checks that a download ends that hardly sends anything, and that one may take its time that sends more.
func TestPace(t *testing.T) {
	cases := map[string]struct {
		reason string
		// each is what the server sends in each second, and all how much it has.
		each, all int
		want      error
	}{
		"Drips":  {"A byte now and then is not enough.", 1, 1000, errSlow},
		"Silent": {"Nor is nothing.", 0, 1, errSlow},
		"Slow":   {"A slow line is.", 600 << 10, 120 * 600 << 10, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, began := New(Options{TempDir: t.TempDir(), Patience: time.Hour}), time.Now()
				_, err := s.Zip(t.Context(), Artifact{Fetch: func(ctx context.Context, w io.Writer) error {
					for sent := 0; sent < tc.all; sent += tc.each {
						select {
						case <-ctx.Done():
							return ctx.Err()
						case <-time.After(time.Second):
						}
						if _, err := w.Write(make([]byte, tc.each)); err != nil {
							return err
						}
					}
					return nil
				}}, "")
				if errors.Is(err, errSlow) != (tc.want != nil) {
					t.Errorf("%s\nwant %v, got %v", tc.reason, tc.want, err)
				}
				if took := time.Since(began); tc.want != nil && took > 2*silence {
					t.Errorf("%s\nIt took %s.", tc.reason, took)
				}
			})
		})
	}
}

// TestUploadIsForgotten checks that nothing is left open of an upload that several have waited for.
func TestUploadIsForgotten(t *testing.T) {
	f := newFiles(t.TempDir(), 1)
	var waiting []*File
	for range 2 {
		file, err := f.get(t.Context(), "upload", func(context.Context, io.Writer) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, file)
	}
	for _, file := range waiting {
		f.forget(file)
	}
	if waiting[0].File != nil {
		t.Error("the file is open")
	}
}
