package packages

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// PushProvider builds the provider's package from the sources in root, for this architecture and the one that
// Crossplane's package manager reads, and pushes it to a registry at a host. out is a folder to build in.
func PushProvider(ctx context.Context, host, root, out, version string) (image string, err error) {
	if err := packaging(ctx, root, "build",
		append([]string{"--root=" + root, "--out=" + out, "--version=" + version}, platforms()...)...); err != nil {
		return "", fmt.Errorf("cannot build the provider's package: %w", err)
	}
	if err := packaging(ctx, root, "push", "--out="+out, "--version="+version, host); err != nil {
		return "", fmt.Errorf("cannot push the provider's package: %w", err)
	}
	return host + "/provider-lambda:" + version, nil
}

func platforms() []string {
	p := []string{"--platform=linux/amd64"}
	if runtime.GOARCH != "amd64" {
		p = append(p, "--platform=linux/"+runtime.GOARCH)
	}
	return p
}

// packaging runs what `make xpkg` runs.
func packaging(ctx context.Context, root, command string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", //nolint:gosec // The arguments are ours.
		append([]string{"run", ".", command}, args...)...)
	cmd.Dir = filepath.Join(root, "cluster", "package")
	if out, err := process.Output(cmd); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
