package status

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

var at = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)

// An env is an API server, and the plugin.
type env struct {
	network     *plugintest.Network
	factory     *kubectl.Factory
	out, errOut bytes.Buffer
}

// newEnv starts an API server with the objects of a file in testdata.
func newEnv(t *testing.T, file string) *env {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	double, err := kubedouble.New("../../../package/crds", func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(double.Config())
	if err != nil {
		t.Fatal(err)
	}
	plugintest.Create(t, client, string(b))
	e := &env{network: &plugintest.Network{To: double}}
	e.factory = kubectl.NewFactory(
		genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &e.out, ErrOut: &e.errOut},
		func() time.Time { return at },
		"test",
	)
	e.factory.Config.WrapConfigFn = func(*rest.Config) *rest.Config {
		c := double.Config()
		c.Transport = e.network
		return c
	}
	return e
}

// run runs the plugin, and returns the exit code.
func (e *env) run(t *testing.T, args ...string) int {
	t.Helper()
	root := kubectl.NewCommand(e.factory, NewCommand(e.factory))
	root.SetArgs(append([]string{"status", "-n", "shop"}, args...))
	return kubectl.Run(t.Context(), e.factory, root)
}

func TestStatus(t *testing.T) {
	cases := map[string]struct {
		reason    string
		args      []string
		forbidden []string
		golden    string
	}{
		"Page": {
			reason: "The page has what belongs to the Function.",
			args:   []string{"checkout"},
			golden: "page.txt",
		},
		"TypedName": {
			reason: "The Function may be named with its type.",
			args:   []string{"function/checkout"},
			golden: "page.txt",
		},
		"ReadOnly": {
			reason:    "What the user may not list is named.",
			args:      []string{"checkout"},
			forbidden: []string{"events", "permissions", "functionurls"},
			golden:    "forbidden.txt",
		},
		"YAML": {reason: "Programs read the same.", args: []string{"checkout", "-o", "yaml"}, golden: "page.yaml"},
		"New": {
			reason: "A Function that AWS does not have yet has little.",
			args:   []string{"new"},
			golden: "new.txt",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, "shop.yaml")
			e.network.Forbidden = tc.forbidden
			code := e.run(t, tc.args...)
			path := filepath.Join("testdata", tc.golden)
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(path, e.out.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), e.out.String()); diff != "" || code != 0 {
				t.Errorf("%s: exit code %d: %s: -want, +got:\n%s", tc.reason, code, e.errOut.String(), diff)
			}
			if strings.Contains(e.out.String(), "hunter2") || strings.Contains(e.out.String(), "\x1b") {
				t.Errorf("it shows a value of the environment, or colors:\n%s", e.out.String())
			}
			for method := range e.network.Methods {
				if method != http.MethodGet {
					t.Errorf("a command that reads has sent %s", method)
				}
			}
		})
	}
}

// TestDocumented checks that the documentation shows what the command prints.
func TestDocumented(t *testing.T) {
	e := newEnv(t, "shop.yaml")
	if code := e.run(t, "checkout"); code != 0 {
		t.Errorf("want exit code 0, got %d: %s", code, e.errOut.String())
	}
	plugintest.Documented(t, e.out.String())
}

func TestStatusFails(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NotFound": {
			reason: "The answer is the API server's.",
			args:   []string{"other"},
			want:   "Error from server (NotFound): functions.lambda.aws.m.crossplane.io \"other\" not found\n",
		},
		"NoName": {
			reason: "A Function has to be named.",
			want:   "error: exactly one FUNCTION is required, got 0\nSee 'kubectl lambda status -h' for help and examples\n",
		},
		"OtherKind": {
			reason: "Another kind is a mistake.",
			args:   []string{"alias/live"},
			want:   "error: \"alias/live\" is not of type function: name it function/NAME, or NAME alone\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, "shop.yaml")
			if code := e.run(t, tc.args...); code != 1 || e.errOut.String() != tc.want || e.out.String() != "" {
				t.Errorf("%s: exit code %d: %s%s, want %s", tc.reason, code, e.out.String(), e.errOut.String(), tc.want)
			}
		})
	}
}

// TestRevisions checks that the page says which revision of the code a version has, who has signed it, and which of
// them aliases invoke.
func TestRevisions(t *testing.T) {
	e := newEnv(t, "revisions.yaml")
	if code := e.run(t, "cart"); code != 0 {
		t.Fatalf("want exit code 0, got %d: %s", code, e.errOut.String())
	}
	const want = `
Versions
  VERSION   STATE                     REVISION        SIGNED BY
  3         latest                    main@sha1:def   https://github.com/acme/shop
  2         earlier                   main@sha1:abc   <none>
  1         earlier                   <none>          <none>
  4         Active, version/release   main@sha1:fed   key sha256:1

Aliases
  NAME    READY     VERSION             WEIGHTS                 ROLLOUT
  live    Unknown   2                   3=0.1                   Progressing, Analyzing: version 3 (main@sha1:def) receives 10 %, version 2 (main@sha1:abc) is stable
  plain   Unknown   2 (main@sha1:abc)   4=10% (main@sha1:fed)   <none>
  test    Unknown   3                   <none>                  Ready: version 3 (main@sha1:def) is stable
`
	if got := e.out.String(); !strings.Contains(got, want) {
		t.Errorf("want%s\ngot\n%s", want, got)
	}
}

// TestRolloutIsNoProblem checks that an Alias whose rollout continues is not listed among the problems.
func TestRolloutIsNoProblem(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  v1beta1.AliasRolloutStatus
		want   bool
	}{
		"Validating": {
			reason: "AWS prepares the version.",
			state:  v1beta1.AliasRolloutStatus{Phase: v1beta1.RolloutPending, Step: v1beta1.RolloutValidating},
		},
		"Analyzing": {
			reason: "The target is measured.",
			state:  v1beta1.AliasRolloutStatus{Phase: v1beta1.RolloutProgressing, Step: v1beta1.RolloutAnalyzing},
		},
		"Paused": {
			reason: "It waits for someone.",
			state:  v1beta1.AliasRolloutStatus{Phase: v1beta1.RolloutProgressing, Step: v1beta1.RolloutPaused},
			want:   true,
		},
		"Failed": {
			reason: "It has ended.",
			state:  v1beta1.AliasRolloutStatus{Phase: v1beta1.RolloutFailed, Step: v1beta1.RolloutValidating},
			want:   true,
		},
		"Undone": {
			reason: "The user has chosen the version that serves.",
			state:  v1beta1.AliasRolloutStatus{Phase: v1beta1.RolloutFailed, Reason: v1beta1.RolloutReasonRollbackTo},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := &v1beta1.Alias{Status: v1beta1.AliasStatus{Rollout: &tc.state}}
			a.SetConditions(xpv2.Unavailable())
			r := &reader{page: &page{}}
			r.relate("alias", a)
			if got := len(r.page.Problems) > 0; got != tc.want {
				t.Errorf("%s: want a problem %t, got %v", tc.reason, tc.want, r.page.Problems)
			}
		})
	}
}
