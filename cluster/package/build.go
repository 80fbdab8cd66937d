package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
)

// packageName is the name of the package, of its files and of its repository in a registry.
const packageName = "provider-lambda"

// versionPattern matches valid tags of a registry.
var versionPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

// A release is the input of a build.
type release struct {
	// Root is the folder of the repository.
	Root string
	// Platforms to build for, in the order in which the index lists them.
	Platforms []v1.Platform
	// Version is the provider's version, and the package's tag.
	Version string
	// Revision is the Git commit, or empty if it is not known.
	Revision string
	// Created is the time of that commit.
	Created time.Time
	// Builder and Invocation are the builder and the run of the build, as URIs. They appear only in the provenance.
	Builder, Invocation string
}

// built is a built package.
type built struct {
	release release
	meta    *pkgmetav1.Provider
	// index of the images, and the images by themselves.
	index  v1.ImageIndex
	images []builtImage
}

// A builtImage is the package for one platform.
type builtImage struct {
	platform v1.Platform
	image    v1.Image
	// info is the build information that the Go linker wrote into the provider.
	info *debug.BuildInfo
	// sbom is the bill of materials as SPDX JSON, and attachment the same as an artifact of a registry that refers to
	// the image.
	sbom       []byte
	attachment v1.Image
}

// parsePlatforms parses platforms such as linux/amd64.
func parsePlatforms(names []string) ([]v1.Platform, error) {
	var all []v1.Platform
	for _, name := range names {
		p, err := v1.ParsePlatform(name)
		if err != nil || p.OS != "linux" || p.Architecture == "" {
			return nil, fmt.Errorf("cannot build for the platform %q: use linux/amd64 or linux/arm64", name)
		}
		all = append(all, *p)
	}
	return all, nil
}

// build builds the package for every platform.
func build(ctx context.Context, r release) (*built, error) {
	if !versionPattern.MatchString(r.Version) {
		return nil, fmt.Errorf("a package cannot have the version %q: use letters, digits, dots, dashes and "+
			"underscores, as in v1.2.3", r.Version)
	}
	c, err := readContents(os.DirFS(r.Root))
	if err != nil {
		return nil, err
	}
	b := &built{release: r, meta: c.meta}
	var manifests []mutate.IndexAddendum
	for _, p := range r.Platforms {
		i, err := buildImage(ctx, r, c, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		b.images = append(b.images, i)
		manifests = append(manifests, mutate.IndexAddendum{Add: i.image, Descriptor: v1.Descriptor{Platform: &p}})
	}
	index := mutate.AppendManifests(empty.Index, manifests...)
	annotated, ok := mutate.Annotations(index, annotations(r, c.meta)).(v1.ImageIndex)
	if !ok {
		return nil, fmt.Errorf("an index with annotations is a %T", annotated)
	}
	b.index = annotated
	return b, nil
}

func buildImage(ctx context.Context, r release, c *contents, p v1.Platform) (builtImage, error) {
	binary, err := compile(ctx, r, providerProgram, p)
	if err == nil {
		err = checkStatic(binary)
	}
	if err != nil {
		return builtImage{}, err
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return builtImage{}, fmt.Errorf("cannot tell what the provider is built from: %w", err)
	}
	components, err := thirdParties(ctx, r.Root, providerProgram, p)
	if err != nil {
		return builtImage{}, fmt.Errorf("cannot collect the licenses of what the provider is built from: %w", err)
	}
	runtime, err := runtimeImage(r, c, p, binary, notice(components))
	if err != nil {
		return builtImage{}, fmt.Errorf("cannot put the provider's image together: %w", err)
	}
	image, err := c.pack(ctx, r, runtime)
	if err != nil {
		return builtImage{}, fmt.Errorf("cannot put the package together: %w", err)
	}
	of := described{
		name: c.meta.GetName(), file: binaryPath, document: fileName(r.Version, p), binary: binary,
		info: info,
	}
	sbom, err := describe(r, c.meta, of, components)
	if err != nil {
		return builtImage{}, fmt.Errorf("cannot list what the provider is built from: %w", err)
	}
	subject, err := partial.Descriptor(image)
	if err != nil {
		return builtImage{}, err
	}
	attachment, err := attach(r, p, *subject, sbom)
	if err != nil {
		return builtImage{}, fmt.Errorf("cannot attach the bill of materials: %w", err)
	}
	return builtImage{platform: p, image: image, info: info, sbom: sbom, attachment: attachment}, nil
}

// module of the provider.
const module = "github.com/crossplane-contrib/provider-lambda"

// settings of the Go command that determine its output. They are set for each build, regardless of the caller's
// environment.
var settings = []string{
	"CGO_ENABLED=0", // There is no C library in the image.
	"GOAMD64=v1",
	"GOARM64=v8.0",
	"GOEXPERIMENT=",
	"GOFIPS140=off",
	"GOFLAGS=",
	"GOWORK=off",
}

// The programs of a release.
const (
	providerProgram = "provider"
	pluginProgram   = "kubectl-lambda"
)

// compile compiles a program. The output is reproducible for the same source and the same version of Go: it
// contains no path, no time and nothing of Git but the version.
func compile(ctx context.Context, r release, program string, p v1.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "provider-lambda-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	args := []string{
		"build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags=-s -w -buildid= -X main.version=" + r.Version,
		"-buildvcs=false", "-mod=readonly", "-o", dir, "./cmd/" + program,
	}
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // build checked the version.
	cmd.Dir = r.Root
	cmd.Env = environment(p)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot compile %s: %w\n%s", program, err, out)
	}
	return fs.ReadFile(os.DirFS(dir), executable(program, p))
}

// executable returns the file name of a program on a platform.
func executable(program string, p v1.Platform) string {
	if p.OS == "windows" {
		return program + ".exe"
	}
	return program
}

// environment returns the environment of the Go command for a platform.
func environment(p v1.Platform) []string {
	return append(append(os.Environ(), settings...), "GOOS="+p.OS, "GOARCH="+p.Architecture)
}

// checkStatic returns an error if a program is not statically linked.
func checkStatic(binary []byte) error {
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return fmt.Errorf("cannot read the provider's program: %w", err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return errors.New("the provider is linked dynamically, but its image holds no libraries: remove what " +
				"needs cgo from its imports")
		}
	}
	return nil
}
