package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	"k8s.io/utils/lru"
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

// A condition is a compiled expression.
type condition struct {
	program cel.Program
	source  *ast.SourceInfo

	// uses has the variables of the expression, and testsNaN those that it passes to math.isNaN.
	uses, testsNaN map[string]bool

	// keepsNaN says that a calculated number may be NaN: the expression tests one, or is about the response of a
	// function, which does not meet it then.
	keepsNaN bool
}

// compile compiles an expression. An error says at which position it is not valid.
func compile(d dialect, expression string) (*condition, error) {
	envs, err := environments()
	if err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(expression); n > maxExpression {
		return nil, fmt.Errorf("it has %d characters, more than %d", n, maxExpression)
	}
	env := envs[d]
	checked, err := check(env, expression)
	if err != nil {
		return nil, err
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("1:1: it is of type %s, not bool", t)
	}
	if err := restrict(checked.NativeRep()); err != nil {
		return nil, err
	}
	c := &condition{
		source: checked.NativeRep().SourceInfo(), uses: map[string]bool{}, testsNaN: map[string]bool{},
		keepsNaN: d == invocation,
	}
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(c.note))
	c.program, err = env.Program(checked, cel.EvalOptions(cel.OptPartialEval), cel.CustomDecoratorV2(c.decorate),
		cel.CostTracking(meter{}), cel.CostLimit(maxCost), cel.InterruptCheckFrequency(interruptEvery))
	if err != nil {
		return nil, errors.New("it cannot be evaluated")
	}
	return c, nil
}

func (c *condition) note(e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		c.uses[e.AsIdent()] = true
	case ast.CallKind:
		made := e.AsCall()
		switch name := made.FunctionName(); {
		case name != isNaN && name != "math.isFinite":
		case made.Args()[0].Kind() == ast.CallKind:
			c.keepsNaN = true
		case name == isNaN && made.Args()[0].Kind() == ast.IdentKind:
			c.testsNaN[made.Args()[0].AsIdent()] = true
		}
	default:
	}
}

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

// A verdict is the value of a condition.
type verdict int

const (
	// unknown is the value of a condition that depends on a number that is not known.
	unknown verdict = iota
	met
	unmet
)

// Errors of an evaluation.
var (
	// errCost says that an evaluation takes too long.
	errCost = errors.New("its evaluation takes too long")
	// errValue says that a value is not as the expression needs it.
	errValue = errors.New("cannot be evaluated")
)

// notRead is the value of a variable that is not known, even if the expression tests for NaN.
type notRead struct{}

// evaluate returns the value of a condition. A number that is NaN is not known, unless the
// expression tests for it. An error holds no value.
func (c *condition) evaluate(ctx context.Context, values map[string]any) (verdict, error) {
	var missing []*cel.AttributePatternType
	for name, v := range values {
		_, unread := v.(notRead)
		if f, ok := v.(float64); unread || ok && math.IsNaN(f) && !c.testsNaN[name] {
			missing = append(missing, cel.AttributePattern(name))
		}
	}
	vars, err := cel.PartialVars(values, missing...)
	if err != nil {
		return unknown, errValue
	}
	out, _, err := c.program.ContextEval(ctx, vars)
	switch {
	case err != nil:
		return unknown, c.explain(ctx, err)
	case types.IsUnknown(out):
		return unknown, nil
	case out == types.True:
		return met, nil
	case out == types.False:
		return unmet, nil
	default:
		return unknown, fmt.Errorf("%w: its value is not true or false", errValue)
	}
}

// explain returns an error of an evaluation without the values that it quotes.
func (c *condition) explain(ctx context.Context, err error) error {
	if _, ok := errors.AsType[interpreter.EvalCancelledError](err); ok || ctx.Err() != nil {
		return errCost
	}
	at, reason := "", "a value is not as the expression needs it"
	if e, ok := errors.AsType[*types.Err](err); ok {
		if p := position(c.source, e.NodeID()); p != "" {
			at = " at " + strings.TrimSuffix(p, ": ")
		}
	}
	switch text := err.Error(); {
	case strings.HasPrefix(text, "no such key"):
		reason = "there is no such field"
	case strings.HasPrefix(text, "index out of bounds"):
		reason = "a list has no such element"
	case strings.HasPrefix(text, "no such overload"):
		reason = "a value has another type"
	case strings.HasPrefix(text, "division by zero"), strings.HasPrefix(text, "modulus by zero"):
		reason = "it divides by zero"
	}
	return fmt.Errorf("%w%s: %s", errValue, at, reason)
}

// maxConditions is the maximum number of compiled expressions in memory. One takes some 10 KiB.
const maxConditions = 512

// conditions compiles expressions and keeps those used last. It is safe for concurrent use.
type conditions struct{ kept *lru.Cache }

func newConditions() conditions { return conditions{lru.New(maxConditions)} }

type expression struct {
	dialect dialect
	text    string
}

type compiled struct {
	condition *condition
	err       error
}

func (c conditions) get(d dialect, text string) (*condition, error) {
	key := expression{dialect: d, text: text}
	if kept, ok := c.kept.Get(key); ok {
		k := kept.(compiled) //nolint:forcetypeassert // Only this function adds one.
		return k.condition, k.err
	}
	cond, err := compile(d, text)
	c.kept.Add(key, compiled{condition: cond, err: err})
	return cond, err
}
