package analysis

import (
	"math"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// isNaN is the function of conditions that tests for NaN.
const isNaN = "math.isNaN"

// A call is a call of a function by a condition. A result that is NaN, such as that of 0 / 0, is not known: each
// comparison with NaN is false. Only what is calculated with a variable that the condition tests may be NaN. A value
// that is no number, such as an object, is not NaN.
type call struct{ interpreter.InterpretableCall }

// Exec makes the call.
func (c call) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	if c.Function() == isNaN {
		v := c.Args()[0].Exec(frame)
		if types.IsUnknownOrError(v) {
			return v
		}
		return types.Bool(isNumberNaN(v))
	}
	v := c.InterpretableCall.Exec(frame)
	ofNaN := func(arg interpreter.InterpretableV2) bool { return isNumberNaN(arg.Exec(frame)) }
	if !isNumberNaN(v) || slices.ContainsFunc(c.Args(), ofNaN) {
		return v
	}
	return types.NewUnknown(c.ID(), nil)
}

// Eval makes the call with variables.
func (c call) Eval(vars interpreter.Activation) ref.Val { return c.Exec(interpreter.AsFrame(vars)) }

func isNumberNaN(v ref.Val) bool {
	number, ok := v.(types.Double)
	return ok && math.IsNaN(float64(number))
}
