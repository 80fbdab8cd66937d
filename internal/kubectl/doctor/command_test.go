package doctor

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

var at = time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC)

// An env is an API server with the objects of testdata/shop.yaml, AWS, and the plugin.
type env struct {
	aws         *awsdouble.Server
	lambda      *lambda.Client
	network     *plugintest.Network
	factory     *kubectl.Factory
	out, errOut bytes.Buffer
}

func newEnv(t *testing.T, o awsdouble.Options) *env {
	t.Helper()
	now := func() time.Time { return at }
	o.Now = now
	e := &env{aws: awsdouble.New(o)}
	e.aws.Start()
	t.Cleanup(e.aws.Close)
	e.lambda = lambda.NewFromConfig(e.aws.Config("eu-central-1"))
	plugintest.SetMachine(t, e.aws.URL(), "hunter2")
	double, err := kubedouble.New(definitions(t), now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(double.Config())
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plugintest.Create(t, client, string(b))
	e.network = &plugintest.Network{To: double}
	e.factory = kubectl.NewFactory(
		genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &e.out, ErrOut: &e.errOut},
		now,
		"test",
	)
	e.factory.Config.WrapConfigFn = func(*rest.Config) *rest.Config {
		c := double.Config()
		c.Transport = e.network
		return c
	}
	return e
}

// definitions returns a folder with the definitions of the provider's kinds and of Flux's GitRepository.
func definitions(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, from := range []string{"../../../package/crds", "../diff/testdata"} {
		if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// run runs the plugin, and returns the exit code.
func (e *env) run(t *testing.T, args ...string) int {
	t.Helper()
	e.out.Reset()
	e.errOut.Reset()
	root := kubectl.NewCommand(e.factory, NewCommand(e.factory))
	root.SetArgs(append([]string{"doctor"}, args...))
	return kubectl.Run(t.Context(), e.factory, root)
}

// golden compares what was printed with a file of testdata.
func (e *env) golden(t *testing.T, file string) string {
	t.Helper()
	path := filepath.Join("testdata", file)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, e.out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), e.out.String()); diff != "" {
		t.Errorf("%s: -want +got:\n%s\n%s", file, diff, e.errOut.String())
	}
	return string(want)
}

// TestMisspelt checks that a namespace without resources does not seem to be one without findings.
func TestMisspelt(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	if e.run(t, "-n", "shopp"); !strings.Contains(e.errOut.String(), "No resources found in shopp namespace.") {
		t.Errorf("want a hint, got: %s", e.errOut.String())
	}
}

func TestDoctor(t *testing.T) {
	cases := map[string]struct {
		reason    string
		args      []string
		forbidden []string
		golden    string
		code      int
	}{
		"Namespace": {
			reason: "The findings about a namespace, the most severe first.",
			args:   []string{"-n", "shop"},
			golden: "shop.txt",
			code:   1,
		},
		"All": {
			reason: "With -A, the findings about all namespaces are shown.",
			args:   []string{"-A"},
			golden: "all.txt",
			code:   1,
		},
		"Info": {
			reason:    "Findings of severity Info do not fail.",
			args:      []string{"-n", "billing"},
			forbidden: []string{"clusterproviderconfigs"},
			golden:    "info.txt",
		},
		"None": {
			reason:    "Without findings, the report says that there are none.",
			args:      []string{"-n", "default"},
			forbidden: []string{"clusterproviderconfigs", "functions"},
			golden:    "none.txt",
		},
		"Stalled": {
			reason:    "A resource that waits for its user is a finding, and an alias whose user has undone a rollout is none.",
			args:      []string{"-n", "cart"},
			forbidden: []string{"clusterproviderconfigs"},
			golden:    "stalled.txt",
			code:      1,
		},
		"Sources": {
			reason: "A Flux source that brings no later revision is a finding, unless the condition Synced of what uses it says so.",
			args:   []string{"-n", "gitops"},
			golden: "sources.txt",
			code:   1,
		},
		"ForbiddenSource": {
			reason: "A source that the user may not read is named.", args: []string{"-n", "gitops"},
			forbidden: []string{"gitrepositories/failing", "gitrepositories/unsigned", "clusterproviderconfigs"},
			golden:    "sources-forbidden.txt", code: 1,
		},
		"YAML": {
			reason: "Programs read the same.",
			args:   []string{"-n", "billing", "-o", "yaml"},
			golden: "billing.yaml",
			code:   1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, awsdouble.Options{})
			e.network.Forbidden = tc.forbidden
			code := e.run(t, tc.args...)
			e.golden(t, tc.golden)
			if code != tc.code || len(e.network.Methods) != 1 || e.network.Methods[http.MethodGet] == 0 {
				t.Errorf(
					"%s: want exit code %d and reads only, got %d, %v: %s",
					tc.reason,
					tc.code,
					code,
					e.network.Methods,
					e.errOut.String(),
				)
			}
			if n := e.aws.Calls(); len(n) > 0 {
				t.Errorf("AWS is not called without --refresh: %v", n)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	for name, args := range map[string][]string{
		"Argument": {"checkout"}, "Profile": {"--aws-profile", "audit"}, "Flag": {"--nope"}, "Format": {"-o", "nope"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, awsdouble.Options{})
			if code := e.run(t, args...); code != 2 || e.errOut.Len() == 0 {
				t.Errorf("want exit code 2 and a message, got %d: %s", code, e.errOut.String())
			}
		})
	}
}

