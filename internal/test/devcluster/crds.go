package devcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	// crdTimeout is the longest time that the API server may take to serve CustomResourceDefinitions. A machine that
	// also compiles is slow.
	crdTimeout = 2 * time.Minute

	// crdInterval is the time between two checks of whether they are served.
	crdInterval = 50 * time.Millisecond
)

// readCRDs reads the CustomResourceDefinitions at paths. It fails if a path does not exist or contains none, since a
// test without the kinds that it tests misleads.
func readCRDs(paths []string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, path := range paths {
		o := envtest.CRDInstallOptions{Paths: []string{path}, ErrorIfPathMissing: true}
		if err := envtest.ReadCRDFiles(&o); err != nil {
			return nil, fmt.Errorf("cannot read CustomResourceDefinitions from %s: %w", path, err)
		}
		if len(o.CRDs) == 0 {
			return nil, fmt.Errorf("there are no CustomResourceDefinitions in %s", path)
		}
		all = append(all, o.CRDs...)
	}
	return all, nil
}

// installCRDs installs CustomResourceDefinitions and returns when they are served.
func installCRDs(c *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	if len(crds) == 0 {
		return nil
	}
	if _, err := envtest.InstallCRDs(c,
		envtest.CRDInstallOptions{CRDs: crds, MaxTime: crdTimeout, PollInterval: crdInterval}); err != nil {
		return fmt.Errorf("cannot install CustomResourceDefinitions: %w", err)
	}
	return nil
}

// crossplaneModule is the Go module with Crossplane's own kinds. Its version is the one that cluster/crossplane is
// built from.
const crossplaneModule = "github.com/crossplane/crossplane/v2"

// crossplaneCRDs returns the folder of the CustomResourceDefinitions that Crossplane installs: packages,
// compositions, operations and so on. The module is downloaded if the module cache lacks it; nothing is built.
func crossplaneCRDs(ctx context.Context) (string, error) {
	folder := filepath.Join("cluster", "crossplane")
	root, err := process.Root(filepath.Join(folder, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("cannot find Crossplane's kinds: %w", err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", crossplaneModule)
	cmd.Dir, cmd.Stderr = filepath.Join(root, folder), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cannot download %s: %w: %s%s", crossplaneModule, err, out, stderr.String())
	}
	var module struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("cannot tell where %s is: %w", crossplaneModule, err)
	}
	return filepath.Join(module.Dir, "cluster", "crds"), nil
}
