package main

import (
	"bytes"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/examples"
	packageyaml "github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/yaml"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
)

var (
	sorted  = cmpopts.SortSlices(strings.Compare)
	discard = log.New(io.Discard, "", 0)
)

// TestPackageIsCrossplanes reads package.yaml as Crossplane's package manager does, from a registry and from the file
// that Crossplane's CLI pushes.
func TestPackageIsCrossplanes(t *testing.T) {
	cases := map[string]func(t *testing.T) v1.Image{
		"Pushed": func(t *testing.T) v1.Image {
			t.Helper()
			_, tag := pushed(t)
			image, err := remote.Image(tag) // From the index, as the package manager does.
			if err != nil {
				t.Fatal(err)
			}
			return image
		},
		"File": func(t *testing.T) v1.Image {
			t.Helper()
			dir := t.TempDir()
			if err := builtPackage(t).write(dir, io.Discard); err != nil {
				t.Fatal(err)
			}
			image, err := tarball.ImageFromPath(filepath.Join(dir, "provider-lambda-v1.2.3-test-linux-arm64.xpkg"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if image, err = xpkg.AnnotateLayers(image); err != nil {
				t.Fatal(err)
			}
			return image
		},
	}
	for name, open := range cases {
		t.Run(name, func(t *testing.T) { checkPackage(t, open(t)) })
	}
}

func checkPackage(t *testing.T, image v1.Image) {
	t.Helper()
	stream, err := xpkg.ExtractPackageYAML(image)
	if err != nil {
		t.Fatal(err)
	}
	p, err := packageyaml.New()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := p.Parse(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	if err := xpkg.NewProviderValidator().Lint(parsed); err != nil {
		t.Error(err)
	}
	if err := xpkg.NewProviderLinter().Lint(parsed); err != nil {
		t.Error(err)
	}
	meta, ok := parsed.GetMeta()[0].(*pkgmetav1.Provider)
	if !ok {
		t.Fatalf("the metadata is a %T", parsed.GetMeta()[0])
	}
	checkMeta(t, meta)

	var got []string
	for _, o := range parsed.GetObjects() {
		if crd, ok := o.(*apiextensionsv1.CustomResourceDefinition); ok {
			got = append(got, crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml")
		}
	}
	if diff := cmp.Diff(fileNames(t, objectsFolder), got, sorted); diff != "" {
		t.Errorf("CRDs: -in the repository, +in the package:\n%s", diff)
	}
}

// checkMeta checks the contents of crossplane.yaml, and the icon.
func checkMeta(t *testing.T, got *pkgmetav1.Provider) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository, metaFile))
	if err != nil {
		t.Fatal(err)
	}
	want := &pkgmetav1.Provider{}
	if err := yaml.UnmarshalStrict(content, want); err != nil {
		t.Fatal(err)
	}
	icon := got.Annotations[annotationIcon]
	want.Annotations[annotationIcon] = icon
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata: -want, +got:\n%s", diff)
	}
	if !strings.HasPrefix(icon, "data:image/svg+xml;base64,PHN2Zy") {
		t.Errorf("the icon is %q, want a data URI of an SVG", icon)
	}
	// Each capability is a promise, such as of a command that the image has.
	if diff := cmp.Diff([]string{pkgmetav1.ProviderCapabilitySafeStart}, got.Spec.Capabilities); diff != "" {
		t.Errorf("capabilities: -want, +got:\n%s", diff)
	}
}

func fileNames(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(repository, folder))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}

// TestExamplesAreInThePackage checks that the package contains every example, with its comments.
func TestExamplesAreInThePackage(t *testing.T) {
	_, tag := pushed(t)
	image, err := remote.Image(tag)
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, image)[xpkg.XpkgExamplesFile].content
	if _, err := examples.New().Parse(t.Context(), io.NopCloser(bytes.NewReader(got))); err != nil {
		t.Error(err)
	}
	paths, err := filepath.Glob(filepath.Join(repository, examplesFolder, "*", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("found the examples %v: %v", paths, err)
	}
	for _, path := range paths {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(got, bytes.TrimSpace(want)) {
			t.Errorf("%s is not in the package", path)
		}
	}
}
