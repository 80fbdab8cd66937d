// Package sdkcalls finds the AWS calls of a kind by the inputs of the SDK in its code. Documents and their tests are
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

	// Operation is its name, such as GetFunction.
	Operation string
}

// module is the path of this module, below which packages are folders.
const module = "github.com/crossplane-contrib/provider-lambda/"

// sdk is the path of the SDK's packages of services.
const sdk = "github.com/aws/aws-sdk-go-v2/service/"

// sharedPackages make calls of AWS for several kinds.
var sharedPackages = []string{
	"internal/archive", "internal/controller/functionconfig", "internal/controller/tagging",
	"internal/controller/versions",
}

// Of returns the calls of a kind: those made in its folder, and those of the packages among sharedPackages that it
// imports. A call is recognised by its input, such as lambda.GetFunctionInput. root is the module's folder.
func Of(root, folder string) ([]Call, error) {
	found, imports, err := made(folder)
	if err != nil {
		return nil, err
	}
	for _, path := range imports {
		shared, ok := strings.CutPrefix(path, module)
		if !ok || !slices.Contains(sharedPackages, shared) {
			continue
		}
		more, _, err := made(filepath.Join(root, shared))
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s makes no call of AWS", folder)
	}
	return unique(found), nil
}

// made returns the calls that are made in a folder, and the folder's imports.
func made(folder string) (calls []Call, imports []string, err error) {
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
		calls = append(calls, inputs(f)...)
	}
	slices.Sort(imports)
	return calls, slices.Compact(imports), nil
}

// inputs returns the calls whose inputs a file names.
func inputs(f *ast.File) []Call {
	services := map[string]bool{}
	for _, i := range f.Imports {
		if service, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), sdk); ok && i.Name == nil {
			services[service] = true
		}
	}
	var found []Call
	ast.Inspect(f, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		operation, ok := strings.CutSuffix(selector.Sel.Name, "Input")
		if in, of := selector.X.(*ast.Ident); ok && of && services[in.Name] {
			found = append(found, Call{Service: in.Name, Operation: operation})
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
