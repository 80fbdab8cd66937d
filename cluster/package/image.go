package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
)

const (
	// binaryPath is the path of the provider in its image.
	binaryPath = "/provider"
	// user and group that the image runs as. Crossplane overrides them, which works as well.
	user = "65532:65532"
)

// A file is a file of the image, which belongs to root. A name that ends in a slash is a folder.
type file struct {
	name    string
	mode    int64
	content []byte
}

// system returns all files besides the provider: its user, and licenses. There are no certificates, which the
// provider contains itself; no shell, no libraries, no writable folder.
func system(license, notice []byte) []file {
	return []file{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, content: []byte("root:x:0:\nnonroot:x:65532:\n")},
		{
			name: "etc/passwd", mode: 0o644,
			content: []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n"),
		},
		{name: "licenses/", mode: 0o755},
		{name: "licenses/LICENSE", mode: 0o644, content: license},
		{name: "licenses/NOTICE", mode: 0o644, content: notice},
	}
}

// runtimeImage returns the provider's image, to which the package's layers are added.
func runtimeImage(r release, c *contents, p v1.Platform, binary, notice []byte) (v1.Image, error) {
	base, err := layer(system(c.license, notice)...)
	if err != nil {
		return nil, err
	}
	program, err := layer(file{name: strings.TrimPrefix(binaryPath, "/"), mode: 0o755, content: binary})
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(empty.Image, base, program)
	if err != nil {
		return nil, err
	}
	cfg, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	cfg = cfg.DeepCopy()
	cfg.OS, cfg.Architecture = p.OS, p.Architecture
	cfg.Created = v1.Time{Time: r.Created}
	cfg.Author = c.meta.Annotations[annotationMaintainer]
	cfg.Config = v1.Config{
		Entrypoint: []string{binaryPath},
		User:       user,
		WorkingDir: "/",
		// Metrics and probes, at the addresses that are the flags' defaults.
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "8081/tcp": {}},
		Labels:       annotations(r, c.meta),
	}
	return mutate.ConfigFile(image, cfg)
}

// layer returns a layer of files. It contains no times, so that it changes only with its files.
func layer(files ...file) (v1.Layer, error) {
	var b bytes.Buffer
	if err := writeTar(tar.NewWriter(&b), files...); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithCompressedCaching)
}

// writeTar writes files, without times, and closes the archive.
func writeTar(w *tar.Writer, files ...file) error {
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	return w.Close()
}

// annotations returns an image's annotations of the OCI image specification. Images have them as labels too, where
// some tools look for them.
func annotations(r release, meta *pkgmetav1.Provider) map[string]string {
	a := map[string]string{
		"org.opencontainers.image.title":       meta.GetName(),
		"org.opencontainers.image.description": strings.TrimSpace(meta.Annotations[annotationDescription]),
		"org.opencontainers.image.authors":     meta.Annotations[annotationMaintainer],
		"org.opencontainers.image.source":      meta.Annotations[annotationSource],
		"org.opencontainers.image.licenses":    meta.Annotations[annotationLicense],
		"org.opencontainers.image.version":     r.Version,
		"org.opencontainers.image.created":     r.Created.Format(time.RFC3339),
	}
	if r.Revision != "" {
		a["org.opencontainers.image.revision"] = r.Revision
	}
	return a
}

// sbomExtension is the file name extension of bills of materials.
const sbomExtension = ".spdx.json"

// fileName returns the file name, without its extension, of a platform's files.
func fileName(version string, p v1.Platform) string {
	return fmt.Sprintf("%s-%s-%s-%s", packageName, version, p.OS, p.Architecture)
}

// layoutPath returns the folder of the package for all platforms, as an OCI image layout.
func layoutPath(dir, version string) string {
	return filepath.Join(dir, packageName+"-"+version+".oci")
}

// write writes the package, and prints the paths of:
//
//   - an OCI image layout with the index of all platforms and the bills of materials: what is pushed;
//   - an .xpkg for each platform, as Crossplane's CLI reads it;
//   - the bill of materials for each platform;
//   - the provenance of them all.
func (b *built) write(dir string, out io.Writer) error {
	if err := os.MkdirAll(dir, //nolint:gosec // Whoever may read the repository may read what is built of it.
		0o755); err != nil {
		return err
	}
	for _, i := range b.images {
		file := filepath.Join(dir, fileName(b.release.Version, i.platform))
		if err := writeArchive(file+xpkg.XpkgExtension, i.image); err != nil {
			return err
		}
		if err := os.WriteFile(file+sbomExtension, i.sbom, 0o644); err != nil { //nolint:gosec // As above.
			return err
		}
		_, _ = fmt.Fprintln(out, file+xpkg.XpkgExtension)
		_, _ = fmt.Fprintln(out, file+sbomExtension)
	}
	provenance, err := b.provenance()
	if err != nil {
		return fmt.Errorf("cannot say what the package was built from: %w", err)
	}
	file := filepath.Join(dir, packageName+"-"+b.release.Version+provenanceExtension)
	if err := os.WriteFile(file, provenance, 0o644); err != nil { //nolint:gosec // As above.
		return err
	}
	_, _ = fmt.Fprintln(out, file)
	folder := layoutPath(dir, b.release.Version)
	if err := b.writeLayout(folder); err != nil {
		return err
	}
	digest, err := b.index.Digest()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, folder)
	_, _ = fmt.Fprintln(out, "digest", digest)
	return nil
}

func (b *built) writeLayout(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	l, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	name := map[string]string{"org.opencontainers.image.ref.name": b.release.Version}
	if err := l.AppendIndex(b.index, layout.WithAnnotations(name)); err != nil {
		return err
	}
	for _, i := range b.images {
		if err := l.AppendImage(i.attachment); err != nil {
			return err
		}
	}
	return nil
}

// writeArchive writes an image as Crossplane's CLI does: the archive format does not support annotations, so labels
// mark the package's layer.
func writeArchive(file string, image v1.Image) error {
	f, err := os.Create(file) //nolint:gosec // The caller chooses the file.
	if err != nil {
		return err
	}
	if err := tarball.Write(nil, image, f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
