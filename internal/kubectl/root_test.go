package kubectl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: prod
  context: {cluster: c, namespace: kube-system}
- name: dev
  context: {cluster: c}
clusters:
- name: c
  cluster: {server: "http://kubernetes"}
`

// run runs the plugin with a subcommand that completes aliases, and returns the exit code and what was printed.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	double, err := kubedouble.New("../../package/crds", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	f := NewFactory(genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut}, time.Now, "v1.2.3")
	f.Config.WrapConfigFn = func(*rest.Config) *rest.Config { return double.Config() }
	create(t, double.Config(), metav1.NamespaceDefault, "live")
	create(t, double.Config(), metav1.NamespaceDefault, "test")
	create(t, double.Config(), metav1.NamespaceSystem, "other")
	show := &cobra.Command{
		Use:               "show ALIAS",
		Short:             "Show it",
		ValidArgsFunction: f.CompleteNames(Aliases),
		RunE: func(cmd *cobra.Command, args []string) error {
			return UsageErrorf(cmd, "cannot show %v", args)
		},
	}
	output := NewOutput()
	output.AddFlags(show)
	root := NewCommand(f, Group("alias", "Work with aliases", show))
	root.SetArgs(args)
	code = Run(t.Context(), f, root)
	return code, out.String(), errOut.String()
}

func create(t *testing.T, config *rest.Config, namespace, name string) {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1beta1.AliasGroupVersionKind)
	u.SetName(name)
	if _, err := client.Resource(Aliases.Resource).
		Namespace(namespace).
		Create(t.Context(), u, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	type want struct {
		code           int
		stdout, stderr string
	}
	cases := map[string]struct {
		reason string
		args   []string
		want   want
	}{
		"Version": {
			reason: "The version is that of the build.",
			args:   []string{"version"},
			want:   want{stdout: "kubectl-lambda v1.2.3\n"},
		},
		"VersionFormat": {
			reason: "There are two formats.",
			args:   []string{"version", "-o", "xml"},
			want: want{
				code:   1,
				stderr: "error: --output must be 'json' or 'yaml', not \"xml\"\nSee 'kubectl lambda version -h' for help and examples\n",
			},
		},
		"NoArguments": {
			reason: "An argument of a command is no command.",
			args:   []string{"version", "bogus"},
			want: want{
				code:   1,
				stderr: "error: no arguments are accepted, got 1\nSee 'kubectl lambda version -h' for help and examples\n",
			},
		},
		"UnknownCommand": {
			reason: "An unknown command is an error of the root.",
			args:   []string{"bogus"},
			want:   want{code: 1, stderr: "error: unknown command \"bogus\" for \"kubectl lambda\"\n"},
		},
		"UnknownSubcommand": {
			reason: "An unknown command is an error of a group.",
			args:   []string{"alias", "bogus"},
			want: want{
				code:   1,
				stderr: "error: unknown command \"bogus\" for \"kubectl lambda alias\"\nSee 'kubectl lambda alias -h' for help and examples\n",
			},
		},
		"UnknownFlag": {
			reason: "The help is hinted at, not printed.",
			args:   []string{"alias", "show", "--bogus"},
			want: want{
				code:   1,
				stderr: "error: unknown flag: --bogus\nSee 'kubectl lambda alias show --help' for usage\n",
			},
		},
		"Failure": {
			reason: "An error of a command is printed once, without control characters.",
			args:   []string{"alias", "show", "\x1b[2J"},
			want: want{
				code:   1,
				stderr: "error: cannot show [\\x1b[2J]\nSee 'kubectl lambda alias show -h' for help and examples\n",
			},
		},
		"CompleteNames": {
			reason: "Names are those of the namespace of the context.",
			args:   []string{"__complete", "alias", "show", ""},
			want: want{
				stdout: "live\ntest\n:4\n",
				stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
			},
		},
		"CompleteNamesOfNamespace": {
			reason: "The flags apply to completions.",
			args:   []string{"__complete", "alias", "show", "-n", "kube-system", ""},
			want: want{
				stdout: "other\n:4\n",
				stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
			},
		},
		"CompleteNamesOfContext": {
			reason: "The namespace of the context applies to completions.",
			args:   []string{"__complete", "alias", "show", "--context", "prod", "o"},
			want: want{
				stdout: "other\n:4\n",
				stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
			},
		},
		"CompleteTypedNames": {
			reason: "A type that was typed stays.",
			args:   []string{"__complete", "alias", "show", "alias/l"},
			want: want{
				stdout: "alias/live\n:4\n",
				stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
			},
		},
		"CompleteSecondName": {
			reason: "A command takes one name.",
			args:   []string{"__complete", "alias", "show", "live", ""},
			want:   want{stdout: ":4\n", stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n"},
		},
		"CompleteNamespace": {
			reason: "Namespaces are those of the cluster.",
			args:   []string{"__complete", "alias", "show", "-n", "kube"},
			want: want{
				stdout: "kube-system\n:4\n",
				stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
			},
		},
		"CompleteContext": {
			reason: "Contexts are those of the kubeconfig.",
			args:   []string{"__complete", "alias", "show", "--context", ""},
			want: want{
				stdout: "dev\nprod\n:4\n",
				stderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, tc.args...)
			if diff := cmp.Diff(tc.want, want{code, stdout, stderr}, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	cases := map[string]struct {
		reason    string
		args      []string
		has, lack []string
	}{
		"Root": {
			reason: "The root lists commands, not kubectl's flags.",
			args:   nil,
			has:    []string{"kubectl lambda [command]", "alias ", "completion"},
			lack:   []string{"--kubeconfig", "kubectl-lambda"},
		},
		"Group": {
			reason: "A group lists its commands, and not the flags of kubectl.",
			args:   []string{"alias"},
			has:    []string{"show ", globalFlags},
			lack:   []string{"--kubeconfig"},
		},
		"Command": {
			reason: "A command lists its own flags.",
			args:   []string{"alias", "show", "-h"},
			has:    []string{"kubectl lambda alias show ALIAS [flags]", "--output", globalFlags},
			lack:   []string{"--kubeconfig"},
		},
		"Options": {
			reason: "The command options lists the flags of kubectl.",
			args:   []string{"options"},
			has:    []string{"--kubeconfig", "--namespace", "--context", "--as "},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, tc.args...)
			if code != 0 || stderr != "" {
				t.Errorf("%s: exit code %d: %s", tc.reason, code, stderr)
			}
			for _, s := range tc.has {
				if !strings.Contains(stdout, s) {
					t.Errorf("%s: no %q in:\n%s", tc.reason, s, stdout)
				}
			}
			for _, s := range tc.lack {
				if strings.Contains(stdout, s) {
					t.Errorf("%s: %q in:\n%s", tc.reason, s, stdout)
				}
			}
		})
	}
}

func TestVersionFormats(t *testing.T) {
	for format, want := range map[string]string{"json": `"version": "v1.2.3",`, "yaml": "version: v1.2.3\n"} {
		if _, stdout, stderr := run(
			t,
			"version",
			"-o",
			format,
		); !strings.Contains(stdout, want) ||
			strings.HasSuffix(stdout, "\n\n") {
			t.Errorf("-o %s: got %q, %q, want %q in it", format, stdout, stderr, want)
		}
	}
}
