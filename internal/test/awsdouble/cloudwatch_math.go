package awsdouble

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// An operand is a value of metric math: a number, a time series, or several.
type operand struct {
	number   float64
	series   map[int64]float64
	isSeries bool
	list     []operand
	// status and message of a metric's data.
	status, message string
}

func seriesOf(values map[int64]float64) operand { return operand{series: values, isSeries: true} }

// An evaluation computes the queries of a call.
type evaluation struct {
	server *Server
	of     *monitor
	in     *metricDataInput
	byID   map[string]*metricQuery
	known  map[string]operand
	active map[string]bool
}

func newEvaluation(s *Server, of *monitor, in *metricDataInput) *evaluation {
	e := &evaluation{server: s, of: of, in: in, byID: map[string]*metricQuery{}, known: map[string]operand{}, active: map[string]bool{}}
	for i := range in.MetricDataQueries {
		e.byID[in.MetricDataQueries[i].Id] = &in.MetricDataQueries[i]
	}
	return e
}

// valueOf returns the value of a query.
func (e *evaluation) valueOf(id string) operand {
	if v, ok := e.known[id]; ok {
		return v
	}
	q := e.byID[id]
	if q.MetricStat != nil {
		v := e.metric(q.MetricStat)
		e.known[id] = v
		return v
	}
	if e.active[id] {
		panic(invalidMetrics("Error in expression '%s' [Circular reference]", id))
	}
	e.active[id] = true
	p := &mathParser{evaluation: e, tokens: mathToken.FindAllString(q.Expression, -1)}
	v := p.comparison()
	if p.failed == "" && p.at < len(p.tokens) {
		p.failed = "Unexpected " + p.tokens[p.at]
	}
	if p.err != nil {
		panic(p.err)
	}
	if p.failed != "" {
		panic(invalidMetrics("Error in expression '%s' [%s]", id, p.failed))
	}
	e.known[id] = v
	return v
}

// metric returns the data points of a metric.
func (e *evaluation) metric(m *metricStat) operand {
	if st, ok := e.server.statuses[m.Metric.MetricName]; ok {
		return operand{isSeries: true, status: st.status, message: st.message}
	}
	dimensions := map[string]string{}
	for _, d := range m.Metric.Dimensions {
		dimensions[d.Name] = d.Value
	}
	of := Metric{Namespace: m.Metric.Namespace, Name: m.Metric.MetricName, Dimensions: dimensions}
	q := e.in.timeRange(m.Period, e.server.options.EpochPeriods)
	return seriesOf(e.of.statistics(of, m.Stat, q, e.server.options.Now()))
}

