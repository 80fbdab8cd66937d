package oci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

// hosts allows public addresses, and 127.0.0.1.
var hosts = egress.Hosts{Allowed: []string{"127.0.0.1"}, Public: true, Loopback: true}

// start returns a registry, and a client that may call it.
func start(t *testing.T) (*registry.Registry, *Client) {
	t.Helper()
	r := registry.Start()
	t.Cleanup(r.Close)
	return r, New(Options{Hosts: hosts, PlainLoopback: true})
}

// push pushes an artifact of one layer, and returns its digest.
func push(t *testing.T, r *registry.Registry, repository, tag, content string) string {
	t.Helper()
	d, err := r.Push(t.Context(), repository, tag, registry.Manifest{
		Annotations: map[string]string{
			"org.opencontainers.image.revision": "main@sha1:" + tag,
			"org.opencontainers.image.source":   "https://git.example/shop",
		},
		Layers: []registry.Layer{{MediaType: mediaTypeZip, Content: []byte(content)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Requests()
	return d
}

// read returns the content of an artifact.
func read(ctx context.Context, a Artifact) (string, error) {
	body, err := a.Open(ctx)
	if err != nil {
		return "", err
	}
	defer body.Close()
	b, err := io.ReadAll(body)
	return string(b), err
}

func TestDigest(t *testing.T) {
	const unknown = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	cases := map[string]struct {
		reason string
		ref    string
		before func(w http.ResponseWriter, r *http.Request) bool
		// want is a digest, or the text of an error.
		want     string
		requests []string
	}{
		"Tag": {
			reason: "A tag is looked up by one HEAD.",
			ref:    "shop/orders:v1", want: "pushed", requests: []string{"HEAD"},
		},
		"ByDigest": {
			reason: "A digest needs no look-up, also if there is a tag, and no such artifact.",
			ref:    "shop/orders:v1@" + unknown, want: unknown,
		},
		"NoHead": {
			reason: "A registry that does not know HEAD is asked for the manifest.",
			ref:    "shop/orders:v1", want: "pushed", requests: []string{"HEAD", "GET"},
			before: func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodHead {
					w.WriteHeader(http.StatusMethodNotAllowed)
				}
				return r.Method == http.MethodHead
			},
		},
		"NoDigestInHead": {
			reason: "A registry whose answer to HEAD has no digest is asked for the manifest.",
			ref:    "shop/orders:v1", want: "pushed", requests: []string{"HEAD", "GET"},
			before: func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodHead {
					w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				}
				return r.Method == http.MethodHead
			},
		},
		"WebPage": {
			reason:   "A page of a proxy is no manifest. It may differ each time, and so would its digest.",
			ref:      "shop/orders:v1",
			want:     "does not answer as the OCI specification says",
			requests: []string{"HEAD", "GET"},
			before: func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<html>Maintenance at 12:00</html>")
				return true
			},
		},
		"NotFound": {
			reason: "A tag that does not exist is not found, and is not asked for a second time.",
			ref:    "shop/orders:v2", want: ErrNotFound.Error(), requests: []string{"HEAD"},
		},
		"Unauthorized": {
			reason: "A registry that demands credentials is told apart.",
			ref:    "shop/orders:v1", want: ErrUnauthorized.Error(), requests: []string{"HEAD"},
			before: answer(http.StatusUnauthorized),
		},
		"Forbidden": {
			reason: "So is one that refuses them.",
			ref:    "shop/orders:v1", want: ErrUnauthorized.Error(), requests: []string{"HEAD"},
			before: answer(http.StatusForbidden),
		},
		"Broken": {
			reason: "A status is told, and nothing of what the server sent.",
			ref:    "shop/orders:v1", want: "the registry answers with HTTP 500", requests: []string{"HEAD"},
			before: answer(http.StatusInternalServerError),
		},
		"Realm": {
			reason: "Credentials are not sent to a token service that the registry names within the cluster.",
			ref:    "shop/orders:v1", want: "has another name and a private address, or is called by plain HTTP",
			requests: []string{"HEAD"},
			before: func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("WWW-Authenticate", `Bearer realm="https://10.0.0.1/token",service="s"`)
				w.WriteHeader(http.StatusUnauthorized)
				return true
			},
		},
		"OtherDigest": {
			reason: "A digest of another kind could not be compared with what is read.",
			ref:    "shop/orders:v1", want: "is not a SHA-256 digest", requests: []string{"HEAD"},
			before: func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				w.Header().Set("Docker-Content-Digest", "sha512:"+strings.Repeat("0", 128))
				w.Header().Set("Content-Length", "9")
				return true
			},
		},
		"NoTag": {
			reason: "A reference without a tag could mean anything.",
			ref:    "shop/orders", want: "is not a reference",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, c := start(t)
			pushed := push(t, r, "shop/orders", "v1", "code")
			r.Intercept(tc.before)
			got, err := c.Digest(t.Context(), r.Host+"/"+tc.ref, Auth{})
			switch {
			case err != nil:
				got = err.Error()
			case got == pushed:
				got = "pushed"
			}
			if !strings.HasSuffix(got, tc.want) && !(err != nil && strings.Contains(got, tc.want)) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
			if diff := cmp.Diff(tc.requests, methods(r.Requests())); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func answer(status int) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"errors":[{"code":"UNKNOWN","message":"request 4711 failed"}]}`)
		return true
	}
}

// methods returns the methods of requests.
func methods(requests []string) []string {
	var got []string
	for _, r := range requests {
		method, _, _ := strings.Cut(r, " ")
		got = append(got, method)
	}
	return got
}

// TestRateLimit looks a tag up in a registry that limits the rate.
func TestRateLimit(t *testing.T) {
	cases := map[string]struct {
		reason string
		status int
		after  string
		want   time.Duration
	}{
		"Seconds": {"The delay is the registry's.", http.StatusTooManyRequests, "7", 7 * time.Second},
		"None":    {"The registry need not name a delay.", http.StatusTooManyRequests, "", 0},
		"Long":    {"No registry may end the polls.", http.StatusTooManyRequests, "99999999", time.Hour},
		"Overflow": {
			"A duration has no room for so many seconds.", http.StatusTooManyRequests, "9999999999", time.Hour,
		},
		"Date": {
			"A date would take the registry's clock.", http.StatusTooManyRequests, "Tue, 24 Nov 2026 13:00:00 GMT", 0,
		},
		"Unavailable": {
			"A registry that is down may name a delay too.", http.StatusServiceUnavailable, "7", 7 * time.Second,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, c := start(t)
			r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Retry-After", tc.after)
				w.WriteHeader(tc.status)
				return true
			})
			_, err := c.Digest(t.Context(), r.Host+"/shop/orders:v1", Auth{})
			limit, ok := errors.AsType[*RateLimitError](err)
			if !ok || limit.RetryAfter() != tc.want || limit.Host != "127.0.0.1" || len(r.Requests()) != 1 {
				t.Errorf("%s\nwant a delay of %s, and one request, got %v: %v", tc.reason, tc.want, limit, err)
			}
			if err != nil && strings.Contains(err.Error(), "7") && !strings.Contains(r.Host, "7") {
				t.Errorf("the text must be the same each time: %v", err)
			}
		})
	}
}

// TestTokens looks a tag up in a registry that issues tokens for credentials.
func TestTokens(t *testing.T) {
	r, c := start(t)
	push(t, r, "shop/orders", "v1", "code")
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		user, password, _ := req.BasicAuth()
		switch {
		case req.URL.Path == "/token" && user == "shop" && password == "secret":
			fmt.Fprint(w, `{"token":"issued"}`)
			return true
		case req.Header.Get("Authorization") == "Bearer issued":
			return false
		}
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="s"`, r.Host))
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	lookUp := func(secrets ...PullSecret) error {
		_, err := c.Digest(t.Context(), r.Host+"/shop/orders:v1", Auth{PullSecrets: secrets})
		return err
	}
	for _, want := range [][]string{{"HEAD", "GET", "HEAD"}, {"HEAD"}, {"HEAD"}} {
		if err := lookUp(pullSecret(t, r.Host, "shop", "secret")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, methods(r.Requests())); diff != "" {
			t.Errorf("a token must be used until it is refused: -want, +got:\n%s", diff)
		}
	}
	if err := lookUp(pullSecret(t, r.Host, "shop", "other")); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("the token of other credentials must not be used, got %v", err)
	}
	if err := lookUp(); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("nor without credentials, got %v", err)
	}
}

