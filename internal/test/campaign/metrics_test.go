package campaign

import (
	"math"
	"net/http"
	"slices"

	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// faultsOf returns the faults that an operation is tried with. CloudWatch does not respond in
// JSON.
func faultsOf(operation string) []fault {
	if operation == "GetMetricData" {
		return slices.Concat(slices.DeleteFunc(faults(), func(f fault) bool { return f.json }), metricFaults())
	}
	return faults()
}

// remeasured returns a fault that changes the fields of each result of GetMetricData.
func remeasured(name string, edit func(result cbor.Map)) fault {
	return recoded(name, func(answer cbor.Map) {
		results, _ := answer["MetricDataResults"].(cbor.List)
		for _, r := range results {
			if m, ok := r.(cbor.Map); ok {
				edit(m)
			}
		}
	})
}

// recoded returns a fault that changes successful responses of CloudWatch.
func recoded(name string, edit func(answer cbor.Map)) fault {
	return fault{name: name, make: func(op string) awsdouble.Fault {
		return awsdouble.Fault{Operation: op, Times: -1, Answer: func(status int, b []byte) (int, []byte) {
			v, err := cbor.Decode(b)
			answer, ok := v.(cbor.Map)
			if status >= http.StatusMultipleChoices || err != nil || !ok {
				return status, b
			}
			edit(answer)
			return status, cbor.Encode(answer)
		}}
	}}
}

// metricFaults returns faults in the responses to GetMetricData. None of them leaves a value
// that a rollout may rely on.
func metricFaults() []fault {
	values := func(of func(v cbor.Value) cbor.Value) func(r cbor.Map) {
		return func(r cbor.Map) {
			l, _ := r["Values"].(cbor.List)
			for i := range l {
				l[i] = of(l[i])
			}
		}
	}
	number := func(f float64) func(r cbor.Map) {
		return values(func(cbor.Value) cbor.Value { return cbor.Float64(f) })
	}
	code := func(c string) func(r cbor.Map) {
		return func(r cbor.Map) { r["StatusCode"] = cbor.String(c) }
	}
	return []fault{
		recoded("no results", func(a cbor.Map) { a["MetricDataResults"] = cbor.List{} }),
		recoded("absent results", func(a cbor.Map) { delete(a, "MetricDataResults") }),
		recoded("endless pages", func(a cbor.Map) { a["NextToken"] = cbor.String("more") }),
		remeasured("no values", func(r cbor.Map) { r["Values"], r["Timestamps"] = cbor.List{}, cbor.List{} }),
		remeasured("times without values", func(r cbor.Map) { r["Values"] = cbor.List{} }),
		remeasured("values without times", func(r cbor.Map) { r["Timestamps"] = cbor.List{} }),
		remeasured("null fields of results", func(r cbor.Map) {
			for k := range r {
				r[k] = &cbor.Nil{}
			}
		}),
		remeasured("unknown IDs", func(r cbor.Map) { r["Id"] = cbor.String("unknown") }),
		remeasured("texts for numbers", values(func(cbor.Value) cbor.Value { return cbor.String("0") })),
		remeasured("NaN", number(math.NaN())),
		remeasured("infinity", number(math.Inf(1))),
		remeasured("negative numbers", number(-1)),
		remeasured("values of yesterday", func(r cbor.Map) {
			l, _ := r["Timestamps"].(cbor.List)
			for i := range l {
				if t, ok := l[i].(*cbor.Tag); ok {
					if seconds, ok := t.Value.(cbor.Float64); ok {
						t.Value = seconds - 24*60*60
					}
				}
			}
		}),
		remeasured("internal error", code("InternalError")),
		remeasured("forbidden", code("Forbidden")),
		remeasured("partial data", code("PartialData")),
		remeasured("an unknown status", code("Dreaming")),
	}
}
