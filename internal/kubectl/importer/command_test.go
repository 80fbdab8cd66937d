package importer

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTry(t *testing.T) {
	e := newEnv(t)
	e.random(t, 1, 12)
	dir := filepath.Join(t.TempDir(), "out")
	code, out, errOut := e.run(t, "--region", testRegion, "-n", "shop", "-o", dir)
	t.Log(code, out, errOut)
	files, _ := filepath.Glob(dir + "/*")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		t.Logf("%s\n%s", f, b)
	}
}
