// Command figures prints in how many files some values are on their way from a manifest to AWS, and how many files need
// each other in circles. figures.sh, which `make figures` runs, prints how large the code is too.
//
// The files on a way are those of the API type, of the kind's controller and of what kinds share (see shared) that name
// the value, or that have a function from which a call leads to the operation of AWS. A call of an interface's method
// leads to each type with methods of all its names, and that of a struct's field to each function that a literal sets.
package main

import (
	"context"
	"fmt"
	"go/types"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

type way struct{ title, kind, operation, word string }

var ways = []way{
	{"environment of a Function", "function", "UpdateFunctionConfiguration", "environment"},
	{"memorySize of a Function", "function", "UpdateFunctionConfiguration", "memorysize"},
	{"ephemeralStorage of a Function", "function", "UpdateFunctionConfiguration", "ephemeralstorage"},
	{"an Alias's drift", "alias", "UpdateAlias", "drift"},
	{"a rollout's step", "alias", "UpdateAlias", "step"},
}

const shared = `reconcile|diff|kube|rollout|archive`

func main() {
	g, err := load(context.Background())
	if err != nil {
		log.Fatalf("cannot read the program: %v", err)
	}
	_, _ = fmt.Fprintf(os.Stdout, "%6d files need each other in circles\n", len(g.circles()))
	for _, w := range ways {
		_, _ = fmt.Fprintf(os.Stdout, "%6d files on the way of %s\n", g.filesOn(w), w.title)
	}
}

// filesOn returns the number of files on a way.
func (g *graph) filesOn(w way) int {
	on, seen, next := map[string]bool{}, map[*types.Func]bool{}, []*types.Func{}
	for o, callers := range g.callers {
		fn, ok := o.(*types.Func)
		if !ok || fn.Name() != w.operation || fn.Pkg() == nil ||
			!strings.HasSuffix(fn.Pkg().Path(), "/service/lambda") {
			continue
		}
		for _, caller := range callers {
			if strings.Contains(g.files[caller], "/controller/"+w.kind+"/") {
				next = append(next, caller)
			}
		}
	}
	for len(next) > 0 {
		fn := next[0]
		if next = next[1:]; !seen[fn] {
			seen[fn], on[g.files[fn]] = true, true
			next = append(next, g.callersOf(fn)...)
		}
	}
	near := regexp.MustCompile(fmt.Sprintf(`/(apis/v1beta1/%[1]s|internal/(controller/%[1]s|%[2]s)/)`, w.kind, shared))
	n := 0
	for file, words := range g.words {
		if near.MatchString(file) && (on[file] || words[w.word]) {
			n++
		}
	}
	return n
}

// callersOf returns the callers of a function, and those of the interfaces' methods that it may stand for.
func (g *graph) callersOf(fn *types.Func) []*types.Func {
	out := slices.Clone(g.callers[fn])
	for _, field := range g.fields[fn] {
		out = append(out, g.callers[field]...)
	}
	if fn.Signature().Recv() == nil {
		return out
	}
	has := types.NewMethodSet(fn.Signature().Recv().Type())
	for o, callers := range g.callers {
		other, ok := o.(*types.Func)
		if !ok {
			continue
		}
		r := other.Signature().Recv()
		if r == nil || other.Name() != fn.Name() || !sameArity(other.Signature(), fn.Signature()) {
			continue
		}
		i, ok := r.Type().Underlying().(*types.Interface)
		for k := 0; ok && k < i.NumMethods(); k++ {
			ok = has.Lookup(i.Method(k).Pkg(), i.Method(k).Name()) != nil
		}
		if ok {
			out = append(out, callers...)
		}
	}
	if t := receiver(fn); len(out) == 0 && t != nil {
		return g.makers[t]
	}
	return out
}

func receiver(fn *types.Func) types.Object {
	t := fn.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

func sameArity(a, b *types.Signature) bool {
	return a.Params().Len() == b.Params().Len() && a.Results().Len() == b.Results().Len()
}
