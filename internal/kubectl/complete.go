package kubectl

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// completionTimeout limits a completion.
const completionTimeout = 5 * time.Second

// CompleteNames returns a function that completes the first argument with the names of a kind's resources. If the
// argument has a type and a slash already, the names have it too.
func (f *Factory) CompleteNames(k Kind) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		client, err := f.Resources(k)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		typ := ""
		if i := strings.LastIndex(begun, "/"); i >= 0 {
			typ = begun[:i+1]
		}
		return list(cmd.Context(), client, typ, begun)
	}
}

// list returns the names of the resources of a client that begin as an argument does.
func list(
	ctx context.Context, client dynamic.ResourceInterface, prefix, begun string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	all, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []cobra.Completion
	for _, u := range all.Items {
		if name := prefix + u.GetName(); strings.HasPrefix(name, begun) {
			out = append(out, name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags completes the values of kubectl's flags.
func completeFlags(f *Factory, root *cobra.Command) {
	register(root, "namespace", func(
		cmd *cobra.Command, _ []string, begun string,
	) ([]cobra.Completion, cobra.ShellCompDirective) {
		client, err := f.Client()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return list(cmd.Context(), client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")), "", begun)
	})
	register(root, "context", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		config, err := f.Config.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var out []cobra.Completion
		for name := range config.Contexts {
			out = append(out, name)
		}
		slices.Sort(out)
		return out, cobra.ShellCompDirectiveNoFileComp
	})
}

// CompleteFlag completes the value of a flag of a command with fixed values.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	register(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// register completes the value of a flag, which the command must have.
func register(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // The flag does not exist: a mistake in the program.
	}
}
