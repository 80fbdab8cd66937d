package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	runtimeModule = "github.com/crossplane/crossplane-runtime/v2"
	typesModule   = "github.com/crossplane/crossplane/apis/v2"
)

// reasonsFile declares all types and reasons of conditions, and all reasons of events and of rollouts.
const reasonsFile = "../apis/v1beta1/reasons.go"

// TestEventsAreExplained compares the reasons of events in events.md with those in
// the code: this provider's own, and those of the runtime's reconciler of managed resources.
func TestEventsAreExplained(t *testing.T) {
	emitted := declaredReasons(t, "Event")
	for reason := range constants(t, filepath.Join(moduleDir(t, runtimeModule), "pkg", "reconciler", "managed"),
		"Reason", "/pkg/event") {
		emitted[reason] = true
	}
	compareReasons(t, read(t, "events.md"), "events.md", emitted)
}

// TestRolloutReasonsAreExplained compares the reasons of status.rollout with those in the code.
func TestRolloutReasonsAreExplained(t *testing.T) {
	compareReasons(t, section(t, "troubleshooting-rollouts.md", "Reasons"), "troubleshooting-rollouts.md",
		declaredReasons(t, "RolloutReason"))
}

// declaredReasons returns the values of the constants of reasonsFile whose names have a prefix.
func declaredReasons(t *testing.T, prefix string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s*(?:const )?`+prefix+
		`[A-Z]\w+\s.*= "(\w+)"$`).FindAllStringSubmatch(read(t, reasonsFile), -1) {
		found[m[1]] = true
	}
	return found
}

// TestReasonsAreInOneFile checks that the provider declares no type and no reason of a condition or an event elsewhere.
func TestReasonsAreInOneFile(t *testing.T) {
	for _, of := range []struct{ kind, ends string }{
		{"ConditionType", "/core/v2"}, {"ConditionReason", "/core/v2"}, {"Reason", "/pkg/event"},
	} {
		for name := range constants(t, "../internal", of.kind, of.ends) {
			t.Errorf("%s is a %s that internal/ declares: declare it in apis/v1beta1/reasons.go", name, of.kind)
		}
	}
}

// TestConditionsAreExplained compares the types and reasons of conditions likewise. Of
// Crossplane's own, those count that the runtime's reconciler or this provider sets.
func TestConditionsAreExplained(t *testing.T) {
	set := declaredReasons(t, "Type")
	for name := range declaredReasons(t, "Reason") {
		set[name] = true
	}
	runtime := filepath.Join(moduleDir(t, runtimeModule), "pkg", "reconciler")
	for _, kind := range []string{"ConditionReason", "ConditionType"} {
		for name := range constants(t, filepath.Join(runtime, "providerconfig"), kind, "/core/v2") {
			set[name] = true
		}
	}
	code := source(t, "../internal") + source(t, filepath.Join(runtime, "managed"))
	for function, names := range conditions(t, filepath.Join(moduleDir(t, typesModule), "core", "v2", "condition.go")) {
		if strings.Contains(code, "xpv2."+strings.ToLower(function)+"()") ||
			strings.Contains(code, "xpv2."+strings.ToLower(function)+"(err") {
			for _, name := range names {
				set[name] = true
			}
		}
	}
	compareReasons(t, section(t, "conditions.md", "Conditions"), "conditions.md", set)
}

// section returns the text below a heading of the second level.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, file), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %s", file, heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// compareReasons compares the reasons that the tables of a text explain with those in the code.
func compareReasons(t *testing.T, text, file string, code map[string]bool) {
	t.Helper()
	if len(code) < 7 {
		t.Fatalf("found only %v in the code", code)
	}
	explained := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		// The last cell is the explanation.
		for _, q := range quotes(strings.Join(cells[:len(cells)-1], " ")) {
			explained[q] = true
		}
	}
	for name := range code {
		if !explained[name] {
			t.Errorf("%s does not explain %s", file, name)
		}
	}
	for name := range explained {
		if !code[name] {
			t.Errorf("%s explains %s, which the code does not have", file, name)
		}
	}
}

// constants of a type, of the package that the import path ends with, in the code under a
// folder.
func constants(t *testing.T, folder, kind, ends string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		name := importedAs(f, ends)
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.ValueSpec); ok && isOf(s.Type, name, kind) {
				for _, v := range s.Values {
					if text, ok := v.(*ast.BasicLit); ok {
						found[strings.Trim(text.Value, `"`)] = true
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// importedAs is the name by which a file knows a package.
func importedAs(f *ast.File, ends string) string {
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil || !strings.HasSuffix(path, ends) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return filepath.Base(path)
	}
	return ""
}

// isOf tells whether an expression is the type of a package.
func isOf(e ast.Expr, pkg, kind string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != kind {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// conditions that Crossplane's functions make: a type and a reason each.
func conditions(t *testing.T, file string) map[string][]string {
	t.Helper()
	text := read(t, file)
	values := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\s*((?:Type|Reason)\w+)\s.*= "(\w+)"`).FindAllStringSubmatch(text, -1) {
		values[m[1]] = m[2]
	}
	found := map[string][]string{}
	made := regexp.MustCompile(`(?s)\nfunc (\w+)\([^)]*\) Condition \{.*?Type:\s+(\w+),.*?Reason:\s+(\w+),.*?\n\}`)
	for _, m := range made.FindAllStringSubmatch(text, -1) {
		found[m[1]] = []string{values[m[2]], values[m[3]]}
	}
	if len(found) < 7 {
		t.Fatalf("found only %v in %s", found, file)
	}
	return found
}

// moduleDir is where the source of a module is that this one is built with.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("cannot find %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}
