package kubectl

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// versionInfo is the output of version in JSON and YAML.
type versionInfo struct {
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

// newVersion returns the command that prints the version of the plugin.
func newVersion(f *Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the plugin",
		Args:  NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versionInfo{f.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			text, err := v.render(cmd, output)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(f.Out, text)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "One of 'json' or 'yaml'.")
	return cmd
}

func (v versionInfo) render(cmd *cobra.Command, output string) (string, error) {
	switch output {
	case "":
		return "kubectl-lambda " + v.Version, nil
	case "json":
		b, err := json.MarshalIndent(v, "", "  ")
		return string(b), err
	case "yaml":
		b, err := yaml.Marshal(v)
		return string(b[:max(len(b)-1, 0)]), err
	}
	return "", UsageErrorf(cmd, "--output must be 'json' or 'yaml', not %q", output)
}
