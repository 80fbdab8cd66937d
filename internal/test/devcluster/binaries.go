package devcluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
)

// assetsEnv names the folder in which envtest, too, looks for a control plane.
const assetsEnv = "KUBEBUILDER_ASSETS"

// ensureScript finds or builds the programs. Its path starts at the repository's root.
var ensureScript = filepath.Join("cluster", "dev", "ensure.sh")

// binaries returns the folder with the programs that the options need: KUBEBUILDER_ASSETS if it contains them all,
// otherwise the folder that the script in cluster/dev provides.
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
		_, _ = fmt.Fprintf(o.Progress, "%s is %s, which lacks %s: using the control plane of cluster/dev instead\n",
			assetsEnv, dir, strings.Join(lacking, ", "))
	}

	dir, err := process.Programs(ctx, ensureScript, o.Progress)
	if err != nil {
		return "", fmt.Errorf("cannot provide the dev control plane: %w; or set %s to a folder with %s", err, assetsEnv,
			strings.Join(programs, ", "))
	}
	return dir, nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
