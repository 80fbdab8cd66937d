package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// chartCommand prints what Crossplane's own Helm chart installs.
type chartCommand struct {
	Chart     string `arg:"" help:"Folder of the chart." type:"existingdir"`
	Namespace string `default:"crossplane-system" help:"Namespace that Crossplane is installed in."`
}

// Run runs the command.
func (c chartCommand) Run(out io.Writer) error {
	chart, err := loader.LoadDir(c.Chart)
	if err != nil {
		return fmt.Errorf("cannot read Crossplane's chart: %w", err)
	}
	release := chartutil.ReleaseOptions{Name: "crossplane", Namespace: c.Namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, nil, release, chartutil.DefaultCapabilities)
	if err != nil {
		return fmt.Errorf("cannot make the values of Crossplane's chart: %w", err)
	}
	files, err := engine.Render(chart, values)
	if err != nil {
		return fmt.Errorf("cannot render Crossplane's chart: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") || strings.TrimSpace(files[name]) == "" {
			continue
		}
		if _, err := fmt.Fprintf(out, "---\n%s\n", files[name]); err != nil {
			return err
		}
	}
	return nil
}
