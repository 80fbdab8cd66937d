package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const testTag = "/team/provider-lambda:v1.2.3-test"

// newRegistry serves a registry on loopback until the test ends.
func newRegistry(t *testing.T, wrap func(http.Handler) http.Handler, options ...registry.Option) (host string) {
	t.Helper()
	s := httptest.NewServer(wrap(registry.New(append(options, registry.Logger(discard))...)))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func toAll(h http.Handler) http.Handler { return h }

// pushed returns the shared package as pulled from a registry.
func pushed(t *testing.T) (v1.ImageIndex, name.Tag) {
	t.Helper()
	to := newRegistry(t, toAll, registry.WithReferrersSupport(true)) + testTag
	pushTo(t, to)
	tag, err := name.NewTag(to)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(tag)
	if err != nil {
		t.Fatal(err)
	}
	return index, tag
}

func pushTo(t *testing.T, to string) {
	t.Helper()
	b, dir := builtPackage(t), t.TempDir()
	if err := b.write(dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (pushCommand{Out: dir, Version: b.release.Version}).push(t.Context(), to, &out); err != nil {
		t.Fatal(err)
	}
	digest, err := b.index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprintf("pushed %s@%s\n", to, digest), out.String()); diff != "" {
		t.Errorf("what push says: -want, +got:\n%s", diff)
	}
}

func TestPushedIndex(t *testing.T) {
	index, _ := pushed(t)
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	want, err := builtPackage(t).index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if digest != want {
		t.Errorf("the digest is %s in the registry, and was %s", digest, want)
	}
	m, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range m.Manifests {
		got = append(got, fmt.Sprintf("%s %s", d.Platform, d.MediaType))
	}
	wantPlatforms := []string{
		"linux/amd64 application/vnd.oci.image.manifest.v1+json",
		"linux/arm64 application/vnd.oci.image.manifest.v1+json",
	}
	if diff := cmp.Diff(wantPlatforms, got); diff != "" {
		t.Errorf("platforms: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(wantAnnotations, m.Annotations); diff != "" {
		t.Errorf("annotations: -want, +got:\n%s", diff)
	}
}

var wantAnnotations = map[string]string{
	"org.opencontainers.image.authors":     "provider-lambda maintainers",
	"org.opencontainers.image.created":     "2026-11-21T10:20:30Z",
	"org.opencontainers.image.description": "A native Crossplane provider for AWS Lambda.",
	"org.opencontainers.image.licenses":    "Apache-2.0",
	"org.opencontainers.image.revision":    "0123456789abcdef0123456789abcdef01234567",
	"org.opencontainers.image.source":      "https://github.com/crossplane-contrib/provider-lambda",
	"org.opencontainers.image.title":       "provider-lambda",
	"org.opencontainers.image.version":     "v1.2.3-test",
}

func TestPushedImages(t *testing.T) {
	_, tag := pushed(t)
	for _, p := range platforms {
		t.Run(p.String(), func(t *testing.T) {
			image, err := remote.Image(tag, remote.WithPlatform(p))
			if err != nil {
				t.Fatal(err)
			}
			checkConfig(t, image, p)
			checkLayers(t, image)
			checkFiles(t, image)
		})
	}
}

func checkConfig(t *testing.T, image v1.Image, p v1.Platform) {
	t.Helper()
	got, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for k, v := range got.Config.Labels {
		if !strings.HasPrefix(k, "io.crossplane.xpkg:") {
			labels[k] = v
		}
	}
	if diff := cmp.Diff(wantAnnotations, labels); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
	got.Config.Labels = nil
	want := v1.Config{
		Entrypoint:   []string{"/provider"},
		User:         "65532:65532",
		WorkingDir:   "/",
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "8081/tcp": {}},
	}
	if diff := cmp.Diff(want, got.Config); diff != "" {
		t.Errorf("config: -want, +got:\n%s", diff)
	}
	created := builtPackage(t).release.Created
	if got.OS != p.OS || got.Architecture != p.Architecture || !got.Created.Equal(created) {
		t.Errorf("got an image of %s for %s/%s, want one of %s for %s", got.Created, got.OS, got.Architecture, created,
			p)
	}
	for _, h := range got.History {
		if !h.Created.Equal(created) {
			t.Errorf("the layer %q is of %s, want %s", h.Comment, h.Created, created)
		}
	}
}

func checkLayers(t *testing.T, image v1.Image) {
	t.Helper()
	m, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantAnnotations, m.Annotations); diff != "" {
		t.Errorf("annotations: -want, +got:\n%s", diff)
	}
	var kinds []string
	for _, l := range m.Layers {
		if l.MediaType != types.OCILayer {
			t.Errorf("a layer has the media type %s", l.MediaType)
		}
		kinds = append(kinds, l.Annotations["io.crossplane.xpkg"])
	}
	if diff := cmp.Diff([]string{"", "", "base", "upbound"}, kinds); diff != "" {
		t.Errorf("what Crossplane sees in layers: -want, +got:\n%s", diff)
	}
}