// TestTagMoves moves a tag between look-up and pull.
func TestTagMoves(t *testing.T) {
	r, c := start(t)
	first := push(t, r, "shop/orders", "latest", "first")
	ref := r.Host + "/shop/orders:latest"
	found, err := c.Digest(t.Context(), ref, Auth{})
	if err != nil || found != first {
		t.Fatalf("want %s, got %s: %v", first, found, err)
	}
	second := push(t, r, "shop/orders", "latest", "second")
	if second == first {
		t.Fatal("the tag did not move")
	}
	a, err := c.Fetch(t.Context(), ref, found, Auth{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t.Context(), a)
	if got != "first" || err != nil {
		t.Errorf("want what was looked up, got %q: %v", got, err)
	}
	want := Artifact{Revision: "main@sha1:latest"}
	a.Open = nil
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for _, request := range r.Requests() {
		if strings.HasSuffix(request, "/manifests/latest") && !strings.HasPrefix(request, "HEAD") &&
			!strings.HasPrefix(request, "PUT") {
			t.Errorf("an artifact must be pulled by its digest, not by %s", request)
		}
	}
}

// TestContent reads artifacts from registries that answer with other content.
func TestContent(t *testing.T) {
	const content = "the code of a function"
	cases := map[string]struct {
		reason string
		at     string
		// answer answers in place of the registry.
		answer func(w http.ResponseWriter)
		want   string
	}{
		"Changed": {
			"Content of the same length has another digest.", "/blobs/",
			func(w http.ResponseWriter) { fmt.Fprint(w, strings.ToUpper(content)) }, errDigest.Error(),
		},
		"Truncated": {
			"Content that ends too soon is not complete.", "/blobs/",
			func(w http.ResponseWriter) { w.(http.Flusher).Flush(); fmt.Fprint(w, content[:5]) }, errSize.Error(),
		},
		"Cut": {
			"So is content of a connection that ends too soon.", "/blobs/",
			func(w http.ResponseWriter) {
				w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				fmt.Fprint(w, content[:5])
			},
			"before the end of the content",
		},
		"Endless": {
			"Content that does not end is not read on.", "/blobs/",
			func(w http.ResponseWriter) {
				for {
					if _, err := fmt.Fprint(w, content); err != nil {
						return
					}
				}
			},
			errSize.Error(),
		},
		"Manifest": {
			"A manifest has to have the digest that was looked up.", "/manifests/",
			func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				fmt.Fprint(w, `{"layers":[]}`)
			},
			"the registry does not answer as the OCI specification says",
		},
		"LyingManifest": {
			"Also if the registry says that it is.", "/manifests/",
			func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				fmt.Fprint(w, `{"layers":[]}`)
			},
			errDigest.Error(),
		},
		"EndlessManifest": {
			"A manifest that does not end is not read on.", "/manifests/",
			func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
				for {
					if _, err := w.Write(make([]byte, 1<<20)); err != nil {
						return
					}
				}
			},
			ErrTooLarge.Error(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, c := start(t)
			d := push(t, r, "shop/orders", "v1", content)
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodGet || !strings.Contains(req.URL.Path, tc.at) {
					return false
				}
				if name == "LyingManifest" {
					w.Header().Set("Docker-Content-Digest", d)
				}
				tc.answer(w)
				return true
			})
			a, err := c.Fetch(t.Context(), r.Host+"/shop/orders:v1", d, Auth{})
			got := ""
			if err == nil {
				got, err = read(t.Context(), a)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant an error with %q, got %q: %v", tc.reason, tc.want, got, err)
			}
		})
	}
}

