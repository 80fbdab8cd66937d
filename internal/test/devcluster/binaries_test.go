package devcluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBinaries(t *testing.T) {
	const built = "/cache/built" // The output of the script in these tests.

	cases := map[string]struct {
		reason   string
		assets   []string // the programs in KUBEBUILDER_ASSETS; nil leaves it unset
		o        Options
		want     string // empty means KUBEBUILDER_ASSETS
		progress string
	}{
		"Unset": {
			reason: "Without KUBEBUILDER_ASSETS, the script provides the programs.",
			want:   built,
		},
		"Complete": {
			reason: "Programs that are there need not be built.",
			assets: []string{etcd, apiServer, controllerManager},
			o:      Options{Controllers: true},
		},
		"CompleteWithoutControllers": {
			reason: "What envtest downloads is enough where no controllers are wanted.",
			assets: []string{etcd, apiServer},
		},
		"LacksControllerManager": {
			reason:   "An incomplete folder is not used, and the user hears why.",
			assets:   []string{etcd, apiServer},
			o:        Options{Controllers: true},
			want:     built,
			progress: "lacks kube-controller-manager: using",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			repo := repository(t, "echo "+built)
			t.Chdir(repo)

			assets := ""
			if tc.assets != nil {
				assets = t.TempDir()
				for _, p := range tc.assets {
					write(t, filepath.Join(assets, p), "", 0o700)
				}
			}
			t.Setenv(assetsEnv, assets)

			progress := &bytes.Buffer{}
			tc.o.Progress = progress
			got, err := binaries(t.Context(), tc.o)
			if err != nil {
				t.Fatalf("\n%s\nbinaries() = %v", tc.reason, err)
			}
			want := tc.want
			if want == "" {
				want = assets
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nbinaries(): -want, +got:\n%s", tc.reason, diff)
			}
			if !strings.Contains(progress.String(), tc.progress) || (tc.progress == "") != (progress.Len() == 0) {
				t.Errorf("\n%s\nprogress is %q, want %q", tc.reason, progress, tc.progress)
			}
		})
	}
}

func TestBinariesErrors(t *testing.T) {
	t.Setenv(assetsEnv, "")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()

	cases := map[string]struct {
		reason string
		ctx    context.Context
		dir    string
		want   string
		is     error
	}{
		"ScriptFails": {
			reason: "The error of a failed build says how to repeat it.",
			ctx:    t.Context(),
			dir:    repository(t, "exit 3"),
			want:   "exit status 3; run ",
		},
		"Cancelled": {
			reason: "The error of a build that took too long says what to do first.",
			ctx:    cancelled,
			dir:    repository(t, "exec sleep 60"),
			want:   "cluster/dev/ensure.sh once",
			is:     context.Canceled,
		},
		"NoRepository": {
			reason: "Outside the repository there is nothing to build from.",
			ctx:    t.Context(),
			dir:    t.TempDir(),
			want:   "there is no cluster/dev/ensure.sh in ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(tc.dir)
			_, err := binaries(tc.ctx, Options{Progress: &bytes.Buffer{}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nbinaries() = %v, want an error that says %q", tc.reason, err, tc.want)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("\n%s\nbinaries() = %v, want %v", tc.reason, err, tc.is)
			}
		})
	}
}

func TestNamespacePrefix(t *testing.T) {
	cases := map[string]string{
		"TestX":                          "testx-",
		"TestX/Sub_test,_with_50%":       "testx-sub-test-with-50-",
		"Test" + strings.Repeat("y", 99): "test" + strings.Repeat("y", 46) + "-",
	}
	for test, want := range cases {
		if got := namespacePrefix(test); got != want {
			t.Errorf("namespacePrefix(%q) = %q, want %q", test, got, want)
		}
	}
}

// repository returns a folder whose parent looks like the provider's repository, with a script that replaces the one
// that builds.
func repository(t *testing.T, script string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, ensureScript), script, 0o600)
	sub := filepath.Join(root, "internal", "x")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	return sub
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
