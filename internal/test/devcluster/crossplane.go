package devcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

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
