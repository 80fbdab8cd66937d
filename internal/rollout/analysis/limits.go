package analysis

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/util/sets"
)

const (
	// maxExpression is the longest expression that is compiled, in characters: that of the API.
	maxExpression = 1024

	// maxDepth is the maximum nesting of expressions.
	maxDepth = 50

	// maxCost of an evaluation is enough for some thousand elements of a list. It takes less than
	// 0.1 s. A rollout has up to 32 conditions.
	maxCost = 20_000

	// interruptEvery is the number of iterations of a macro after which an evaluation checks its context.
	interruptEvery = 100
)

// CEL's limit of the cost is checked after each function, and counts many functions as one whatever they work on. So a
// short expression could double a list forty times, and compare the result. Conditions have therefore only the
// functions of this file, and cannot make lists of anything but constants: no value is much larger than what a server
// has sent. Their cost is what they read.

// macros are the macros of conditions. None makes a list.
var macros = []cel.Macro{cel.HasMacro, cel.AllMacro, cel.ExistsMacro, cel.ExistsOneMacro}

// Names that the macros math.greatest and math.least have in a parsed expression.
const (
	mathMax = "math.@max"
	mathMin = "math.@min"
)

// allowed are the functions of conditions.
var allowed = sets.New(
	operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional, operators.NotStrictlyFalse,
	operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
	operators.GreaterEquals,
	operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
	operators.Index, operators.In,
	"size", "startsWith", "endsWith", "contains", "double", "int", "string", "dyn",
	isNaN, "math.isInf", "math.isFinite", "math.abs", "math.sign", "math.sqrt", "math.ceil", "math.floor",
	"math.round", "math.trunc", mathMax, mathMin,
)

// restrict returns an error if an expression has a function that conditions do not have, nests macros too deep, or
// makes a list or a map of anything but constants. Lists that are the arguments of math.greatest and math.least are
// allowed.
func restrict(a *ast.AST) error {
	r := restriction{arguments: map[int64]bool{}}
	ast.PreOrderVisit(a.Expr(), ast.NewExprVisitor(r.visit))
	for _, e := range ast.MatchDescendants(ast.NavigateAST(a), ast.KindMatcher(ast.ComprehensionKind)) {
		if nesting(e) > maxMacros {
			r.reject(e, fmt.Sprintf("macros are nested more than %d deep", maxMacros))
		}
	}
	if r.found == nil {
		return nil
	}
	return fmt.Errorf("%s%s", position(a.SourceInfo(), r.found.ID()), r.problem)
}

// maxMacros is the maximum nesting of macros. With each macro around a variable, CEL takes several times as long to
// look it up, which counts as no cost and cannot be interrupted.
const maxMacros = 5

// nesting returns the number of macros that a part of an expression is in, with itself.
func nesting(e ast.NavigableExpr) (n int) {
	for ok := true; ok; e, ok = e.Parent() {
		if e.Kind() == ast.ComprehensionKind {
			n++
		}
	}
	return n
}

// A restriction has the first part of an expression that conditions do not have.
type restriction struct {
	found   ast.Expr
	problem string

	// arguments are the arguments of functions that take lists.
	arguments map[int64]bool
}

func (r *restriction) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		r.call(e)
	case ast.ListKind:
		variable := func(element ast.Expr) bool { return element.Kind() != ast.LiteralKind }
		if !r.arguments[e.ID()] && slices.ContainsFunc(e.AsList().Elements(), variable) {
			r.reject(e, "a list may have constants only")
		}
	case ast.MapKind, ast.StructKind:
		r.reject(e, "maps and messages are not available")
	default:
	}
}

func (r *restriction) call(e ast.Expr) {
	name := e.AsCall().FunctionName()
	if !allowed.Has(name) {
		r.reject(e, fmt.Sprintf("the function %s is not available", name))
	}
	if name == mathMax || name == mathMin {
		for _, arg := range e.AsCall().Args() {
			r.arguments[arg.ID()] = true
		}
	}
}

// reject records a part of an expression, unless there is an earlier one.
func (r *restriction) reject(e ast.Expr, problem string) {
	if r.found == nil {
		r.found, r.problem = e, problem
	}
}

// position returns the position of a part of an expression, such as "1:8: ", empty if it is not known.
func position(source *ast.SourceInfo, id int64) string {
	l := source.GetStartLocation(id)
	if l.Line() < 1 {
		return ""
	}
	return fmt.Sprintf("%d:%d: ", l.Line(), l.Column()+1)
}

func options() []cel.EnvOption {
	return []cel.EnvOption{
		cel.ClearMacros(), cel.Macros(macros...), ext.Math(), cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(maxDepth), cel.ParserExpressionSizeLimit(maxExpression),
	}
}

// A meter counts the cost of functions by what they read. Each takes at least one.
type meter struct{}

// CallCost returns the cost of a function, nil if it is CEL's own estimate.
func (meter) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	var cost uint64
	switch function {
	case "startsWith", "endsWith", "contains":
		return nil
	case operators.Equals, operators.NotEquals:
		cost = smaller(args[0], args[1])
	case operators.In:
		cost = extent(args[1], maxCost)
	case "size":
		if _, ok := args[0].(types.String); ok {
			cost = extent(args[0], maxCost)
		}
	default:
		for _, arg := range args {
			cost += extent(arg, maxCost)
		}
	}
	cost++
	return &cost
}

// charactersPerCost is the number of characters that cost as much as one element of a list.
const charactersPerCost = 10

// smaller returns the extent of the smaller of two values. It takes no longer than that: the larger one may be long.
func smaller(a, b ref.Val) uint64 {
	for most := uint64(1); ; most *= 2 {
		if n := min(extent(a, most), extent(b, most)); n < most || most > maxCost {
			return n
		}
	}
}

// extent returns how many elements a value has, with those within, or at least most if it has more.
func extent(v ref.Val, most uint64) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v) / charactersPerCost)
	case traits.Mapper:
		n := uint64(1)
		for it := v.Iterator(); n < most && it.HasNext() == types.True; {
			key := it.Next()
			n += 1 + extent(key, most)
			if value, ok := v.Find(key); ok {
				n += extent(value, most-min(n, most))
			}
		}
		return n
	case traits.Lister:
		n := uint64(1)
		for it := v.Iterator(); n < most && it.HasNext() == types.True; {
			n += 1 + extent(it.Next(), most-n)
		}
		return n
	default:
		return 0
	}
}
