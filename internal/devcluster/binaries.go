package devcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
)

// assetsEnv names the folder in which envtest, too, looks for a control plane.
const assetsEnv = "KUBEBUILDER_ASSETS"

// ensureScript finds or builds the programs. Its path starts at the
// repository's root.
var ensureScript = filepath.Join("cluster", "dev", "ensure.sh")

// binaries returns the folder that holds the programs which o needs: the one
// that KUBEBUILDER_ASSETS names, if it holds them all, or else the one that
// the script in cluster/dev provides.
func binaries(ctx context.Context, o Options) (string, error) {
	programs := []string{etcd, apiServer}
	if o.Controllers {
		programs = append(programs, controllerManager)
	}

	if dir := os.Getenv(assetsEnv); dir != "" {
		lacking := slices.DeleteFunc(programs, func(p string) bool { return isExecutable(filepath.Join(dir, p)) })
		if len(lacking) == 0 {
			return dir, nil
		}
		_, _ = fmt.Fprintf(o.Progress, "%s is %s, which lacks %s: using the control plane of cluster/dev instead\n", assetsEnv, dir, strings.Join(lacking, ", "))
	}

	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot find %s: %w", ensureScript, err)
	}
	script, err := findUp(wd, ensureScript)
	if err != nil {
		return "", fmt.Errorf("%w; run from inside the provider's repository, or set %s to a folder with %s", err, assetsEnv, strings.Join(programs, ", "))
	}
	return ensure(ctx, script, o)
}

// ensure runs the script and returns the folder that it prints.
func ensure(ctx context.Context, script string, o Options) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", script)
	cmd.Stderr = o.Progress
	// Asked to end, the script ends the build and cleans up.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second

	out, err := cmd.Output()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("cannot provide the programs of the dev control plane: %w; run %s once, which builds them in 6 to 8 minutes, and try again", err, script)
	}
	return strings.TrimSpace(string(out)), nil
}

// findUp returns the path of the file with the given name in dir or the nearest
// of the folders that dir lies in.
func findUp(dir, name string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		p := filepath.Join(d, name)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("cannot look for %s: %w", name, err)
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("there is no %s in %s or above it", name, dir)
		}
	}
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
