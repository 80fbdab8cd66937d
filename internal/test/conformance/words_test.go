package conformance

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write words.txt and the generated parts of the documentation")

// modelled are the files of the SDK that describe Lambda's API.
var modelled = regexp.MustCompile(`^(api_op_.*|types|enums|errors|schemas)\.go$`)

// TestWords compares words.txt with the SDK's model of Lambda and the double's messages. With -update, it writes it.
func TestWords(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}",
		"github.com/aws/aws-sdk-go-v2/service/lambda").Output()
	if err != nil {
		t.Fatal(err)
	}
	sdk := strings.TrimSpace(string(out))
	found := map[string]bool{}
	for _, folder := range []string{
		sdk, filepath.Join(sdk, "types"), filepath.Join(sdk, "schemas"), "../awsdouble",
	} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s, %v", folder, err)
		}
		for _, file := range files {
			if folder != "../awsdouble" && modelled.MatchString(filepath.Base(file)) ||
				folder == "../awsdouble" && !strings.HasSuffix(file, "_test.go") {
				collect(t, file, folder != "../awsdouble", found)
			}
		}
	}
	want := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
	if *update {
		if err := os.WriteFile("words.txt", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if wordList != want {
		t.Error("words.txt is not what the SDK and the double make of it: run go test with -update")
	}
}

// plain matches the words that texts may show: names of the model, and words of sentences.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// collect adds the words of a file's texts, and of its identifiers and comments if all is true. Of the SDK's schemas,
// it adds those of paths alone.
func collect(t *testing.T, file string, all bool, found map[string]bool) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	schemas := filepath.Base(file) == "schemas.go"
	all = all && !schemas
	add := func(text string) {
		for _, w := range regexp.MustCompile(`[A-Za-z0-9_$]+`).FindAllString(text, -1) {
			if plain.MatchString(w) && len(w) > 1 {
				found[w] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && (!schemas || strings.HasPrefix(n.Value, `"/`)) {
				add(n.Value)
			}
		case *ast.Ident:
			if all {
				add(n.Name)
			}
		}
		return true
	})
	if all {
		for _, c := range f.Comments {
			add(c.Text())
		}
	}
}