// TestRedirect reads a layer from registries that redirect.
func TestRedirect(t *testing.T) {
	const content = "code"
	var authorized []string
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if a := req.Header.Get("Authorization"); a != "" {
			authorized = append(authorized, req.URL.Path+" has "+a)
		}
		switch req.URL.Path {
		case "/again":
			http.Redirect(w, req, "/content", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, req, "/loop", http.StatusTemporaryRedirect)
		default:
			fmt.Fprint(w, content)
		}
	}))
	defer storage.Close()
	cases := map[string]struct {
		reason, to, want string
	}{
		"Storage": {"Amazon ECR redirects to Amazon S3.", storage.URL + "/content", ""},
		"Twice":   {"A second redirect does not bring the credentials back.", storage.URL + "/again", ""},
		"Loop":    {"Redirects end.", storage.URL + "/loop", errRedirects.Error()},
		"Metadata": {
			"The metadata service returns the node's credentials.", "https://169.254.169.254/latest/meta-data",
			"host 169.254.169.254 is not allowed: its address is loopback, link-local or reserved",
		},
		"Plain": {"What is not on loopback is called by HTTPS.", "http://storage.example/content", errPlain.Error()},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, _ := start(t)
			c := New(Options{PlainLoopback: true, Hosts: hosts})
			d := push(t, r, "shop/orders", "v1", content)
			r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
				if user, _, _ := req.BasicAuth(); user != "shop" {
					w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
					w.WriteHeader(http.StatusUnauthorized)
					return true
				}
				if strings.Contains(req.URL.Path, "/blobs/") {
					http.Redirect(w, req, tc.to, http.StatusTemporaryRedirect)
					return true
				}
				return false
			})
			a, err := c.Fetch(t.Context(), r.Host+"/shop/orders:v1", d,
				Auth{PullSecrets: []PullSecret{pullSecret(t, r.Host, "shop", "secret")}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(t.Context(), a)
			if tc.want == "" && (err != nil || got != content) {
				t.Errorf("%s\nwant %q, got %q: %v", tc.reason, content, got, err)
			}
			if tc.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tc.want)) {
				t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
			if len(authorized) > 0 {
				t.Errorf("credentials must not be sent to another host: %v", authorized)
			}
		})
	}
}

