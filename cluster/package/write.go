package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
)

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
