package analysis

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestConditionsAreBounded has short expressions that would take long, or much memory, in CEL with
// its own limit of the cost.
func TestConditionsAreBounded(t *testing.T) {
	const (
		maxTime  = 20 * time.Second // It takes less than a second. The machine may be busy.
		maxAlloc = 64 << 20
	)
	text := parsed(t, `"`+strings.Repeat("x", maxBody-2)+`"`)
	list := parsed(t, "["+strings.Repeat("1,", maxBody/2-2)+"1]")
	nested := parsed(t, strings.Repeat("[", 5000)+strings.Repeat("]", 5000))
	loops := func(depth int, inner string) string {
		return strings.Repeat("[1, 2, 3, 4, 5, 6, 7, 8, 9].all(i, ", depth) + inner + strings.Repeat(")", depth)
	}
	const unavailable = "is not available"
	cases := map[string]struct {
		reason     string
		expression string
		result     any
		// want is an error of the expression, or else nil.
		want string
	}{
		"Doubled": {"A list that is doubled many times.", "[result]" + strings.Repeat(".map(a, a + a)",
			30) + ".all(x, x == x)", list, "undeclared reference to 'map'"},
		"Filtered": {"Another one.", "result.filter(x, true) == result", list, "undeclared reference to 'filter'"},
		"Shared": {
			"A list in which a value is many times.",
			"[[result, result]].all(a, [[a, a]].all(b, [[b, b]].all(c, c == c)))", list,
			"a list may have constants only",
		},
		"SharedMap": {"Or a map.", "{1: result, 2: result} == {}", list, "maps and messages are not available"},
		"Message": {
			"Or a message.", "google.protobuf.Value{number_value: 1.0} == 1.0", list,
			"maps and messages are not available",
		},
		"Regex": {"A regular expression with many states.", "result.matches('(x{500}){2}y')", text, unavailable},
		"Zone": {
			"A time zone, which is read from a file.", "timestamp(1).getHours('Europe/Berlin') > 1", text,
			unavailable,
		},
		"Bytes":    {"A copy of a text.", "size(bytes(result)) > 1", text, unavailable},
		"Optional": {"What other environments have.", "cel.bind(x, result, x == x)", text, "undeclared"},
		"Loops":    {"Many loops.", loops(maxMacros, "true"), list, ""},
		"LoopsOfAll": {
			"Loops that look the result up.",
			strings.Repeat(
				"result.all(x, ",
				maxMacros-1,
			) + "result.all(x, size(result) > 0)" + strings.Repeat(
				")",
				maxMacros-1,
			),
			list,
			"",
		},
		"DeepLoops": {
			"Loops within loops, in which each takes several times as long to look the result up.",
			strings.Repeat("result.all(x, ", 45) + "true" + strings.Repeat(")", 45), list, "macros are nested",
		},
		"LoopsOfList": {"Loops over a long list.", "result.all(a, result.all(b, result.all(c, true)))", list, ""},
		"ExistsOne": {
			"Loops whose errors are ignored.", "result.exists_one(a, result.exists_one(b, has(result.x)))",
			list, "",
		},
		"Equal":       {"Many comparisons of a long list.", "result.all(x, result == result)", list, ""},
		"EqualNested": {"Many comparisons of a nested list.", loops(5, "result == result"), nested, ""},
		"EqualSmall": {
			"Many comparisons with what is short.", "result.all(x, result != 1.0 && result != [])",
			parsed(t, "["+strings.Repeat("1,", maxPayload/2-2)+"1]"), "",
		},
		"In":       {"Many searches in a long list.", "result.all(x, !(3.0 in result))", list, ""},
		"Greatest": {"Many maxima of a long list.", "result.all(x, math.greatest(result) > 0.0)", list, ""},
		"Contains": {
			"Many searches in a long text.",
			loops(5, "!result.contains('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy')"), text, "",
		},
		"Size":       {"Many lengths of a long text.", loops(5, "size(result) > 5"), text, ""},
		"Conversion": {"Many errors, each with a copy of a text.", loops(5, "double(result) > 5.0"), text, ""},
		"Sum":        {"A long text.", loops(3, "("+strings.Repeat("result + ", 30)+"result) != ''"), text, ""},
		"SumOfLists": {"A long list.", loops(3,
			"("+strings.Repeat("result + ", 20)+"result) == ("+strings.Repeat("result + ", 20)+"result)"), list, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := compile(structured, tc.expression)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s\ngot %v, want %q", tc.reason, err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			_, err = c.evaluate(t.Context(), response(tc.result))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if alloc := after.TotalAlloc - before.TotalAlloc; took > maxTime || alloc > maxAlloc {
				t.Errorf("%s\nit took %s and %d bytes", tc.reason, took, alloc)
			}
			if !errors.Is(err, errCost) {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
		})
	}
}

// TestLargeResponsesAreEvaluated has a condition on each element of a long list.
func TestLargeResponsesAreEvaluated(t *testing.T) {
	c, err := compile(structured, "result.items.all(i, i.healthy && i.latency < 200)")
	if err != nil {
		t.Fatal(err)
	}
	body := `{"items": [` + strings.Repeat(`{"healthy": true, "latency": 120, "name": "x"},`,
		1000) + `{"healthy": true, "latency": 120}]}`
	if got, err := c.evaluate(t.Context(), response(parsed(t, body))); got != met || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestPositions has errors of restrict with their positions.
func TestPositions(t *testing.T) {
	for expression, want := range map[string]string{
		"result == 1 &&\n  [result] == []":        "2:3: a list may have constants only",
		"result.x.matches('a')":                   "1:17: the function matches is not available",
		"math.bitAnd(1, 2) == 1":                  "1:12: the function math.bitAnd is not available",
		"type(result) == int":                     "1:5: the function type is not available",
		"math.greatest(1.0, result.x, 2.0) > 1.0": "",
		"result in ['a', 'b']":                    "",
	} {
		_, err := compile(structured, expression)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %q", expression, err, want)
		}
	}
}
