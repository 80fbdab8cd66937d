package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	"k8s.io/utils/lru"
)

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

// decorate makes the calls of a condition those that know of NaN. If the condition tests a calculated number, or is
// about the response of a function, only its tests are.
func (c *condition) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if made, ok := i.(interpreter.InterpretableCall); ok && (!c.keepsNaN || made.Function() == isNaN) {
		return call{made}, nil
	}
	return i, nil
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
