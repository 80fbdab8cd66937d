package analysis

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// Variables of expressions.
const (
	varResult          = "result"
	varBaseline        = "baseline"
	varSamples         = "samples"
	varBaselineSamples = "baselineSamples"
	varPayload         = "payload"
	varFunctionError   = "functionError"
	varStatusCode      = "statusCode"
	varDurationMillis  = "durationMillis"
)

// A dialect is a set of variables.
type dialect int

const (
	// numeric is for metrics whose result is a number.
	numeric dialect = iota
	// structured is for metrics whose result is JSON.
	structured
	// invocation is for the response of a function.
	invocation
)

// environments returns the CEL environment of each dialect.
var environments = sync.OnceValues(func() (map[dialect]*cel.Env, error) {
	envs := map[dialect]*cel.Env{}
	for d, variables := range map[dialect][]cel.EnvOption{
		numeric: {
			cel.Variable(varResult, cel.DoubleType), cel.Variable(varBaseline, cel.DoubleType),
			cel.Variable(varSamples, cel.DoubleType), cel.Variable(varBaselineSamples, cel.DoubleType),
		},
		structured: {
			cel.Variable(varResult, cel.DynType), cel.Variable(varBaseline, cel.DynType),
			cel.Variable(varSamples, cel.DoubleType), cel.Variable(varBaselineSamples, cel.DoubleType),
		},
		invocation: {
			cel.Variable(varPayload, cel.DynType), cel.Variable(varFunctionError, cel.StringType),
			cel.Variable(varStatusCode, cel.IntType), cel.Variable(varDurationMillis, cel.IntType),
		},
	} {
		env, err := cel.NewEnv(append(options(), variables...)...)
		if err != nil {
			return nil, err
		}
		envs[d] = env
	}
	return envs, nil
})

// check parses an expression and checks its types, with doubles instead of integers: 99 / 100 is not 0, since the
// variables and the numbers of JSON are doubles. In an expression that needs integers, such as one that calculates with
// the size of a list, only fractions of two whole numbers have doubles, if they may.
func check(env *cel.Env, expression string) (*cel.Ast, error) {
	for _, replace := range []func(ast.Expr){double, fraction} {
		parsed, issues := env.Parse(expression)
		if issues.Err() != nil {
			return nil, first(issues)
		}
		ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(replace))
		if checked, issues := env.Check(parsed); issues.Err() == nil {
			return checked, nil
		}
	}
	checked, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, first(issues)
	}
	return checked, nil
}

func double(e ast.Expr) {
	if i, ok := integer(e); ok {
		e.SetKindCase(ast.NewExprFactory().NewLiteral(e.ID(), types.Double(i)))
	}
}

// fraction replaces the integers of a fraction by doubles.
func fraction(e ast.Expr) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Divide {
		return
	}
	args := e.AsCall().Args()
	if !slices.ContainsFunc(args, func(arg ast.Expr) bool { _, ok := integer(arg); return !ok }) {
		double(args[0])
		double(args[1])
	}
}

func integer(e ast.Expr) (types.Int, bool) {
	if e.Kind() != ast.LiteralKind {
		return 0, false
	}
	i, ok := e.AsLiteral().(types.Int)
	return i, ok
}

// first returns the first error of an expression, with its position.
func first(issues *cel.Issues) error {
	e := issues.Errors()[0]
	at, hint := "", ""
	if e.Location.Line() > 0 {
		at = fmt.Sprintf("%d:%d: ", e.Location.Line(), e.Location.Column()+1)
	}
	if strings.Contains(e.Message, "double") && strings.Contains(e.Message, "int") {
		hint = "; write a whole number as 2.0 to calculate with other numbers"
	}
	return fmt.Errorf("%s%s%s", at, strings.TrimSuffix(e.Message, " (in container '')"), hint)
}
