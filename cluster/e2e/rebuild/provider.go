package rebuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/packages"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	// version is the prefix of the packages' versions.
	version = "v0.0.0-dev."

	// readyTimeout is the longest time until a program is ready.
	readyTimeout = 2 * time.Minute
)

// A Provider builds and installs the provider of a repository. It implements a Loop's Steps.
type Provider struct {
	Platform *platform.Platform

	// Root of the repository, and a folder to build in.
	Root, Folder string

	// Image that is installed. Install sets it; until then, the provider is not installed.
	Image string

	number int
}

// Generate generates code and definitions from the API types.
func (p *Provider) Generate(ctx context.Context) error {
	if err := p.goCommand(ctx, "generate", "./apis/..."); err != nil {
		return fmt.Errorf("cannot generate; what runs goes on:\n%w", err)
	}
	return nil
}

// Install builds the package and installs it, or updates the provider to it.
func (p *Provider) Install(ctx context.Context) error {
	p.number++
	out := filepath.Join(p.Folder, "package")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	image, err := packages.PushProvider(ctx, p.Platform.Registry.Host, p.Root, out, fmt.Sprint(version, p.number))
	if err != nil {
		return err
	}
	move := p.Platform.UpdateProvider
	if p.Image == "" {
		move = p.Platform.InstallProvider
	}
	p.Image = image
	return move(ctx, image)
}

// Run builds the provider's program and replaces the running one. The build uses the settings of the package, so that
// nothing is compiled twice.
func (p *Provider) Run(ctx context.Context) (changed bool, err error) {
	built := filepath.Join(p.Folder, "provider")
	flags := "-ldflags=-s -w -buildid= -X main.version=" + fmt.Sprint(version, p.number)
	if err := p.goCommand(ctx, "build", "-trimpath", "-gcflags=all=-dwarf=false", "-buildvcs=false", flags,
		"-o", built, "./cmd/provider"); err != nil {
		return false, fmt.Errorf("cannot build the provider; the one that runs goes on:\n%w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	changed, err = p.Platform.Node.Replace(ctx, p.Image, built)
	if err != nil {
		return false, fmt.Errorf("the provider was built, but does not run: %w", err)
	}
	return changed, nil
}

// goCommand runs the Go command in the repository, with the settings of the package.
func (p *Provider) goCommand(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // The arguments are ours.
	cmd.Dir = p.Root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	out, err := process.Output(cmd)
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return errors.New(text) // The text is complete; the exit status adds nothing.
	}
	return err
}
