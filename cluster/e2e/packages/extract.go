// Package packages pushes Crossplane packages to an OCI registry on loopback, and runs what is in them.
package packages

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Program pulls an image and writes the program that it runs to a folder. The image must be for Linux and this
// machine's architecture, and its program must not need any other file of it.
func Program(ctx context.Context, image, folder string) (string, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return "", err
	}
	i, err := remote.Image(ref, remote.WithContext(ctx),
		remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		return "", fmt.Errorf("cannot pull %s: %w", image, err)
	}
	c, err := i.ConfigFile()
	if err != nil {
		return "", fmt.Errorf("cannot read the configuration of %s: %w", image, err)
	}
	if len(c.Config.Entrypoint) != 1 {
		return "", fmt.Errorf("cannot run %s: its entrypoint is %v, not one program", image, c.Config.Entrypoint)
	}
	digest, err := i.Digest()
	if err != nil {
		return "", err
	}
	to := filepath.Join(folder, path.Base(c.Config.Entrypoint[0])+"-"+digest.Hex[:12])
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	return to, extract(i, c.Config.Entrypoint[0], to)
}

// extract extracts a file from an image.
func extract(i v1.Image, file, to string) error {
	all := mutate.Extract(i)
	defer all.Close() //nolint:errcheck // It is only read.
	for t := tar.NewReader(all); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the image holds no %s", file)
		}
		if err != nil {
			return err
		}
		if path.Clean("/"+h.Name) == path.Clean("/"+file) {
			return write(to, t)
		}
	}
}

// write writes a program atomically.
func write(to string, from io.Reader) error {
	f, err := os.CreateTemp(filepath.Dir(to), ".program-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	err = errors.Join(err, f.Chmod(0o700), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
