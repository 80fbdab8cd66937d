package docs

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namedTest is a test as the tables of design/aws-behaviours.md and design/rollout-tests.md name it: its package,
// its function and its case.
var namedTest = regexp.MustCompile("`([a-z0-9]+)\\.(Test[A-Za-z0-9]+)(?:/([A-Za-z0-9]+))?`")

// TestBehavioursAreTested checks that each test exists that a case of AWS's behaviour, or a promise of rollouts, names.
func TestBehavioursAreTested(t *testing.T) {
	sources := map[string]string{} // By package.
	for _, folder := range []string{"apis", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				sources[filepath.Base(filepath.Dir(path))] += read(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"design/aws-behaviours.md", "design/rollout-tests.md"} {
		named := namedTest.FindAllStringSubmatch(read(t, file), -1)
		if len(named) < 80 {
			t.Fatalf("%s names only %d tests", file, len(named))
		}
		for _, n := range named {
			source := sources[n[1]]
			if !strings.Contains(source, "func "+n[2]+"(") || n[3] != "" && !strings.Contains(source, `"`+n[3]+`"`) {
				t.Errorf("%s: there is no test %s", file, n[0])
			}
		}
	}
}

// TestPromisesAreTested checks that design/rollout-tests.md names a test of each row of the table of
// rollout-failures.md that says what happens when.
func TestPromisesAreTested(t *testing.T) {
	tested := map[string]bool{}
	for _, row := range rows(t, "design/rollout-tests.md", "## Tested by") {
		tested[row[0]] = namedTest.MatchString(row[1])
	}
	promises := rows(t, "rollout-failures.md", "## What happens when")
	if len(promises) < 20 {
		t.Fatalf("rollout-failures.md has only %d promises", len(promises))
	}
	for _, p := range promises {
		if !tested[p[0]] {
			t.Errorf("design/rollout-tests.md names no test of what happens when %s", p[0])
		}
	}
}

// rows returns the cells of the first table below a heading, without its title.
func rows(t *testing.T, file, heading string) (found [][]string) {
	t.Helper()
	_, text, ok := strings.Cut(read(t, file), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %s", file, heading)
	}
	_, table, _ := strings.Cut(text, "| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		found = append(found, strings.Split(strings.Trim(line, "| \n"), " | "))
	}
	return found
}
