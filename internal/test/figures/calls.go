package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A graph has the functions that name each function and each field of a struct that holds one, those that make a value
// of each type, the fields that each function is assigned to in a literal, the files of this module's functions, the
// words of its files, and the files of its own package that each file needs.
type graph struct {
	callers map[types.Object][]*types.Func
	makers  map[types.Object][]*types.Func
	fields  map[*types.Func][]types.Object
	files   map[*types.Func]string
	words   map[string]map[string]bool
	needs   map[string]map[string]bool
}

const listed = "{{.ImportPath}}\t{{.Export}}\t{{if .Module}}{{.Module.Main}}{{end}}\t{{.Dir}}\t{{join .GoFiles \",\"}}"

// load type-checks the packages of this module that the provider and the plugin of kubectl consist of. The go command
// compiles the others.
func load(ctx context.Context) (*graph, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "-export", "-f", listed,
		"github.com/crossplane-contrib/provider-lambda/cmd/provider",
		"github.com/crossplane-contrib/provider-lambda/cmd/kubectl-lambda").Output()
	if err != nil {
		return nil, err
	}
	g := &graph{
		callers: map[types.Object][]*types.Func{}, makers: map[types.Object][]*types.Func{},
		fields: map[*types.Func][]types.Object{}, files: map[*types.Func]string{}, words: map[string]map[string]bool{},
		needs: map[string]map[string]bool{},
	}
	own, exports, fset := map[string]*types.Package{}, map[string]string{}, token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: fallback{own, importer.ForCompiler(fset, "gc", open)}}
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSpace(string(line)), "\t")
		if exports[f[0]] = f[1]; f[2] != "true" {
			continue
		}
		var files []*ast.File
		for name := range strings.SplitSeq(f[4], ",") {
			file, err := parser.ParseFile(fset, filepath.Join(f[3], name), nil, 0)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		if own[f[0]], err = config.Check(f[0], fset, files, info); err != nil {
			return nil, err
		}
		for _, file := range files {
			g.add(fset.Position(file.Pos()).Filename, file, info)
			g.addNeeds(fset, file, own[f[0]], info)
		}
	}
	return g, nil
}

type fallback struct {
	first map[string]*types.Package
	types.Importer
}

func (f fallback) Import(path string) (*types.Package, error) {
	if p := f.first[path]; p != nil {
		return p, nil
	}
	return f.Importer.Import(path)
}

// add records the functions and words of a file, and what they call.
func (g *graph) add(name string, file *ast.File, info *types.Info) {
	g.words[name] = map[string]bool{}
	for _, d := range file.Decls {
		var caller *types.Func
		if f, ok := d.(*ast.FuncDecl); ok {
			caller, _ = info.Defs[f.Name].(*types.Func)
			g.files[caller] = name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				g.words[name][strings.ToLower(n.Name)] = true
				if fn := named(n, info); fn != nil && caller != nil {
					g.callers[fn] = append(g.callers[fn], caller)
				}
			case *ast.BasicLit:
				g.words[name][strings.ToLower(strings.Trim(n.Value, `"`))] = true
			case *ast.CompositeLit:
				if t := typeNamed(n.Type, info); t != nil && caller != nil {
					g.makers[t] = append(g.makers[t], caller)
				}
			case *ast.KeyValueExpr:
				if fn, ok := named(n.Value, info).(*types.Func); ok {
					g.fields[fn] = append(g.fields[fn], named(n.Key, info))
				}
			}
			return true
		})
	}
}

// addNeeds records the files of the same package that declare what a file names. A field counts as its type.
func (g *graph) addNeeds(fset *token.FileSet, file *ast.File, pkg *types.Package, info *types.Info) {
	name := fset.Position(file.Pos()).Filename
	g.needs[name] = map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || info.Uses[id] == nil || info.Uses[id].Pkg() != pkg {
			return true
		}
		o := info.Uses[id]
		if v, ok := o.(*types.Var); ok && v.IsField() {
			return true
		}
		if other := fset.Position(o.Pos()).Filename; other != name {
			g.needs[name][other] = true
		}
		return true
	})
}

// circles returns the files of internal that need themselves through others.
func (g *graph) circles() []string {
	var out []string
	for name := range g.needs {
		if strings.Contains(name, "/internal/") && g.reaches(name, name, map[string]bool{}) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (g *graph) reaches(from, to string, seen map[string]bool) bool {
	for next := range g.needs[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if g.reaches(next, to, seen) {
				return true
			}
		}
	}
	return false
}

// typeNamed returns the type that an expression names, or nil if it is something else.
func typeNamed(e ast.Expr, info *types.Info) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	case *ast.IndexExpr:
		return typeNamed(e.X, info)
	case *ast.IndexListExpr:
		return typeNamed(e.X, info)
	}
	return nil
}

// named returns the function, method or field that an expression names, or nil if it is something else.
func named(e ast.Expr, info *types.Info) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		switch o := info.Uses[e].(type) {
		case *types.Func:
			return o.Origin()
		case *types.Var:
			if o.IsField() {
				return o.Origin()
			}
		}
	case *ast.SelectorExpr:
		return named(e.Sel, info)
	case *ast.IndexExpr:
		return named(e.X, info)
	}
	return nil
}
