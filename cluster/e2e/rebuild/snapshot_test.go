package rebuild

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestChanged(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(t *testing.T, root string)
		want   []string
	}{
		"Nothing": {reason: "No file has changed.", edit: func(*testing.T, string) {}},
		"Written": {
			reason: "Code was edited.", edit: put("internal/diff/diff.go", "package other"),
			want: []string{"internal/diff/diff.go"},
		},
		"Came": {
			reason: "A file is new.", edit: put("cmd/provider/new.go", "package main"),
			want: []string{"cmd/provider/new.go"},
		},
		"Went": {
			reason: "A file was removed.", edit: remove("internal/diff/diff.go"),
			want: []string{"internal/diff/diff.go"},
		},
		"FolderWent": {
			reason: "The folder of the CRDs was removed, and must be generated again.",
			edit:   remove("package/crds"), want: []string{"package/crds/functions.yaml"},
		},
		"Definition": {
			reason: "The file is part of the package.", edit: put("package/crds/functions.yaml", "a: c"),
			want: []string{"package/crds/functions.yaml"},
		},
		"Metadata": {
			reason: "The file is part of the package.", edit: put("crossplane.yaml", "a: c"),
			want: []string{"crossplane.yaml"},
		},
		"Modules": {
			reason: "The program is made of them.", edit: put("go.mod", "module b"),
			want: []string{"go.mod"},
		},
		"WrittenSame": {reason: "Git and generators write what was there.", edit: touch("internal/diff/diff.go")},
		"Test":        {reason: "No test is in the program.", edit: put("internal/diff/diff_test.go", "package diff")},
		"Testdata":    {reason: "Go does not build it.", edit: put("internal/diff/testdata/x.go", "package x")},
		"Lock": {
			reason: "Emacs writes it beside the file that is being edited.",
			edit:   put("internal/diff/.#diff.go", ""),
		},
		"Elsewhere": {reason: "The file is not part of the provider.", edit: put("cmd/demo/main.go", "package main")},
		"NoSource":  {reason: "The file is not compiled.", edit: put("internal/diff/notes.txt", "x")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, file := range []string{
				"apis/v1/types.go", "cmd/provider/main.go", "internal/diff/diff.go",
				"package/crds/functions.yaml", "package/icon.svg", "crossplane.yaml", "go.mod", "go.sum",
			} {
				put(file, "a: b")(t, root)
			}
			before := take(t, root, nil)
			tc.edit(t, root)
			if diff := cmp.Diff(tc.want, before.Changed(take(t, root, before))); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func take(t *testing.T, root string, earlier Snapshot) Snapshot {
	t.Helper()
	s, err := Take(root, earlier)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// put writes a file, with a later time than the existing one's.
func put(name, text string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		touch(name)(t, root)
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// touch changes the time of a file.
func touch(name string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		file := filepath.Join(root, name)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, info.ModTime().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
}