// mathToken matches a token of metric math.
var mathToken = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?:\.[0-9]+)?|<=|>=|==|!=|[^\s]`)

// A mathParser computes an expression while it parses it. After a failure it returns anything.
type mathParser struct {
	*evaluation

	tokens []string
	at     int
	failed string
	err    error
}

func (p *mathParser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

// takes consumes a token if it is one of a list, and returns it.
func (p *mathParser) takes(list ...string) string {
	if t := p.peek(); t != "" && slices.Contains(list, t) {
		p.at++
		return t
	}
	return ""
}

func (p *mathParser) fail(what string) operand {
	if p.failed == "" {
		p.failed = what
	}
	p.at = len(p.tokens)
	return operand{}
}

func (p *mathParser) comparison() operand {
	v := p.sum()
	for op := p.takes("<", ">", "<=", ">=", "==", "!="); op != ""; op = p.takes("<", ">", "<=", ">=", "==", "!=") {
		v = combine(op, v, p.sum())
	}
	return v
}

func (p *mathParser) sum() operand {
	v := p.product()
	for op := p.takes("+", "-"); op != ""; op = p.takes("+", "-") {
		v = combine(op, v, p.product())
	}
	return v
}

func (p *mathParser) product() operand {
	v := p.primary()
	for op := p.takes("*", "/"); op != ""; op = p.takes("*", "/") {
		v = combine(op, v, p.primary())
	}
	return v
}

func (p *mathParser) primary() operand {
	t := p.peek()
	p.at++
	number, err := strconv.ParseFloat(t, 64)
	switch {
	case t == "":
		return p.fail("Unexpected end of the expression")
	case t == "-":
		return combine("*", operand{number: -1}, p.primary())
	case t == "(":
		v := p.comparison()
		if p.takes(")") == "" {
			return p.fail("Missing )")
		}
		return v
	case t == "[":
		return operand{list: p.list("]")}
	case err == nil:
		return operand{number: number}
	case p.takes("(") != "":
		return p.call(t, p.list(")"))
	case p.byID[t] == nil:
		return p.fail("Unknown identifier " + t)
	}
	return p.valueOf(t)
}

// list returns the elements up to a closing token.
func (p *mathParser) list(end string) []operand {
	var all []operand
	for p.takes(end) == "" {
		if p.peek() == "" {
			p.fail("Missing " + end)
			return nil
		}
		all = append(all, p.comparison())
		p.takes(",")
	}
	return all
}

// call returns the value of a function.
func (p *mathParser) call(name string, args []operand) operand {
	reduce, ok := reductions[name]
	switch {
	case ok && len(args) == 1 && args[0].isSeries:
		return operand{number: reduce(slices.Collect(maps.Values(args[0].series)))}
	case ok && len(args) == 1 && args[0].list != nil:
		return across(args[0].list, reduce)
	case name == "FILL" && len(args) == 2 && args[0].isSeries:
		return p.fill(args[0], args[1].number)
	case name == "IF" && len(args) == 3:
		return choose(args[0], args[1], args[2])
	}
	return p.fail("Invalid function " + name)
}

// reductions are the functions that make one number of many.
var reductions = map[string]func([]float64) float64{
	"SUM": total,
	"AVG": func(v []float64) float64 { return total(v) / float64(len(v)) },
	"MIN": func(v []float64) float64 { return slices.Min(append(v, math.Inf(1))) },
	"MAX": func(v []float64) float64 { return slices.Max(append(v, math.Inf(-1))) },
}

func total(values []float64) float64 {
	n := 0.0
	for _, v := range values {
		n += v
	}
	return n
}

// across reduces several series at each time.
func across(list []operand, reduce func([]float64) float64) operand {
	at := map[int64][]float64{}
	for _, o := range list {
		for t, v := range o.series {
			at[t] = append(at[t], v)
		}
	}
	out := map[int64]float64{}
	for t, v := range at {
		out[t] = reduce(v)
	}
	return seriesOf(out)
}

// fill returns a series with a value for the minutes that have none.
func (p *mathParser) fill(o operand, value float64) operand {
	out := maps.Clone(o.series)
	if out == nil {
		out = map[int64]float64{}
	}
	q := p.in.timeRange(60, false)
	for at := q.start; at < q.end; at += q.period {
		if _, ok := out[at]; !ok {
			out[at] = value
		}
	}
	return seriesOf(out)
}

// choose returns a or b, at each time of a series.
func choose(condition, a, b operand) operand {
	if !condition.isSeries {
		if condition.number != 0 {
			return a
		}
		return b
	}
	out := map[int64]float64{}
	for t, c := range condition.series {
		o := b
		if c != 0 {
			o = a
		}
		if v, ok := o.atTime(t); ok {
			out[t] = v
		}
	}
	return seriesOf(out)
}

// atTime returns a number, or the value of a series at a time.
func (o operand) atTime(t int64) (float64, bool) {
	if !o.isSeries {
		return o.number, true
	}
	v, ok := o.series[t]
	return v, ok
}

// combine applies an operator, to series at each time that both have. What is no number is left out with a message.
func combine(op string, a, b operand) operand {
	if !a.isSeries && !b.isSeries {
		return operand{number: apply(op, a.number, b.number)}
	}
	times := a.series
	if !a.isSeries {
		times = b.series
	}
	out, message := map[int64]float64{}, ""
	for t := range times {
		x, hasX := a.atTime(t)
		y, hasY := b.atTime(t)
		if !hasX || !hasY {
			continue
		}
		v := apply(op, x, y)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			message = "One or more data-points have been dropped due to non-numeric values (NaN, -Infinite, +Infinite)"
			continue
		}
		out[t] = v
	}
	v := seriesOf(out)
	v.message = message
	return v
}

func apply(op string, x, y float64) float64 {
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "<":
		return is(x < y)
	case ">":
		return is(x > y)
	case "<=":
		return is(x <= y)
	case ">=":
		return is(x >= y)
	case "==":
		return is(x == y)
	default:
		return is(x != y)
	}
}
