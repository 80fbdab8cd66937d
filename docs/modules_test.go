package docs

import (
	"os"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestControlPlaneVersions checks that the development control plane is built from the versions of modules that the
// provider is built from, so that what both need is compiled once.
func TestControlPlaneVersions(t *testing.T) {
	versions := func(path string) map[string]string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := modfile.Parse(path, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for _, r := range f.Require {
			m[r.Mod.Path] = r.Mod.Version
		}
		for _, r := range f.Replace {
			m[r.Old.Path] = r.New.Version
		}
		return m
	}
	provider, common := versions("../go.mod"), 0
	for path, got := range versions("../cluster/dev/go.mod") {
		want, ok := provider[path]
		if !ok {
			continue
		}
		common++
		if got != want {
			t.Errorf(
				"cluster/dev/go.mod requires %s %s, and go.mod %s: run go -C cluster/dev get %[1]s@%[3]s",
				path,
				got,
				want,
			)
		}
	}
	if common < 50 {
		t.Errorf("only %d modules are in both: the test tests nothing", common)
	}
}
