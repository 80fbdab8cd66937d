package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// TestFlagsAreDocumented compares the table of flags with the provider's.
func TestFlagsAreDocumented(t *testing.T) {
	_, text, _ := strings.Cut(read(t, "install.md"), "## Flags")
	text, _, _ = strings.Cut(text, "\n## ")
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)`").FindAllStringSubmatch(text, -1) {
		documented[m[1]] = true
	}
	for _, name := range flags(t, "../cmd/provider/flags.go") {
		if !documented[name] {
			t.Errorf("install.md does not name the flag --%s", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("install.md names the flag --%s, which there is not", name)
	}
}

// flags are the fields of the type flags, spelled as the command line has them.
func flags(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`[A-Z][a-z]+|[A-Z]+`)
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "flags" {
			return true
		}
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range s.Fields.List {
			found = append(found, strings.ToLower(strings.Join(word.FindAllString(field.Names[0].Name, -1), "-")))
		}
		return false
	})
	if len(found) == 0 {
		t.Fatalf("%s has no type flags with fields", file)
	}
	return found
}
