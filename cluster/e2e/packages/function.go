package packages

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// annotation of the layer that Crossplane's package manager reads.
const annotation = "io.crossplane.xpkg"

// PushFunction builds a package of a composition function and pushes it to a registry at a host. Its program is the
// file with that name in programs; the package's metadata is in the folder function there.
func PushFunction(ctx context.Context, host, programs, function, version string) (image string, err error) {
	program, err := os.ReadFile(filepath.Join(programs, function)) //nolint:gosec // It was built for this.
	if err != nil {
		return "", err
	}
	meta, err := joined(filepath.Join(programs, "function"))
	if err != nil {
		return "", err
	}
	base, err := crane.Layer(map[string][]byte{"package.yaml": meta})
	if err != nil {
		return "", err
	}
	runs, err := crane.Layer(map[string][]byte{function: program})
	if err != nil {
		return "", err
	}
	i, err := mutate.Append(empty.Image,
		mutate.Addendum{Layer: base, Annotations: map[string]string{annotation: "base"}}, mutate.Addendum{Layer: runs})
	if err != nil {
		return "", err
	}
	i, err = configured(i, base, "/"+function)
	if err != nil {
		return "", err
	}
	return push(ctx, i, host+"/"+function+":"+version)
}

// configured sets an image's entrypoint, and labels the layer that contains the package.
func configured(i v1.Image, base v1.Layer, entrypoint string) (v1.Image, error) {
	c, err := i.ConfigFile()
	if err != nil {
		return nil, err
	}
	digest, err := base.Digest()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.OS, c.Architecture = "linux", runtime.GOARCH
	c.Config = v1.Config{
		Entrypoint: []string{entrypoint},
		Labels:     map[string]string{annotation + ":" + digest.String(): "base"},
	}
	return mutate.ConfigFile(i, c)
}

func push(ctx context.Context, i v1.Image, to string) (string, error) {
	tag, err := name.NewTag(to)
	if err != nil {
		return "", err
	}
	if err := remote.Write(tag, i, remote.WithContext(ctx)); err != nil {
		return "", fmt.Errorf("cannot push %s: %w", tag, err)
	}
	return tag.String(), nil
}

// joined returns the YAML files of a folder as one: crossplane.yaml first, as a package requires.
func joined(folder string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml")) // The names are sorted.
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for _, f := range files {
		b, err := os.ReadFile(f) //nolint:gosec // It was put there by the build.
		if err != nil {
			return nil, err
		}
		all.WriteString("---\n")
		all.Write(b)
		all.WriteString("\n")
	}
	return all.Bytes(), nil
}
