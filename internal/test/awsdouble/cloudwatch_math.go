package awsdouble

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
)

// An operand is a value of metric math: a number, or a time series, which is not nil.
type operand struct {
	number float64
	series map[int64]float64
	// status and message of a metric's data.
	status, message string
}

// An evaluation computes the queries of a call.
type evaluation struct {
	server *Server
	of     *monitor
	in     *metricDataInput
	byID   map[string]*metricQuery
	known  map[string]operand
	active map[string]bool
}

func (e *evaluation) valueOf(id string) operand {
	if v, ok := e.known[id]; ok {
		return v
	}
	if e.active[id] {
		e.fail(id, "Circular reference")
	}
	e.active[id] = true
	q := e.byID[id]
	if q.MetricStat != nil {
		e.known[id] = e.metric(q.MetricStat)
		return e.known[id]
	}
	// What the double knows of metric math has the syntax of Go.
	parsed, err := parser.ParseExpr(q.Expression)
	if err != nil {
		e.fail(id, err.Error())
	}
	e.known[id] = e.compute(id, parsed)
	return e.known[id]
}

func (e *evaluation) fail(id, what string) {
	panic(invalidMetrics("Error in expression '%s' [%s]", id, what))
}

// compute returns the value of a part of an expression.
func (e *evaluation) compute(id string, part ast.Expr) operand {
	switch part := part.(type) {
	case *ast.ParenExpr:
		return e.compute(id, part.X)
	case *ast.BinaryExpr:
		return e.combine(id, part.Op, e.compute(id, part.X), e.compute(id, part.Y))
	case *ast.BasicLit:
		if n, err := strconv.ParseFloat(part.Value, 64); err == nil {
			return operand{number: n}
		}
	case *ast.Ident:
		if e.byID[part.Name] == nil {
			e.fail(id, "Unknown identifier "+part.Name)
		}
		return e.valueOf(part.Name)
	}
	e.fail(id, "The double does not know a part of it")
	return operand{}
}

// metric returns the data points of a metric.
func (e *evaluation) metric(m *metricStat) operand {
	if st, ok := e.server.statuses[m.Metric.MetricName]; ok {
		return operand{series: map[int64]float64{}, status: st.status, message: st.message}
	}
	dimensions := map[string]string{}
	for _, d := range m.Metric.Dimensions {
		dimensions[d.Name] = d.Value
	}
	of := Metric{Namespace: m.Metric.Namespace, Name: m.Metric.MetricName, Dimensions: dimensions}
	q := e.in.timeRange(m.Period, e.server.options.EpochPeriods)
	return operand{series: e.of.statistics(of, m.Stat, q, e.server.options.Now())}
}

// combine applies an operator, to series at each time that both have. What is no number is left out with a message.
func (e *evaluation) combine(id string, op token.Token, a, b operand) operand {
	if a.series == nil && b.series == nil {
		return operand{number: e.apply(id, op, a.number, b.number)}
	}
	out := operand{series: map[int64]float64{}}
	times := a.series
	if times == nil {
		times = b.series
	}
	for t := range times {
		x, hasX := a.at(t)
		y, hasY := b.at(t)
		if !hasX || !hasY {
			continue
		}
		v := e.apply(id, op, x, y)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out.message = "One or more data-points have been dropped due to non-numeric values (NaN, -Infinite, " +
				"+Infinite)"
			continue
		}
		out.series[t] = v
	}
	return out
}

// at returns a number, or the value of a series at a time.
func (o operand) at(t int64) (float64, bool) {
	if o.series == nil {
		return o.number, true
	}
	v, ok := o.series[t]
	return v, ok
}

func (e *evaluation) apply(id string, op token.Token, x, y float64) float64 {
	switch op { //nolint:exhaustive // CloudWatch has more, which no test needs.
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	}
	e.fail(id, "The double does not know "+op.String())
	return 0
}
