package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"sigs.k8s.io/yaml"
)

// pluginFiles builds the plugin of a fixture, and returns the files that were written, by name.
func pluginFiles(t *testing.T, r release, mode fs.FileMode) map[string][]byte {
	t.Helper()
	fixed := newFixture(t, mode)
	r.Root, r.Version = fixed.Root, fixed.Version
	dir := t.TempDir()
	if err := buildPlugin(t.Context(), r, dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = fs.ReadFile(os.DirFS(dir), e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestPluginForKrew installs the plugin as Krew does: by the manifest, the archive's checksum and the program in it.
func TestPluginForKrew(t *testing.T) {
	platforms := []v1.Platform{{OS: runtime.GOOS, Architecture: runtime.GOARCH}, {OS: "windows", Architecture: "amd64"}}
	files := pluginFiles(t, release{Platforms: platforms}, 0o644)
	m := krewManifest{}
	if err := yaml.UnmarshalStrict(files["lambda.yaml"], &m); err != nil {
		t.Fatal(err)
	}
	if m.Metadata["name"] != "lambda" || m.Spec.Version != "v1.2.3-test" || len(m.Spec.Platforms) != len(platforms) {
		t.Fatalf("the manifest is\n%s", files["lambda.yaml"])
	}
	for i, p := range m.Spec.Platforms {
		if diff := cmp.Diff(map[string]string{"os": platforms[i].OS, "arch": platforms[i].Architecture}, p.Selector.MatchLabels); diff != "" {
			t.Errorf("selector: -want, +got:\n%s", diff)
		}
		release, name := filepath.Split(p.URI)
		if release != "https://github.com/crossplane-contrib/provider-lambda/releases/download/v1.2.3-test/" {
			t.Errorf("it is downloaded from %s", p.URI)
		}
		sum := sha256.Sum256(files[name])
		if hex.EncodeToString(sum[:]) != p.SHA256 {
			t.Errorf("the checksum of %s is %s", name, p.SHA256)
		}
		installed := unpack(t, files[name])
		if installed[p.Bin] == nil || installed["LICENSE"] == nil || !bytes.Contains(installed["NOTICE"], []byte("Go")) {
			t.Errorf("%s contains %d files, not those of a plugin", name, len(installed))
		}
		if i > 0 {
			continue // It is another system's.
		}
		program := filepath.Join(t.TempDir(), p.Bin)
		if err := os.WriteFile(program, installed[p.Bin], 0o700); err != nil { //nolint:gosec // It is a program.
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), program).Output(); err != nil || string(out) != "v1.2.3-test" {
			t.Errorf("it says %q, %v", out, err)
		}
	}
}

// unpack returns the files of an archive.
func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSamePluginGivesTheSameBytes builds twice, with files of other modes, and compares all files.
func TestSamePluginGivesTheSameBytes(t *testing.T) {
	one := release{Platforms: []v1.Platform{{OS: "linux", Architecture: "arm64"}}}
	first, second := pluginFiles(t, one, 0o644), pluginFiles(t, one, 0o600)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("-first build, +second:\n%s", diff)
	}
}

func TestPluginRefuses(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "v1.2", "latest", "v1.2.3-4-gabcdef+dirty"} {
		if err := buildPlugin(t.Context(), release{Root: repository, Version: version}, t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "semantic version") {
			t.Errorf("version %q: %v", version, err)
		}
	}
}
