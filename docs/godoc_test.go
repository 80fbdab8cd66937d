package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCommentsOfFunctions checks that the comment of a function is a sentence about it in the third person, such as
// "Create creates the alias and returns its name.". Linters check only that it begins with the name.
func TestCommentsOfFunctions(t *testing.T) {
	for _, root := range []string{"../apis", "../cmd", "../internal"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(d.Name(), "zz_") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil && !isGodoc(fn.Name.Name, fn.Doc.Text()) {
					t.Errorf("%s: the comment does not say what %s does: %q", files.Position(fn.Pos()), fn.Name.Name, strings.SplitN(fn.Doc.Text(), "\n", 2)[0])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// isGodoc reports whether a comment begins with a name and a verb in the third person. Words that begin with @ are
// annotations for linters.
func isGodoc(name, comment string) bool {
	words := slices.DeleteFunc(strings.Fields(comment), func(w string) bool { return strings.HasPrefix(w, "@") })
	return len(words) > 1 && words[0] == name && strings.HasSuffix(strings.Trim(words[1], ",."), "s") && words[1] != "this" && words[1] != "its"
}

func TestIsGodoc(t *testing.T) {
	cases := map[string]struct {
		comment string
		want    bool
	}{
		"Verb":       {comment: "Create creates the alias.", want: true},
		"Is":         {comment: "Create is the first call.", want: true},
		"Imperative": {comment: "Create the alias."},
		"Noun":       {comment: "Create of an alias."},
		"OtherName":  {comment: "It creates the alias."},
		"NameAlone":  {comment: "Create"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isGodoc("Create", tc.comment); got != tc.want {
				t.Errorf("%q: got %t, want %t", tc.comment, got, tc.want)
			}
		})
	}
}
