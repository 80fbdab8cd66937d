package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// actions are the IAM actions of operations that are named otherwise.
var actions = map[string]string{"s3:HeadObject": "s3:GetObject"}

// TestPolicyNamesEveryCall compares the IAM policy in a kind's page with the calls that
// the kind declares in its client.go.
func TestPolicyNamesEveryCall(t *testing.T) {
	clients, err := filepath.Glob("../internal/controller/*/client.go")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, client := range clients {
		page := filepath.Base(filepath.Dir(client)) + ".md"
		if _, err := os.Stat(page); err != nil {
			continue
		}
		compared++
		text := read(t, page)
		for _, call := range calls(t, client) {
			action := call
			if other, ok := actions[call]; ok {
				action = other
			}
			if !strings.Contains(text, `"`+action+`"`) && !strings.Contains(text, "`"+action+"`") {
				t.Errorf("%s does not name %s, which %s takes", page, action, call)
			}
		}
	}
	if compared == 0 {
		t.Error("no page was compared")
	}
}

// calls are the methods of the interfaces in a file, with the service whose SDK
// package their input is of: lambda:GetFunction.
func calls(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		i, ok := n.(*ast.InterfaceType)
		if !ok {
			return true
		}
		for _, m := range i.Methods.List {
			if service := serviceOf(m); service != "" {
				found = append(found, service+":"+m.Names[0].Name)
			}
		}
		return true
	})
	if len(found) == 0 {
		t.Fatalf("%s declares no call", file)
	}
	return found
}

// serviceOf a method func(ctx, in *service.XInput, ...).
func serviceOf(m *ast.Field) string {
	fn, ok := m.Type.(*ast.FuncType)
	if !ok || len(fn.Params.List) < 2 {
		return ""
	}
	in, ok := fn.Params.List[1].Type.(*ast.StarExpr)
	if !ok {
		return ""
	}
	selector, ok := in.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	service, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return service.Name
}
