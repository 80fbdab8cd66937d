package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// repository is the folder with the contents of the real package.
const repository = "../.."

// program replaces the provider and the plugin, which take minutes to compile. The other files are the repository's
// own.
const program = `package main

import "fmt"

var version = "dev"

func main() { fmt.Print(version) }
`

// shared is the package that most tests use.
var shared = sync.OnceValues(func() (*built, error) {
	root, err := os.MkdirTemp("", "provider-lambda-test-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	r, err := fixture(root, 0o644)
	if err != nil {
		return nil, err
	}
	return build(context.Background(), r)
})

// builtPackage returns the shared package.
func builtPackage(t *testing.T) *built {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newFixture creates a small repository with files of the given mode.
func newFixture(t *testing.T, mode fs.FileMode) release {
	t.Helper()
	r, err := fixture(t.TempDir(), mode)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// platforms of a release.
var platforms = []v1.Platform{{OS: "linux", Architecture: "amd64"}, {OS: "linux", Architecture: "arm64"}}

func fixture(root string, mode fs.FileMode) (release, error) {
	r := release{
		Root:      root,
		Platforms: platforms,
		Version:   "v1.2.3-test",
		Revision:  "0123456789abcdef0123456789abcdef01234567",
		Created:   time.Date(2026, 11, 21, 10, 20, 30, 0, time.UTC),
	}
	gomod, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		return r, err
	}
	name, _, _ := bytes.Cut(gomod, []byte("\n"))
	write := func(path string, content []byte) error {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, content, mode)
	}
	if err := write("go.mod", append(name, "\n\ngo 1.26.0\n"...)); err != nil {
		return r, err
	}
	for _, name := range []string{providerProgram, pluginProgram} {
		if err := write("cmd/"+name+"/main.go", []byte(program)); err != nil {
			return r, err
		}
	}
	for _, copied := range []string{metaFile, licenseFile, iconFile, objectsFolder, examplesFolder} {
		err := filepath.WalkDir(filepath.Join(repository, copied), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			path, err = filepath.Rel(repository, path)
			if err != nil {
				return err
			}
			return write(path, content)
		})
		if err != nil {
			return r, err
		}
	}
	return r, nil
}
