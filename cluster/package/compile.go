package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

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

	flags := "-ldflags=-s -w -buildid= -X main.version=" + r.Version
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", flags, "-o", dir, "./cmd/"+program) //nolint:gosec // build checked the version.
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
