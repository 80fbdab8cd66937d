package docs

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const contributing = "../CONTRIBUTING.md"

// placeholder is what stands for any name in a path.
var placeholder = regexp.MustCompile(`<[a-z]+>`)

// exists reports whether something is at a path from the root of the repository.
func exists(t *testing.T, path string) bool {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, placeholder.ReplaceAllString(path, "*")))
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

// named matches a path in the table of CONTRIBUTING.md.
var named = regexp.MustCompile("`([A-Za-z0-9_.<>*/-]+(?:/|\\.(?:go|md|mod|yml|yaml|ini|svg)))`")

// TestSignpostsLeadSomewhere checks the paths in the table "To change | go to". A path may begin in the folder of
// another one in its row.
func TestSignpostsLeadSomewhere(t *testing.T) {
	rows := 0
	for line := range strings.SplitSeq(read(t, contributing), "\n") {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		folders := []string{""}
		for _, m := range named.FindAllStringSubmatch(cells[2], -1) {
			if exists(t, m[1]) {
				folders = append(folders, path.Dir(m[1]), path.Dir(strings.TrimSuffix(m[1], "/")))
			}
		}
		for _, m := range named.FindAllStringSubmatch(cells[2], -1) {
			if !slices.ContainsFunc(folders, func(in string) bool { return exists(t, path.Join(in, m[1])) }) {
				t.Errorf("to change%sgo to %s, which does not exist", cells[1], m[1])
			}
		}
	}
	if rows < 40 {
		t.Errorf("the table has %d rows, this test may not read it any more", rows)
	}
}

// layout returns the folders that CONTRIBUTING.md's layout lists, as paths from the root.
func layout(t *testing.T) []string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, contributing), "## Layout\n")
	_, text, _ = strings.Cut(text, "```text\n")
	text, _, ok := strings.Cut(text, "```")
	if !ok {
		t.Fatal("CONTRIBUTING.md has no layout")
	}
	// in has the folders that contain a line's, by its depth.
	in := []string{""}
	var found []string
	entry := regexp.MustCompile(`^( *)((?:[^ ,]+/(?:, )?)+)(?: |$)`)
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		m := entry.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("the layout has a line without a folder: %q", line)
			continue
		}
		in = in[:min(len(in), len(m[1])/2+1)]
		for name := range strings.SplitSeq(m[2], ", ") {
			folder, _, _ := strings.Cut(path.Join(in[len(in)-1], name), "/<")
			found = append(found, folder)
		}
		in = append(in, found[len(found)-1])
	}
	return found
}

// TestLayoutIsTheTree checks that the folders in the layout exist, and that it lists all folders in internal/ and in
// every other folder of which it lists any.
func TestLayoutIsTheTree(t *testing.T) {
	listed := layout(t)
	parents := map[string]bool{"internal": true}
	for _, folder := range listed {
		if !exists(t, folder) {
			t.Errorf("the layout lists %s, which does not exist", folder)
		}
		parents[path.Dir(folder)] = true
	}
	for parent := range parents {
		// The kinds are one line, and other folders of the root are not for code.
		if parent == "." || parent == "internal/controller" {
			continue
		}
		children, err := os.ReadDir(filepath.Join(root, parent))
		if err != nil {
			continue // It does not exist, which is told above.
		}
		for _, c := range children {
			folder := path.Join(parent, c.Name())
			if c.IsDir() && c.Name() != "testdata" && !slices.Contains(listed, folder) && holdsGo(t, folder) {
				t.Errorf("%s is not in the layout of CONTRIBUTING.md", folder)
			}
		}
	}
}

// holdsGo reports whether a folder has code, itself or below it.
func holdsGo(t *testing.T, folder string) bool {
	t.Helper()
	return exists(t, folder+"/*.go") || exists(t, folder+"/*/*.go")
}

// described matches a target of the Makefile that says what it is for.
var described = regexp.MustCompile(`(?m)^(\S+):.*## `)

// TestMakeListsItsTargets checks that `make` lists all targets, as CONTRIBUTING.md says.
func TestMakeListsItsTargets(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", root, "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range described.FindAllStringSubmatch(read(t, filepath.Join(root, "Makefile")), -1) {
		if !strings.Contains(string(out), "  make "+target[1]+" ") {
			t.Errorf("make does not list %s", target[1])
		}
	}
}
