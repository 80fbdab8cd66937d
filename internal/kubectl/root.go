package kubectl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"
)

// globalFlags replaces the flags of kubectl in the help of each command, as kubectl does.
const globalFlags = `Use "kubectl lambda options" for the flags that all commands have, ` +
	`such as --namespace and --context.`

// NewCommand returns the plugin's command with its subcommands.
func NewCommand(f *Factory, children ...*cobra.Command) *cobra.Command {
	root := Group("kubectl-lambda", "Work with AWS Lambda through provider-lambda",
		append(children, newVersion(f), newOptions())...)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl lambda"}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(f.In)
	root.SetOut(f.Out)
	root.SetErr(f.ErrOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w\nSee '%s --help' for usage", err, cmd.CommandPath())
	})
	f.Config.AddFlags(root.PersistentFlags())
	root.SetUsageTemplate(strings.NewReplacer(
		"Global Flags:\n{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}", globalFlags,
		"{{if .HasAvailableLocalFlags}}", "{{if and .HasParent .HasAvailableLocalFlags}}",
	).Replace(root.UsageTemplate()))
	completeFlags(f, root)
	return root
}

// Group returns a command that only has subcommands.
func Group(use, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UsageErrorf(cmd, "unknown command %q for %q", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(children...)
	return cmd
}

// newOptions returns the command that lists kubectl's flags.
func newOptions() *cobra.Command {
	return &cobra.Command{
		Use:   "options",
		Short: "List the flags that all commands have",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), "All commands have these flags:\n\n",
				cmd.InheritedFlags().FlagUsages())
			return err
		},
	}
}

// patience is the time for which an interrupted command may go on, such as to restore the terminal. Discovery of the
// cluster's kinds cannot be interrupted.
const patience = 2 * time.Second

// Run runs a command, prints its error as kubectl does, and returns the exit code. A context that ends means that the
// user has ended the command.
func Run(ctx context.Context, f *Factory, root *cobra.Command) int {
	err := execute(ctx, root)
	if err != nil && ctx.Err() != nil {
		err = ErrInterrupted
	}
	for _, w := range []io.Writer{f.Out, f.ErrOut} {
		if t, ok := w.(*Terminal); ok {
			t.flush()
		}
	}
	if message := Message(err); message != "" {
		_, _ = fmt.Fprintln(f.ErrOut, Escape(message))
	}
	return ExitCode(err)
}

// execute executes a command, until it ends or was interrupted and has not ended soon.
func execute(ctx context.Context, root *cobra.Command) error {
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-clock.RealClock{}.After(patience):
		return ErrInterrupted
	}
}

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
