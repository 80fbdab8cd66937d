package archive

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestZip(t *testing.T) {
	files := map[string][]byte{
		"index.py":    []byte("def handler(e, c):\n    return 1\n"),
		"lib/util.py": []byte("x = 1\n"),
	}
	b, err := Zip(files)
	if err != nil {
		t.Fatal(err)
	}

	// The hash is a literal, because a change of it would redeploy the code of every function of every user.
	if got, want := Hash(b), "w8lnj+s1fbUjGFltdyapoyE5KkTl5M6Zl9lri56Mzoc="; got != want {
		t.Errorf("the same files must always give the same archive: hash %s, want %s", got, want)
	}

	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, f := range r.File {
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if got[f.Name], err = io.ReadAll(rc); err != nil {
			t.Fatal(err)
		}
		if f.Mode().Perm() != 0o755 {
			t.Errorf("%s must be executable, for custom runtimes: mode %v", f.Name, f.Mode())
		}
	}
	if diff := cmp.Diff(files, got); diff != "" {
		t.Errorf("the archive must hold the files: -want, +got:\n%s", diff)
	}
}
