package diff

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// rendered is what a Composition may render: a Function, what uses it, and what it uses.
const rendered = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata: {name: live, namespace: shop}
spec:
  forProvider: {region: eu-central-1, functionNameRef: {name: checkout}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Permission
metadata: {name: skill, namespace: shop}
spec:
  forProvider:
    region: eu-central-1
    functionNameRef: {name: checkout}
    action: lambda:InvokeFunction
    principal: alexa-appkit.amazon.com
    eventSourceToken: hunter2
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: checkout, namespace: shop}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    roleFrom: {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, name: checkout, fieldPath: status.atProvider.arn}
    publish: true
    reservedConcurrentExecutions: 5
    environment:
      variables: {LEVEL: hunter2}
      envFrom: [{secretRef: {name: db}}]
    code: {inline: {index.py: "x = 1"}}
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
stringData: {PASSWORD: hunter2}
---
apiVersion: iam.aws.m.upbound.io/v1beta1
kind: Role
metadata: {name: checkout, namespace: shop}
spec: {}
`

// run runs the command with files, and returns the exit code and what it prints.
func run(t *testing.T, config *rest.Config, stdin string, args ...string) (code int, out, errOut string) {
	t.Helper()
	return runWith(t.Context(), t, config, stdin, args...)
}

// runWith is like run, with a context.
func runWith(
	ctx context.Context,
	t *testing.T,
	config *rest.Config,
	stdin string,
	args ...string,
) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var stdout, stderr bytes.Buffer
	f := kubectl.NewFactory(
		genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &stdout, ErrOut: &stderr},
		time.Now,
		"test",
	)
	if config != nil {
		f.Config.WrapConfigFn = func(*rest.Config) *rest.Config { return rest.CopyConfig(config) }
	}
	root := kubectl.NewCommand(f, NewCommand(f)) //nolint:contextcheck // Completion has a context of its own.
	root.SetArgs(append([]string{"diff"}, args...))
	return kubectl.Run(ctx, f, root), stdout.String(), stderr.String()
}

// TestInterrupted checks that no plan is printed that was not completed.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer s.Close()
	plugintest.SetMachine(t, s.URL, "s3cr3tkey")
	config := "apiVersion: lambda.aws.m.crossplane.io/v1beta1\nkind: ClusterProviderConfig\nmetadata: {name: default}\nspec: {credentials: {source: IRSA}}\n---\n"
	code, out, errOut := runWith(
		ctx,
		t,
		nil,
		"",
		"--local",
		"--refresh",
		"--aws-default-chain",
		"--cluster-id=c1",
		"-f",
		manifest(t, config+rendered),
	)
	if code != kubectl.ExitInterrupted || out+errOut != "" {
		t.Errorf("exit code %d, printed:\n%s%s", code, out, errOut)
	}
}

func manifest(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLocalInvalid plans what an API server would have rejected.
func TestLocalInvalid(t *testing.T) {
	cases := map[string]struct {
		reason, manifest, want string
	}{
		"NoFunction": {
			reason: "A Version without a function cannot be published.",
			manifest: `
kind: Version
spec: {forProvider: {region: eu-central-1}}`,
			want: "no function is named: set spec.forProvider.functionName",
		},
		"NegativeLimit": {
			reason: "A limit below 0 keeps no earlier version.",
			manifest: `
kind: Function
spec: {forProvider: {region: eu-central-1, publish: true, historyLimit: -1, code: {inline: {a: b}}}}`,
			want: "CreateFunction",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, out, errOut := run(t, nil, "", "--local", "-f", manifest(t,
				"apiVersion: lambda.aws.m.crossplane.io/v1beta1\nmetadata: {name: a, namespace: shop}"+tc.manifest))
			if !strings.Contains(out, tc.want) || strings.Contains(out, "a bug of the provider") {
				t.Errorf("%s\nwant %q, got:\n%s%s", tc.reason, tc.want, out, errOut)
			}
		})
	}
}

func TestLocal(t *testing.T) {
	code, out, errOut := run(t, nil, "", "--local", "-f", manifest(t, rendered))
	want := `[+] Alias shop/live (create)
    + functionVersion: "1"
    calls:
      CreateAlias checkout:live

[+] Permission shop/skill (create)
    + action: "lambda:InvokeFunction"
    + eventSourceToken: (redacted)
    + principal: "alexa-appkit.amazon.com"
    calls:
      AddPermission checkout:skill

[+] Function shop/checkout (create)
    + environment.variables[LEVEL]: (redacted)
    + environment.variables[PASSWORD]: (redacted)
    + handler: "index.handler"
    + reservedConcurrentExecutions: 5
    + role: "(known after apply)"
    + runtime: "python3.13"
    calls:
      CreateFunction checkout
      PutFunctionConcurrency checkout