// TestNothingListed checks that a report on nothing is an error, and no good news for a nightly job.
func TestNothingListed(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	kinds, err := filepath.Glob("../../../package/crds/*.yaml")
	if err != nil || len(kinds) == 0 {
		t.Fatal(kinds, err)
	}
	for _, file := range kinds {
		_, plural, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".yaml"), "_")
		e.network.Forbidden = append(e.network.Forbidden, plural)
	}
	const want = "error: cannot list any resource of the provider, such as aliases: aliases is forbidden\n"
	if code := e.run(t, "-n", "shop"); code != 2 || e.errOut.String() != want || e.out.Len() > 0 {
		t.Errorf("exit code %d, want 2 and %q, got %s%s", code, want, e.out.String(), e.errOut.String())
	}
}

// publish creates the function shop-checkout with versions 1 to n.
func (e *env) publish(t *testing.T, n int) {
	t.Helper()
	fn := aws.String("shop-checkout")
	for i := range n {
		if i == 0 {
			if _, err := e.lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
				FunctionName: fn,
				Role:         aws.String("arn:aws:iam::123456789012:role/r"),
				Handler:      aws.String("index.handler"),
				Runtime:      types.RuntimePython313,
				Code:         &types.FunctionCode{ZipFile: zipped(t)},
				Publish:      true,
			}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := e.lambda.UpdateFunctionConfiguration(
			t.Context(),
			&lambda.UpdateFunctionConfigurationInput{FunctionName: fn, Description: aws.String(strings.Repeat("x", i))},
		); err != nil {
			t.Fatal(err)
		}
		if _, err := e.lambda.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: fn}); err != nil {
			t.Fatal(err)
		}
	}
}

func zipped(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("index.py"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRefresh(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	e.publish(t, 5)
	if _, err := e.lambda.CreateAlias(
		t.Context(),
		&lambda.CreateAliasInput{
			FunctionName:    aws.String("shop-checkout"),
			Name:            aws.String("live"),
			FunctionVersion: aws.String("2"),
		},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := e.lambda.PutProvisionedConcurrencyConfig(
		t.Context(),
		&lambda.PutProvisionedConcurrencyConfigInput{
			FunctionName:                    aws.String("shop-checkout"),
			Qualifier:                       aws.String("3"),
			ProvisionedConcurrentExecutions: aws.Int32(1),
		},
	); err != nil {
		t.Fatal(err)
	}
	e.aws.PutLog("eu-central-1", "/aws/lambda/shop-checkout", "s", "hello", time.Unix(0, 0))
	e.aws.ResetCalls()
	if code := e.run(t, "-n", "shop", "--refresh"); code != 1 {
		t.Errorf("want exit code 1, got %d: %s", code, e.errOut.String())
	}
	plugintest.Documented(t, e.golden(t, "refresh.txt"))
	for _, c := range e.aws.Calls() {
		if op := c.Operation; !strings.HasPrefix(op, "Get") && !strings.HasPrefix(op, "List") &&
			!strings.HasPrefix(op, "Describe") {
			t.Errorf("%s is no read", c.Operation)
		}
	}
}

func TestRefreshOfUnknownRegion(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	e.run(t, "-n", "cart", "--refresh")
	const want = `what AWS has in "eu-nowhere-1": it is not a region of AWS, such as eu-west-1`
	if out := e.out.String(); !strings.Contains(out, want) || strings.Contains(out, "expression") {
		t.Errorf("want %q in:\n%s", want, out)
	}
	if n := e.aws.Calls(); len(n) > 0 {
		t.Errorf("AWS is not called in a region that it does not have: %v", n)
	}
}

func TestRefreshOfAnotherAccount(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	e.run(t, "-n", "billing", "--refresh")
	const want = "versions of functions of account 210987654321: the credentials of this machine are of account 123456789012"
	if !strings.Contains(e.out.String(), want) {
		t.Errorf("want %q in:\n%s", want, e.out.String())
	}
}

// TestRefreshOfDisabledRegion checks that credentials that are not valid in one region still read the others.
func TestRefreshOfDisabledRegion(t *testing.T) {
	e := newEnv(t, awsdouble.Options{})
	invalid := awsdouble.Error{
		Status:  http.StatusForbidden,
		Code:    "InvalidClientTokenId",
		Message: "The security token included in the request is invalid",
	}
	e.aws.Fail(awsdouble.Fault{Operation: "GetCallerIdentity", Error: invalid})
	const want = "what AWS has in af-south-1: cannot read which account the credentials of this machine are of: InvalidClientTokenId: The security token included in the request is invalid"
	code := e.run(t, "-A", "--refresh")
	if out := e.out.String(); code != 1 || !strings.Contains(out, want) ||
		strings.Contains(out, "what AWS has in eu-central-1") {
		t.Errorf("exit code %d, want 1 and %q in:\n%s%s", code, want, out, e.errOut.String())
	}
	e.aws.Fail(awsdouble.Fault{Operation: "GetCallerIdentity", Error: invalid, Times: -1})
	if code := e.run(t, "-A", "--refresh"); code != 2 || !strings.Contains(e.errOut.String(), "InvalidClientTokenId") {
		t.Errorf("exit code %d, want 2 if there is no region: %s", code, e.errOut.String())
	}
}
