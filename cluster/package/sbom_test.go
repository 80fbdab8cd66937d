package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdxlib"
)

// TestBillOfMaterialsIsFound finds it as tools do: by what refers to the image. Registries without that API have a
// tag instead.
func TestBillOfMaterialsIsFound(t *testing.T) {
	for title, supported := range map[string]bool{"Referrers": true, "ReferrersByTag": false} {
		t.Run(title, func(t *testing.T) {
			to := newRegistry(t, toAll, registry.WithReferrersSupport(supported)) + testTag
			pushTo(t, to)
			tag, err := name.NewTag(to)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range platforms {
				image, err := remote.Image(tag, remote.WithPlatform(p))
				if err != nil {
					t.Fatal(err)
				}
				digest, err := image.Digest()
				if err != nil {
					t.Fatal(err)
				}
				sbom := attached(t, tag.Digest(digest.String()), "provider-lambda-v1.2.3-test-linux-"+p.Architecture+
					".spdx.json")
				checkDocument(t, sbom, files(t, image)["provider"].content)
			}
		})
	}
}

// attached returns the only attachment of an image. It has a file name, under which tools save it.
func attached(t *testing.T, image name.Digest, file string) []byte {
	t.Helper()
	index, err := remote.Referrers(image)
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Manifests) != 1 {
		t.Fatalf("%d things refer to the image, want 1", len(m.Manifests))
	}
	found, err := remote.Image(image.Digest(m.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := found.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if manifest.ArtifactType != spdxType || len(manifest.Layers) != 1 || manifest.Layers[0].MediaType != spdxType {
		t.Fatalf("what is attached is a %q with the layers %v", manifest.ArtifactType, manifest.Layers)
	}
	if got := manifest.Layers[0].Annotations["org.opencontainers.image.title"]; got != file {
		t.Errorf("what is attached is called %q, want %q", got, file)
	}
	blob, err := remote.Layer(image.Digest(manifest.Layers[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := blob.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func checkDocument(t *testing.T, sbom, program []byte) {
	t.Helper()
	d, err := spdxjson.Read(bytes.NewReader(sbom))
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(d); err != nil {
		t.Error(err)
	}
	sum := sha256.Sum256(program)
	digest := hex.EncodeToString(sum[:])
	p := d.Packages[0]
	if diff := cmp.Diff([]common.Checksum{{Algorithm: common.SHA256, Value: digest}}, p.PackageChecksums); diff != "" {
		t.Errorf("checksum of the program: -want, +got:\n%s", diff)
	}
	if p.PackageName != "provider-lambda" || p.PackageVersion != "v1.2.3-test" ||
		p.PackageLicenseDeclared != "Apache-2.0" {
		t.Errorf("the bill is of %s %s, %s", p.PackageName, p.PackageVersion, p.PackageLicenseDeclared)
	}
	if d.CreationInfo.Created != "2026-11-21T10:20:30Z" || !strings.HasSuffix(d.DocumentNamespace, digest) {
		t.Errorf("the bill is of %s, in the namespace %s", d.CreationInfo.Created, d.DocumentNamespace)
	}
	version := strings.TrimPrefix(runtime.Version(), "go")
	if diff := cmp.Diff([]string{"stdlib@" + version}, named(d.Packages[1:])); diff != "" {
		t.Errorf("dependencies: -want, +got:\n%s", diff)
	}
}

func named(packages []*spdx.Package) []string {
	var names []string
	for _, p := range packages {
		names = append(names, p.PackageName+"@"+p.PackageVersion)
	}
	return names
}

func TestDependencies(t *testing.T) {
	got, err := dependencies(&debug.BuildInfo{
		GoVersion: "go1.26.8 X:nodwarf5",
		Deps: []*debug.Module{
			{Path: "github.com/Masterminds/semver/v3", Version: "v3.4.0", Sum: "h1:sum="},
			{
				Path: "example.org/old", Version: "v1.0.0",
				Replace: &debug.Module{Path: "example.org/new", Version: "v2.0.0+incompatible"},
			},
		},
	}, []component{
		{path: "stdlib", licenses: []string{"BSD-3-Clause"}},
		{path: "github.com/Masterminds/semver/v3", licenses: []string{"MIT"}},
		{path: "example.org/new", licenses: []string{"Apache-2.0", "MIT"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"stdlib@1.26.8", "github.com/Masterminds/semver/v3@v3.4.0",
		"example.org/new@v2.0.0+incompatible",
	}, named(got)); diff != "" {
		t.Errorf("names: -want, +got:\n%s", diff)
	}
	var locators, licenses []string
	for _, p := range got {
		locators = append(locators, p.PackageExternalReferences[0].Locator)
		licenses = append(licenses, p.PackageLicenseConcluded)
	}
	if diff := cmp.Diff([]string{"BSD-3-Clause", "MIT", "Apache-2.0 AND MIT"}, licenses); diff != "" {
		t.Errorf("licenses: -want, +got:\n%s", diff)
	}
	want := []string{
		"pkg:golang/stdlib@1.26.8",
		"pkg:golang/github.com/masterminds/semver/v3@v3.4.0",
		"pkg:golang/example.org/new@v2.0.0%2Bincompatible",
	}
	if diff := cmp.Diff(want, locators); diff != "" {
		t.Errorf("package URLs: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff("Go module with the checksum h1:sum=", got[1].PackageSourceInfo); diff != "" {
		t.Errorf("checksum: -want, +got:\n%s", diff)
	}
}

// TestDependencyWithoutLicense compares the modules in the program with those of the Go command.
func TestDependencyWithoutLicense(t *testing.T) {
	_, err := dependencies(&debug.BuildInfo{GoVersion: "go1.26.8"}, nil)
	if err == nil ||
		!strings.Contains(err.Error(), "the license of stdlib 1.26.8, which is in the program, is not known") {
		t.Errorf("dependencies(): got error %v, want one that names the module", err)
	}
}