Plan: 3 to create, 0 to adopt, 0 to update, 0 to replace, 0 to delete, 0 unchanged.
Skipped: 1 of other kinds.
`
	if diff := cmp.Diff(want, out); diff != "" || code != 1 || errOut != "" {
		t.Errorf("exit code %d, %s: -want, +got:\n%s", code, errOut, diff)
	}
}

func TestUsage(t *testing.T) {
	file := manifest(t, rendered)
	config := manifest(
		t,
		`{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: ClusterProviderConfig, metadata: {name: mine}, spec: {credentials: {source: Secret, secretRef: {namespace: crossplane-system, name: aws, key: credentials}}, endpoint: {url: {type: Static, static: "http://example.org"}}}}`,
	)
	cases := map[string]struct {
		reason string
		args   []string
		stderr string
	}{
		"Nothing": {
			reason: "There is nothing to plan.",
			stderr: "name either files (-f, -k) or resources of the cluster",
		},
		"Both": {
			reason: "Files and resources of the cluster exclude each other.",
			args:   []string{"functions", "-f", file},
			stderr: "name either files (-f, -k) or resources of the cluster",
		},
		"LocalNames": {
			reason: "Without a cluster there are no resources.",
			args:   []string{"functions", "--local"},
			stderr: "--local needs files (-f, -k)",
		},
		"Credentials": {
			reason: "Credentials would not be used without --refresh.",
			args:   []string{"-f", file, "--aws-profile", "p"},
			stderr: "--aws-profile, --aws-default-chain and --aws-endpoint-url need --refresh",
		},
		"Endpoint": {
			reason: "A file must not choose where credentials of a Secret are sent.",
			args:   []string{"--local", "--refresh", "--cluster-id=c1", "-f", config},
			stderr: "error: ClusterProviderConfig mine names an endpoint, which is not called because it is not in the cluster: set --aws-endpoint-url to call it",
		},
		"Format": {
			reason: "The format is not known.",
			args:   []string{"-f", file, "-o", "wide"},
			stderr: `invalid output format "wide": it must be diff, json or yaml`,
		},
		"Flag": {reason: "The flag is not known.", args: []string{"--bogus"}, stderr: "unknown flag: --bogus"},
		"Missing": {
			reason: "There is no such file.",
			args:   []string{"--local", "-f", "missing.yaml"},
			stderr: `the path "missing.yaml" does not exist`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := run(t, nil, "", tc.args...)
			if code != 2 || out != "" || !strings.Contains(errOut, tc.stderr) {
				t.Errorf("%s\nexit code %d, want 2: %s%s", tc.reason, code, out, errOut)
			}
		})
	}
}

// TestRejected checks that a manifest that is rejected is an error, and not a difference.
func TestRejected(t *testing.T) {
	missing := strings.Replace(rendered, "metadata: {name: db,", "metadata: {name: other,", 1)
	code, out, errOut := run(t, nil, "", "--local", "-f", manifest(t, missing))
	if code != 2 || !strings.Contains(out, "[!] Function shop/checkout (reject)\n    Secret shop/db does not exist") ||
		errOut != "error: 1 of 3 resources are rejected\n" {
		t.Errorf("exit code %d, want 2:\n%s%s", code, out, errOut)
	}
}

// TestNoSecret checks that no format shows the value of a secret.
func TestNoSecret(t *testing.T) {
	for _, format := range []string{formatDiff, formatJSON, formatYAML} {
		code, out, errOut := run(t, nil, rendered, "--local", "-f", "-", "-o", format)
		if code != 1 || !strings.Contains(out, "CreateFunction") || strings.Contains(out+errOut, "hunter2") {
			t.Errorf("%s: exit code %d\n%s%s", format, code, out, errOut)
		}
	}
}

// TestManifests plans files without a cluster, as they may be written.
func TestManifests(t *testing.T) {
	const function = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: a}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::123456789012:role/r
    code: {inline: {index.py: "x = 1"}}
---`
	const role = "\n{apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, metadata: {name: r}, status: {atProvider: {arn: \"arn:aws:iam::123456789012:role/existing\"}}}"
	with := func(old, text string) string { return strings.Replace(function, old, text, 1) }
	roleFrom := with(
		"role: arn:aws:iam::123456789012:role/r",
		"roleFrom: {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, name: r, fieldPath: status.atProvider.arn}",
	)
	generated := with("name: a", "generateName: a-")
	var roles strings.Builder
	for i := range 11 {
		roles.WriteString(
			strings.NewReplacer("name: a", fmt.Sprintf("name: a%d", i), "name: r,", fmt.Sprintf("name: r%d,", i)).
				Replace(roleFrom),
		)
	}
	cases := map[string]struct {
		reason, manifests string
		code              int
		out, errOut       string
		lack              string
	}{
		"NamespaceOfOtherKinds": {
			reason:    "An object of another provider without a namespace is in that of the command, like the resource that refers to it.",
			manifests: roleFrom + role,
			code:      1,
			out:       `+ role: "arn:aws:iam::123456789012:role/existing"`,
		},
		"GeneratedNames": {
			reason:    "Resources of a rendered Composition have the same generateName, and get different names.",
			manifests: generated + generated,
			code:      1,
			out:       "[+] Function shop/a-(known after apply) (create)",
			lack:      "reject",
		},
		"Selector": {
			reason: "A reference by labels selects among the files.",
			manifests: with(
				"name: a",
				"name: b",
			) + with(
				"name: a",
				"name: a, labels: {app: shop}",
			) + "\n{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Alias, metadata: {name: live}, spec: {forProvider: {region: eu-central-1, functionNameSelector: {matchLabels: {app: shop}}, functionVersion: \"1\"}}}",
			code: 1,
			out:  "CreateAlias a:live",
		},
		"PartialARN": {
			reason:    "AWS accepts the ARN of a function from the account on.",
			manifests: function + "\n{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: EventSourceMapping, metadata: {name: orders}, spec: {forProvider: {region: eu-central-1, functionName: \"123456789012:function:a\", eventSourceArn: \"arn:aws:sqs:eu-central-1:123456789012:orders\"}}}",
			code:      1,
			out:       "CreateEventSourceMapping",
			lack:      "UpdateEventSourceMapping",
		},
		"NoName": {
			reason: "The API server takes no object without a name.",
			manifests: with(
				"name: a",
				"labels: {a: b}",
			),
			code: 2,
			out:  "[!] Function shop/ (reject)\n    set metadata.name or metadata.generateName\n",
		},
		"Twice": {
			reason: "What an apply of two manifests of one object results in depends on their order.",
			manifests: function + with(
				"3.13",
				"3.12",
			),
			code: 2,
			out:  "    the manifests contain Function shop/a more than once: keep one of them\n",
			lack: "adopt it",
		},
		"ManyPlaceholders": {
			reason:    "Each of many values is not known.",
			manifests: roles.String(), code: 1, out: `+ role: "(known after apply)"`, lack: `apply)0"`,
		},
		"UnknownField": {
			reason: "A field that is not in the schema would not be planned, and kubectl apply rejects it.",
			manifests: with(
				"handler:",
				"handlr:",
			),
			code:   2,
			errOut: `cannot read Function a: strict decoding error: unknown field "spec.forProvider.handlr"`,
		},
		"WrongType": {
			reason: "The field is named, and its value not shown.",
			manifests: with(
				"handler:",
				"environment: {variables: {PASSWORD: [hunter2]}}\n    handler:",
			),
			code:   2,
			errOut: "environment.variables",
			lack:   "hunter2",
		},
		"OtherKinds": {
			reason:    "What is wrong in objects of other kinds is not for a plan to say.",
			manifests: function + "\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: three}}",
			code:      1,
			out:       "Skipped: 1 of other kinds",
		},
		"UnknownVersion": {
			reason: "A resource of this provider that is not planned is no success.",
			manifests: with(
				"v1beta1",
				"v1alpha1",
			),
			code:   2,
			errOut: "lambda.aws.m.crossplane.io/v1alpha1 has no kind Function",
		},
		"UnknownKind": {
			reason: "A resource of this provider that is not planned is no success.",
			manifests: with(
				"kind: Function",
				"kind: Funktion",
			),
			code:   2,
			errOut: "lambda.aws.m.crossplane.io/v1beta1 has no kind Funktion",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := run(t, nil, tc.manifests, "--local", "-n", "shop", "-f", "-")
			if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errOut, tc.errOut) ||
				tc.lack != "" && strings.Contains(out+errOut, tc.lack) {
				t.Errorf(
					"%s\nexit code %d, want %d, with %q and without %q:\n%s%s",
					tc.reason,
					code,
					tc.code,
					tc.out+tc.errOut,
					tc.lack,
					out,
					errOut,
				)
			}
		})
	}
}

