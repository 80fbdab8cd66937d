package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	if err := buildPlugin(t.Context(), r, dir, nil, io.Discard); err != nil {
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
		if diff := cmp.Diff(map[string]string{"os": platforms[i].OS, "arch": platforms[i].Architecture},
			p.Selector.MatchLabels); diff != "" {
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
		if installed[p.Bin] == nil || installed["LICENSE"] == nil ||
			!bytes.Contains(installed["NOTICE"], []byte("Go")) {
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

// TestPluginIsAttested checks what is attested about each archive, and by which files.
func TestPluginIsAttested(t *testing.T) {
	record, dir := withCosign(t), t.TempDir()
	r := newFixture(t, 0o644)
	r.Platforms = []v1.Platform{{OS: "linux", Architecture: "arm64"}, {OS: "windows", Architecture: "amd64"}}
	var out bytes.Buffer
	s, err := newSigner(keyless, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := buildPlugin(t.Context(), r, dir, s, io.Discard); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(filepath.Join(record, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`(--predicate=|--bundle=| )/\S*/`).ReplaceAllString(string(calls), "$1")
	var want []string
	for _, name := range []string{
		"kubectl-lambda-v1.2.3-test-linux-arm64",
		"kubectl-lambda-v1.2.3-test-windows-amd64",
	} {
		const format = "attest-blob --yes --new-bundle-format --type="
		want = append(want,
			format+"slsaprovenance1 --predicate=predicate.json --bundle="+name+".tar.gz.provenance.sigstore.json "+name+
				".tar.gz",
			format+"spdxjson --predicate="+name+".spdx.json --bundle="+name+".tar.gz.spdx.sigstore.json "+name+
				".tar.gz")
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(got), "\n")); diff != "" {
		t.Errorf("cosign was called: -want, +got:\n%s", diff)
	}
	if strings.Count(out.String(), "attested ") != len(r.Platforms) {
		t.Errorf("it says %q", out.String())
	}
	checkPluginPredicates(t, record, dir)
}

// checkPluginPredicates compares what was attested with what was built.
func checkPluginPredicates(t *testing.T, record, dir string) {
	t.Helper()
	read := func(folder, name string) []byte {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var statement struct {
		Subject []struct {
			Name   string            `json:"name"`
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		Predicate any `json:"predicate"`
	}
	if err := json.Unmarshal(read(dir, "kubectl-lambda-v1.2.3-test.provenance.json"), &statement); err != nil {
		t.Fatal(err)
	}
	var attested any
	if err := json.Unmarshal(read(record, "predicate.1"), &attested); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(statement.Predicate, attested); diff != "" {
		t.Errorf("provenance: -built, +attested:\n%s", diff)
	}
	for _, of := range statement.Subject {
		if sum := sha256.Sum256(read(dir, of.Name)); hex.EncodeToString(sum[:]) != of.Digest["sha256"] {
			t.Errorf("the provenance is of another %s", of.Name)
		}
	}
	if len(statement.Subject) == 0 {
		t.Error("the provenance has no subject")
	}
	bill := read(record, "predicate.2")
	if !bytes.Equal(bill, read(dir, "kubectl-lambda-v1.2.3-test-linux-arm64.spdx.json")) ||
		!bytes.Contains(bill, []byte(`"name": "kubectl-lambda"`)) {
		t.Errorf("the bill of materials is\n%s", bill)
	}
}

// TestPluginOfChanges checks that what no commit holds is not attested.
func TestPluginOfChanges(t *testing.T) {
	withCosign(t)
	s, err := newSigner(keyless, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r, dir := newFixture(t, 0o644), t.TempDir()
	r.Revision += "-dirty"
	if err := buildPlugin(t.Context(), r, dir, s, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "which is no commit") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%d files were written, %v", len(entries), err)
	}
}

func TestPluginRefuses(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "v1.2", "latest", "v1.2.3-4-gabcdef+dirty"} {
		if err := buildPlugin(t.Context(), release{Root: repository, Version: version}, t.TempDir(), nil,
			io.Discard); err == nil || !strings.Contains(err.Error(), "semantic version") {
			t.Errorf("version %q: %v", version, err)
		}
	}
}