// TestHosts looks tags up at hosts that must not be called.
func TestHosts(t *testing.T) {
	r, _ := start(t)
	push(t, r, "shop/orders", "v1", "code")
	refused := egress.Hosts{Public: true}
	cases := map[string]struct {
		reason, ref, want string
		client            *Client
	}{
		"Reserved": {
			"The address is checked at the moment of connecting.", r.Host + "/shop/orders:v1",
			"host 127.0.0.1 is not allowed: its address is loopback, link-local or reserved",
			New(Options{Hosts: refused, PlainLoopback: true}),
		},
		"Metadata": {
			"So is that of the metadata service.", "169.254.169.254/shop/orders:v1",
			"host 169.254.169.254 is not allowed: its address is loopback, link-local or reserved",
			New(Options{Hosts: refused, PlainLoopback: true}),
		},
		"NoPlain": {
			"Loopback is called by HTTPS too, unless the caller allows plain HTTP.", r.Host + "/shop/orders:v1",
			"the connection to the registry failed", New(Options{Hosts: hosts}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := tc.client.Digest(t.Context(), tc.ref, Auth{})
			if err == nil || !strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
	if got := r.Requests(); len(got) > 0 {
		t.Errorf("want no request, got %v", got)
	}
}

// TestTokensBounded looks up tags in a registry that issues long tokens, each for another scope.
func TestTokensBounded(t *testing.T) {
	const lookUps, tokenBytes = 500, 20 << 10
	r, c := start(t)
	n, long := 0, strings.Repeat("t", tokenBytes)
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path == "/token" {
			fmt.Fprintf(w, `{"token":"%d%s"}`, n, long[:tokenBytes-n%2*(tokenBytes-maxToken/2)])
			return true
		}
		n++
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",scope="scope%d"`, r.Host, n))
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range lookUps {
		_, _ = c.Digest(t.Context(), fmt.Sprintf("%s/shop/orders%d:v1", r.Host, i%2), Auth{})
	}
	if n < lookUps {
		t.Fatalf("the registry was asked %d times", n)
	}
	if kept := int64(heap()) - int64(before); kept > lookUps*tokenBytes/8 {
		t.Errorf("tokens of %d MB are kept", kept>>20)
	}
	runtime.KeepAlive(c)
}

func TestParseAt(t *testing.T) {
	if _, err := parseAt("ghcr.io/acme/orders:v1", "sha256:../../x"); err == nil {
		t.Error("what is not a digest must not be part of a URL")
	}
	if _, err := parseAt("ghcr.io/acme/orders:v1", digest.FromString("x").String()); err != nil {
		t.Error(err)
	}
}
