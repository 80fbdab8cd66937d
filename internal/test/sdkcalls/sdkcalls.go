// Package sdkcalls finds the AWS calls of a kind by the interfaces in its code. Documents and their tests are
// generated from it.
package sdkcalls

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A Call is a call of AWS.
type Call struct {
	// Service is the SDK's package, such as lambda.
	Service string

	// Operation is the method's name, such as GetFunction.
	Operation string
}

// module is the path of this module, below which packages are folders.
const module = "github.com/crossplane-contrib/provider-lambda/"

// sharedPackages declare calls of AWS that several kinds make.
var sharedPackages = []string{
	"internal/archive", "internal/controller/functionconfig", "internal/controller/tagging",
	"internal/controller/versions",
}

// Of returns the calls of a kind: those that the interfaces in its folder declare, and those declared by the packages
// among sharedPackages that it imports. A call is a method func(ctx, in *service.OperationInput, ...). root is the
// module's folder.
func Of(root, folder string) ([]Call, error) {
	found, imports, err := declared(folder)
	if err != nil {
		return nil, err
	}
	for _, path := range imports {
		shared, ok := strings.CutPrefix(path, module)
		if !ok || !slices.Contains(sharedPackages, shared) {
			continue
		}
		more, _, err := declared(filepath.Join(root, shared))
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s declares no call of AWS", folder)
	}
	return unique(found), nil
}

// declared returns the calls that the interfaces in a folder declare, and the folder's imports.
func declared(folder string) (calls []Call, imports []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read the calls of a kind: %w", err)
		}
		for _, i := range f.Imports {
			imports = append(imports, strings.Trim(i.Path.Value, `"`))
		}
		calls = append(calls, interfaces(f)...)
	}
	slices.Sort(imports)
	return calls, slices.Compact(imports), nil
}

// interfaces returns the calls that the interfaces of a file declare.
func interfaces(f *ast.File) []Call {
	var found []Call
	ast.Inspect(f, func(n ast.Node) bool {
		i, ok := n.(*ast.InterfaceType)
		if !ok {
			return true
		}
		for _, m := range i.Methods.List {
			if service := serviceOf(m); service != "" {
				found = append(found, Call{Service: service, Operation: m.Names[0].Name})
			}
		}
		return true
	})
	return found
}

// unique returns the calls in order, without duplicates.
func unique(calls []Call) []Call {
	slices.SortFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Operation, b.Operation))
	})
	return slices.Compact(calls)
}

// serviceOf returns the service of a method, empty if it is not a call.
func serviceOf(m *ast.Field) string {
	fn, ok := m.Type.(*ast.FuncType)
	if !ok || len(m.Names) == 0 || len(fn.Params.List) < 2 {
		return ""
	}
	in, ok := fn.Params.List[1].Type.(*ast.StarExpr)
	if !ok {
		return ""
	}
	selector, ok := in.X.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != m.Names[0].Name+"Input" {
		return ""
	}
	service, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return service.Name
}