// checkFiles checks that the image contains only the expected files, and no time.
func checkFiles(t *testing.T, image v1.Image) {
	t.Helper()
	var got []string
	for path, f := range files(t, image) {
		got = append(got, fmt.Sprintf("%s %o %d:%d", path, f.header.Mode, f.header.Uid, f.header.Gid))
		if f.header.ModTime.Unix() != 0 {
			t.Errorf("%s is of %s", path, f.header.ModTime)
		}
	}
	want := []string{
		".up/examples.yaml 644 0:0", "etc 755 0:0", "etc/group 644 0:0", "etc/passwd 644 0:0",
		"licenses 755 0:0", "licenses/LICENSE 644 0:0", "licenses/NOTICE 644 0:0", "package.yaml 644 0:0",
		"provider 755 0:0",
	}
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("files: -want, +got:\n%s", diff)
	}
}

type imageFile struct {
	header  *tar.Header
	content []byte
}

// files returns the files of an image, by their paths.
func files(t *testing.T, image v1.Image) map[string]imageFile {
	t.Helper()
	flat := mutate.Extract(image)
	defer func() { _ = flat.Close() }()
	found := map[string]imageFile{}
	for r := tar.NewReader(flat); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		found[strings.TrimSuffix(h.Name, "/")] = imageFile{header: h, content: content}
	}
}

// TestPushedProgramRuns runs the image's entrypoint, if this machine can.
func TestPushedProgramRuns(t *testing.T) {
	_, tag := pushed(t)
	image, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		t.Skipf("the package is not for %s: %v", runtime.GOARCH, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the package is for Linux")
	}
	path := filepath.Join(t.TempDir(), "provider")
	if err := os.WriteFile(path, files(t, image)["provider"].content, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if string(out) != "v1.2.3-test" {
		t.Errorf("the program says that its version is %q", out)
	}
}

func TestPushLogsIn(t *testing.T) {
	config := func(content string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("DOCKER_CONFIG", dir)
		}
	}
	guard := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user == "robot" && password == "secret" {
				h.ServeHTTP(w, r)
				return
			}
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
		})
	}
	host := newRegistry(t, guard)
	logins, err := json.Marshal(map[string]any{"auths": map[string]any{host: map[string]string{
		"username": "robot",
		"password": "secret",
	}}})
	if err != nil {
		t.Fatal(err)
	}

	t.Run("LoggedIn", func(t *testing.T) {
		config(string(logins))(t)
		pushTo(t, host+testTag)
	})
	t.Run("NotLoggedIn", func(t *testing.T) {
		config(`{}`)(t)
		b, dir := builtPackage(t), t.TempDir()
		if err := b.write(dir, io.Discard); err != nil {
			t.Fatal(err)
		}
		err := pushCommand{Out: dir, Version: b.release.Version}.push(t.Context(), host+testTag, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "log in to it with `docker login`") {
			t.Errorf("push(): got error %v, want one that says how to log in", err)
		}
	})
}

func TestPushRefuses(t *testing.T) {
	cases := map[string]struct {
		reason, to, want string
	}{
		"NotBuilt": {
			reason: "What is pushed has to be built first.", to: "127.0.0.1:1/x:v1",
			want: "`make xpkg` builds it",
		},
		"NoTag": {
			reason: "The name of an image is checked before anything is sent.", to: "127.0.0.1:1/X:v1",
			want: "can only contain",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := pushCommand{Out: t.TempDir(), Version: "v1"}.push(t.Context(), tc.to, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\npush(): got error %v, want one with %q", tc.reason, err, tc.want)
			}
		})
	}
}
