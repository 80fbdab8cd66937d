package docs

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namedTest is a test as design/aws-behaviours.md names it: its package, its function and
// its case.
var namedTest = regexp.MustCompile("`([a-z0-9]+)\\.(Test[A-Za-z0-9]+)(?:/([A-Za-z0-9]+))?`")

// Each test that a case of AWS's behaviour names exists.
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
	named := namedTest.FindAllStringSubmatch(read(t, "design/aws-behaviours.md"), -1)
	if len(named) < 80 {
		t.Fatalf("found only %d tests", len(named))
	}
	for _, n := range named {
		source := sources[n[1]]
		if !strings.Contains(source, "func "+n[2]+"(") || n[3] != "" && !strings.Contains(source, `"`+n[3]+`"`) {
			t.Errorf("there is no test %s", n[0])
		}
	}
}