// TestUnknownCluster checks that AWS is not read if nobody tells which resources the cluster owns: the ID that a
// provider without rights takes is not that of a provider with rights.
func TestUnknownCluster(t *testing.T) {
	double, err := kubedouble.New("../../../package/crds", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	config := double.Config()
	config.Transport = &plugintest.Network{
		To:        double,
		Forbidden: []string{"configmaps/extension-apiserver-authentication"},
	}
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		errOut string
	}{
		"Refresh": {
			reason: "Everything would seem to belong to another cluster.",
			args:   []string{"--refresh", "functions"},
			code:   2,
			errOut: "set --cluster-id",
		},
		"Given":   {reason: "The user knows the ID.", args: []string{"--refresh", "--cluster-id=c1", "functions"}},
		"Cluster": {reason: "Without AWS, nothing is owned.", args: []string{"functions"}},
		"Local": {
			reason: "No cluster tells the ID.",
			args:   []string{"--refresh", "--local", "-f", "-"},
			code:   2,
			errOut: "--local with --refresh needs --cluster-id",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := run(t, config, "", tc.args...)
			if code != tc.code || !strings.Contains(errOut, tc.errOut) {
				t.Errorf("%s\nexit code %d, want %d, with %q:\n%s%s", tc.reason, code, tc.code, tc.errOut, out, errOut)
			}
		})
	}
}
