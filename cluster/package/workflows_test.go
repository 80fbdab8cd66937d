package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// pinned matches what may run in a workflow: an action of this repository, one of a commit, and an image of a digest.
// Tags and branches can be moved by whoever can write to another repository, and the release workflow may sign.
var pinned = regexp.MustCompile(`^(\./\S*|[\w.-]+/[\w./-]+@[0-9a-f]{40}|docker://\S+@sha256:[0-9a-f]{64})$`)

// unpinned returns the actions, workflows and images of a workflow that are not pinned, with their places.
func unpinned(at string, v any) []string {
	var out []string
	switch v := v.(type) {
	case []any:
		for i := range v {
			out = append(out, unpinned(fmt.Sprintf("%s[%d]", at, i), v[i])...)
		}
	case map[string]any:
		for key, child := range v {
			if used, ok := child.(string); ok && key == "uses" && !pinned.MatchString(used) {
				out = append(out, at+": "+used)
			}
			out = append(out, unpinned(at+"."+key, child)...)
		}
	}
	return out
}

// TestActionsArePinned checks the workflows and the actions of the repository.
func TestActionsArePinned(t *testing.T) {
	found := 0
	err := filepath.WalkDir(filepath.Join(repository, ".github"), func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yml" && ext != ".yaml" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var workflow any
		if err := yaml.Unmarshal(content, &workflow); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		found += strings.Count(string(content), "uses:")
		for _, u := range unpinned(filepath.Base(path), workflow) {
			t.Errorf("pin it by the SHA of a commit, with its version in a comment: %s", u)
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d actions were found, %v", found, err)
	}
}

func TestUnpinned(t *testing.T) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	cases := map[string]struct {
		reason, workflow string
		want             int
	}{
		"Commit": {reason: "A commit cannot be moved.", workflow: "jobs: {a: {steps: [{uses: actions/checkout@" +
			sha + "}]}}"},
		"Local": {
			reason:   "What is in the repository is reviewed with it.",
			workflow: "jobs: {a: {steps: [{uses: ./.github/actions/x}]}}",
		},
		"Digest": {reason: "Nor can a digest.", workflow: "jobs: {a: {steps: [{uses: 'docker://a/b@sha256:" +
			sha + sha[:24] + "'}]}}"},
		"Tag": {
			reason: "A tag can.", workflow: "jobs: {a: {steps: [{run: x}, {uses: actions/cache@v4}]}}",
			want: 1,
		},
		"Branch": {
			reason: "So can a branch.", workflow: "jobs: {a: {steps: [{uses: a/b@main}, {uses: a/b}]}}",
			want: 2,
		},
		"Short": {reason: "A short SHA is not unique.", workflow: "jobs: {a: {steps: [{uses: a/b@" + sha[:12] +
			"}]}}", want: 1},
		"Workflow": {
			reason:   "Reused workflows are run, too.",
			workflow: "jobs: {a: {uses: a/b/.github/workflows/c.yml@v1}}", want: 1,
		},
		"Action": {reason: "So are steps of an action.", workflow: "runs: {steps: [{uses: a/b@v1}]}", want: 1},
		"Image": {
			reason:   "An image's tag can be moved.",
			workflow: "jobs: {a: {steps: [{uses: 'docker://alpine:3.20'}]}}", want: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var workflow any
			if err := yaml.Unmarshal([]byte(tc.workflow), &workflow); err != nil {
				t.Fatal(err)
			}
			if got := unpinned("", workflow); len(got) != tc.want {
				t.Errorf("%s\ngot %v, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// TestFluxWorkflow checks that the tests on Flux's source-controller, which CI does not run, run each week, and when a
// path changes that they depend on. A path that is moved has to be moved here, too.
func TestFluxWorkflow(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(repository, ".github", "workflows", "flux.yml"))
	if err != nil {
		t.Fatal(err)
	}
	type changes struct {
		Paths []string `json:"paths"`
	}
	var w struct {
		// YAML 1.1 reads the key on as true.
		On struct {
			Push        changes `json:"push"`
			PullRequest changes `json:"pull_request"`
			Schedule    []any   `json:"schedule"`
		} `json:"true"`
		Jobs map[string]struct {
			Steps []struct {
				Run string `json:"run"`
			} `json:"steps"`
		} `json:"jobs"`
	}
	if err := yaml.Unmarshal(content, &w); err != nil {
		t.Fatal(err)
	}
	if len(w.On.Schedule) == 0 || !slices.Equal(w.On.Push.Paths, w.On.PullRequest.Paths) {
		t.Errorf("it runs by a schedule, and for the same paths before and after a merge: %+v", w.On)
	}
	for _, folder := range []string{"cluster/flux", "cluster/e2e/flux", "internal/archive", "internal/kube/flux"} {
		if !slices.Contains(w.On.Push.Paths, folder+"/**") {
			t.Errorf("it does not run when %s changes", folder)
		}
	}
	for _, path := range w.On.Push.Paths {
		if _, err := os.Stat(filepath.Join(repository, strings.TrimSuffix(path, "/**"))); err != nil {
			t.Errorf("a path that is not there never changes: %v", err)
		}
	}
	steps := w.Jobs["run"].Steps
	if len(steps) == 0 || steps[len(steps)-1].Run != "make e2e-flux" {
		t.Errorf("it does not run the tests: %+v", steps)
	}
}
