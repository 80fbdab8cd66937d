package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
