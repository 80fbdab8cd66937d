package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// declared calls a function with the comment of each declaration and field in a file.
func declared(f *ast.File, each func(doc *ast.CommentGroup)) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			each(n.Doc)
			return false
		case *ast.GenDecl:
			each(n.Doc)
		case *ast.TypeSpec:
			each(n.Doc)
		case *ast.ValueSpec:
			each(n.Doc)
		case *ast.Field:
			each(n.Doc)
		}
		return true
	})
}

// TestCommentsOfFunctions checks that the comment of a function is a sentence about it in the third person, such as
// "Create creates the alias and returns its name.". Linters check only that it begins with the name.
func TestCommentsOfFunctions(t *testing.T) {
	for _, path := range goFiles(t) {
		files, f := parsed(t, path)
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil && !isGodoc(fn.Name.Name, fn.Doc.Text()) {
				first, _, _ := strings.Cut(fn.Doc.Text(), "\n")
				t.Errorf("%s: the comment does not say what %s does: %q", files.Position(fn.Pos()), fn.Name.Name, first)
			}
		}
	}
}

// parsed returns a file with its comments, by its path from the root.
func parsed(t *testing.T, path string) (*token.FileSet, *ast.File) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return files, f
}

// riddle matches the beginning of a comment that describes its subject by a question.
var riddle = regexp.MustCompile(`^(?:An? )?[\w.]+ (?:` +
	`(?:is|are|was|were) (?:what|how|that of|those of|that which|those that|who|where|when|why|which|whether)|` +
	`(?:says|tells|has) (?:what|how|which|why|when|who|whether|where)|returns whether)\b`)

// TestCommentsNameTheirSubject checks that the comment of a declaration or a field says what it is by a noun or a verb:
// "maxTags is the maximum number of tags", not "maxTags is how many tags there are", and "reports whether" of a bool.
func TestCommentsNameTheirSubject(t *testing.T) {
	for _, path := range goFiles(t) {
		files, f := parsed(t, path)
		if ast.IsGenerated(f) {
			continue
		}
		declared(f, func(doc *ast.CommentGroup) {
			comment := strings.Join(strings.Fields(doc.Text()), " ")
			if riddle.MatchString(comment) {
				t.Errorf("%s: begin with a noun, a verb or \"reports whether\": %.80q", files.Position(doc.Pos()),
					comment)
			}
		})
	}
}

func TestRiddle(t *testing.T) {
	for comment, want := range map[string]bool{
		"maxTags is how many tags there are.": true, "A name is what users call it.": true,
		"seen are those of before.":          true,
		"valid returns whether it is valid.": true, "valid reports whether it is valid.": false,
		"maxTags is the maximum number of tags.": false, "find returns what was found.": false,
	} {
		if got := riddle.MatchString(comment); got != want {
			t.Errorf("%q: got %t, want %t", comment, got, want)
		}
	}
}

// isGodoc reports whether a comment begins with a name and a verb in the third person. Words that begin with @ are
// annotations for linters.
func isGodoc(name, comment string) bool {
	words := slices.DeleteFunc(strings.Fields(comment), func(w string) bool { return strings.HasPrefix(w, "@") })
	return len(words) > 1 && words[0] == name && strings.HasSuffix(strings.Trim(words[1], ",."), "s") &&
		words[1] != "this" && words[1] != "its"
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
