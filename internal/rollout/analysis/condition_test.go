package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// parsed returns JSON as metrics of type web have it.
func parsed(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func numbers(result, baseline, samples float64) map[string]any {
	return map[string]any{varResult: result, varBaseline: baseline, varSamples: samples, varBaselineSamples: samples}
}

func response(v any) map[string]any {
	return map[string]any{varResult: v, varBaseline: math.NaN(), varSamples: math.NaN(), varBaselineSamples: math.NaN()}
}

func TestCondition(t *testing.T) {
	nan := math.NaN()
	body := `{"ok": true, "p99": 120, "name": "x", "items": [{"up": true}, {"up": false}], "secret-key": 1, "k": "secret"}`
	type want struct {
		verdict verdict
		err     string
	}
	cases := map[string]struct {
		reason     string
		dialect    dialect
		expression string
		values     map[string]any
		want       want
	}{
		"Met": {
			"A number below its bound.", numeric, "result < 0.01", numbers(0.001, nan, 10),
			want{met, ""},
		},
		"Unmet": {"A number above it.", numeric, "result < 0.01", numbers(0.1, nan, 10), want{unmet, ""}},
		"Whole": {
			"Whole numbers compare with others.", numeric, "result < 1", numbers(0.1, nan, 10),
			want{met, ""},
		},
		"Equal": {"And are equal to others.", numeric, "result == 0", numbers(0, nan, 10), want{met, ""}},
		"Calculate": {
			"And multiply others.", numeric, "result <= baseline * 2 + 1", numbers(3, 1, 10),
			want{met, ""},
		},
		"Fraction": {
			"And divide others.", numeric, "result > 99 / 100", numbers(0.5, nan, 10),
			want{unmet, ""},
		},
		"FractionOfABaseline": {
			"Wherever they are.", numeric, "result > 1 / 2 && result < baseline * 3 / 2", numbers(0.4, 1, 10),
			want{unmet, ""},
		},
		"Integers": {
			"Unless only whole numbers can be calculated with.", numeric, "int(result) % 2 == 7 / 2 - 2",
			numbers(5, nan, 10),
			want{met, ""},
		},
		"Samples": {
			"Samples are a number.", numeric, "samples >= 100 && result < 1", numbers(0, nan, 100),
			want{met, ""},
		},
		"NoBaseline": {
			"What depends on a baseline that is not known is not known.", numeric,
			"result <= baseline * 2.0", numbers(3, nan, 10),
			want{unknown, ""},
		},
		"NotNegated": {
			"Nor is its opposite.", numeric, "!(result > baseline)", numbers(3, nan, 10),
			want{unknown, ""},
		},
		"NotEqual": {
			"Nor whether it is equal to itself.", numeric, "baseline != baseline", numbers(3, nan, 10),
			want{unknown, ""},
		},
		"Either": {
			"What does not depend on it is known.", numeric, "result < 0.01 || result < baseline",
			numbers(0.001, nan, 10),
			want{met, ""},
		},
		"Or": {
			"What does is not.", numeric, "result < 0.01 || result < baseline", numbers(0.1, nan, 10),
			want{unknown, ""},
		},
		"Tested": {
			"A test for NaN is answered.", numeric, "math.isNaN(baseline) || result <= baseline",
			numbers(3, nan, 10),
			want{met, ""},
		},
		"TestedNumber": {
			"A test for NaN of a number, too.", numeric, "math.isNaN(baseline) || result <= baseline",
			numbers(3, 1, 10),
			want{unmet, ""},
		},
		"NothingOfNothing": {
			"What depends on 0 divided by 0 is not known.", numeric, "result / baseline <= 1.5", numbers(0, 0, 10),
			want{unknown, ""},
		},
		"NothingOfNothingAfterATest": {
			"Also if a variable is tested for NaN.", numeric, "math.isNaN(baseline) || result / baseline <= 1.5",
			numbers(0, 0, 10),
			want{unknown, ""},
		},
		"TestedElse": {
			"A baseline that is tested for NaN may be calculated with.", numeric,
			"math.isNaN(baseline) && result < 0.5 || result <= baseline * 1.2", numbers(0.6, nan, 10),
			want{unmet, ""},
		},
		"NothingOfNothingIsNotNeeded": {
			"What does not depend on it is known.", numeric, "result / baseline <= 1.5 || result < 0.01",
			numbers(0, 0, 10),
			want{met, ""},
		},
		"SomethingOfNothing": {
			"Something is more than any multiple of nothing.", numeric, "result / baseline <= 1.5", numbers(0.5, 0, 10),
			want{unmet, ""},
		},
		"NothingOfFields": {
			"Nor is a rate without traffic known.", structured, "result.errors / result.total > 0.05",
			response(parsed(t, `{"errors": 0, "total": 0}`)),
			want{unknown, ""},
		},
		"NothingTested": {
			"A test for it is answered.", structured,
			"math.isNaN(result.errors / result.total) || result.errors / result.total < 0.05",
			response(parsed(t, `{"errors": 0, "total": 0}`)),
			want{met, ""},
		},
		"NothingTestedForFinite": {
			"So is one for what is finite.", structured,
			"!math.isFinite(result.errors / result.total) || result.errors / result.total < 0.05",
			response(parsed(t, `{"errors": 0, "total": 0}`)),
			want{met, ""},
		},
		"NothingOfPayload": {
			"A function that has to respond with a rate, and does not, does not meet the expectation.", invocation,
			"payload.errors / payload.total < 1 / 100",
			map[string]any{varPayload: parsed(t, `{"errors": 0, "total": 0}`)},
			want{unmet, ""},
		},
		"TestedObject": {
			"An object is not NaN.", structured, "math.isNaN(baseline) || result.rate <= baseline.rate",
			map[string]any{
				varResult: parsed(t, `{"rate": 0.5}`), varBaseline: parsed(t, `{"rate": 0.1}`),
			},
			want{unmet, ""},
		},
		"TestedField": {
			"A field that is missing is neither NaN nor a number.", structured, "!math.isNaN(result.rate)",
			response(parsed(t, `{}`)),
			want{err: "cannot be evaluated at 1:19: there is no such field"},
		},
		"Undeclared": {
			"A variable that does not exist has a position.", numeric, "result < 1 && reslt > 2", nil,
			want{err: "1:15: undeclared reference to 'reslt'"},
		},
		"SecondLine": {
			"Also on another line.", numeric, "result < 1 &&\n  reslt > 2", nil,
			want{err: "2:3: undeclared reference"},
		},
		"Syntax": {
			"So has a mistake of the syntax.", numeric, "result <", nil,
			want{err: "1:9: Syntax error"},
		},
		"Number": {
			"A number is no condition.", numeric, "result * 2.0", nil,
			want{err: "1:1: it is of type double, not bool"},
		},
		"Empty": {"Nor is nothing.", numeric, "", nil, want{err: "Syntax error"}},
		"Mixed": {
			"The error says how to calculate.", numeric, "size('a') == 1 && result * 2 > 1.0", nil,
			want{err: "write a whole number as 2.0"},
		},
		"Long": {
			"An expression is bounded.", numeric, "result < 1 || " + strings.Repeat(" ", 1024) + "true",
			nil,
			want{err: "it has 1042 characters"},
		},
		"Deep": {
			"So is its depth.", numeric, strings.Repeat("(", 400) + "true" + strings.Repeat(")", 400),
			nil,
			want{err: "expression recursion limit"},
		},
		"Field": {
			"A field of JSON.", structured, "result.ok && result.p99 < 200", response(parsed(t, body)),
			want{met, ""},
		},
		"All": {
			"Macros.", structured, "result.items.all(i, i.up)", response(parsed(t, body)),
			want{unmet, ""},
		},
		"FractionOfFields": {
			"Whole numbers are calculated with as those of JSON are.", structured,
			"result.p99 * 2 / 100 > 99 / 100", response(parsed(t, body)),
			want{met, ""},
		},
		"FractionIsNotZero": {
			"A fraction of whole numbers is not 0.", structured, "result.p99 / 100000 < 1 / 100",
			response(parsed(t, body)),
			want{met, ""},
		},
		"ElementAt": {
			"An element of a list has a whole number.", structured, "result.items[1].up || result.items[0].up",
			response(parsed(t, body)),
			want{met, ""},
		},
		"FractionOfPayload": {
			"Nor in a response of a function.", invocation, "payload.errors / payload.total < 1 / 100",
			map[string]any{varPayload: parsed(t, `{"errors": 1, "total": 1000}`)},
			want{met, ""},
		},
		"FractionBesideStatus": {
			"Even if another part needs whole numbers.", invocation,
			"statusCode == 200 && payload.errors / payload.total < 1 / 100",
			map[string]any{varStatusCode: 200, varPayload: parsed(t, `{"errors": 1, "total": 1000}`)},
			want{met, ""},
		},
		"ClassOfStatus": {
			"The status is a whole number.", invocation, "statusCode / 100 == 2",
			map[string]any{varStatusCode: 204},
			want{met, ""},
		},
		"Has": {
			"A field that may be missing.", structured, "has(result.errors) && result.errors > 1",
			response(parsed(t, body)),
			want{unmet, ""},
		},
		"BareNumber": {"A number alone.", structured, "result < 5", response(parsed(t, "4")), want{met, ""}},
		"BareBool":   {"The condition itself.", structured, "result", response(parsed(t, "true")), want{met, ""}},
		"Null": {
			"Null is a value.", structured, "result == null", response(parsed(t, "null")),
			want{met, ""},
		},
		"NoField": {
			"A field that is missing is no value.", structured, "result.errors < 1",
			response(parsed(t, body)),
			want{err: "cannot be evaluated at 1:7: there is no such field"},
		},
		"NoElement": {
			"Nor is an element.", structured, "result.items[7].up", response(parsed(t, body)),
			want{err: "has no such element"},
		},
		"NotQuoted": {
			"The error does not quote what was answered.", structured, "result[result.k] == 1",
			response(parsed(t, body)),
			want{err: "there is no such field"},
		},
		"OtherType": {
			"Text is not below a number.", structured, "result.name < 5", response(parsed(t, body)),
			want{err: "a value has another type"},
		},
		"NotBool": {
			"A text is neither true nor false.", structured, "result.name", response(parsed(t, body)),
			want{err: "its value is not true or false"},
		},
		"Zero": {
			"A division by zero is no panic.", structured, "1 / (size(result.items) - 2) == 1",
			response(parsed(t, body)),
			want{err: "it divides by zero"},
		},
		"NoBaselineOfWeb": {
			"A response has a baseline or not.", structured, "result.p99 <= baseline.p99",
			response(parsed(t, body)),
			want{unknown, ""},
		},
		"Costly": {
			"An evaluation is bounded.", structured, "result.all(a, result.all(b, result.all(c, result.all(d, a + b " +
				"+ c + d >= 0.0))))",
			response(parsed(t, "["+strings.Repeat("1,", 999)+"1]")),
			want{err: errCost.Error()},
		},
		"Payload": {
			"A response of a function.",
			invocation,
			`payload.status == "ok" && statusCode == 200 && durationMillis < 500 && functionError == ""`,
			map[string]any{
				varPayload: parsed(
					t,
					`{"status": "ok"}`,
				),
				varStatusCode:     200,
				varDurationMillis: 120,
				varFunctionError:  "",
			},
			want{met, ""},
		},
		"NoResult": {
			"Its variables are its own.", invocation, "result == 1", nil,
			want{err: "undeclared reference to 'result'"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := compile(tc.dialect, tc.expression)
			got := unknown
			if err == nil {
				got, err = c.evaluate(t.Context(), tc.values)
			}
			if got != tc.want.verdict || (err == nil) != (tc.want.err == "") || err != nil &&
				!strings.Contains(err.Error(), tc.want.err) {
				t.Errorf("%s\ngot %v, %v, want %v, %q", tc.reason, got, err, tc.want.verdict, tc.want.err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error quotes a value: %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "container") {
				t.Errorf("the error names what CEL has and users do not: %v", err)
			}
		})
	}
}

// TestConditionsAreKept counts what is compiled and kept.
func TestConditionsAreKept(t *testing.T) {
	all := newConditions()
	a, err := all.get(numeric, "result < 1")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := all.get(numeric, "result < 1"); a != b {
		t.Error("an expression is compiled again")
	}
	if b, _ := all.get(structured, "result < 1"); a == b {
		t.Error("the variables are those of another metric")
	}
	for i := range maxConditions + 10 {
		if _, err := all.get(numeric, fmt.Sprintf("result < %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := all.kept.Len(); n > maxConditions {
		t.Errorf("%d expressions are kept", n)
	}
}

// FuzzConditions evaluates any expression on any response. It has to end, without a panic.
func FuzzConditions(f *testing.F) {
	for _, expression := range []string{
		"result < 1", "result.a.b[0] == 'x'", "result.all(x, x > 0)", "result.exists(x, result.map(y, y + x) == [1])",
		"math.isNaN(baseline) || result < baseline * 2", "'a'.matches(result)", "result + result + result == result", "timestamp(result) > timestamp(0)",
		"{'a': result}.a", "-9223372036854775808 / -1 == result", "1 << 2", "math.bitShiftLeft(1, 64) == 1", "size(result) > 2", "result in [1, 2]", "type(result) == int",
	} {
		f.Add(expression, `{"a": {"b": ["x"]}}`, 0.5, math.NaN())
		f.Add(expression, `[1, 2, 3]`, math.Inf(1), 1.0)
		f.Add(expression, `"1970-01-01T00:00:00Z"`, math.NaN(), 0.0)
	}
	f.Fuzz(func(t *testing.T, expression, body string, number, baseline float64) {
		var result any
		if len(body) > maxBody || json.Unmarshal([]byte(body), &result) != nil {
			result = body
		}
		for d, values := range map[dialect]map[string]any{
			numeric:    numbers(number, baseline, number),
			structured: response(result),
			invocation: {varPayload: result, varFunctionError: "", varStatusCode: 200, varDurationMillis: 1},
		} {
			c, err := compile(d, expression)
			if err != nil {
				continue
			}
			_, err = c.evaluate(t.Context(), values)
			if err != nil && !errors.Is(err, errValue) && !errors.Is(err, errCost) {
				t.Errorf("%q: %v", expression, err)
			}
		}
	})
}
