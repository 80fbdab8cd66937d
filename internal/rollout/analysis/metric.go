package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A reading is the result of a source for a metric. A baseline that is not known is NaN, and so are the numbers of
// samples.
type reading struct {
	result, baseline         any
	samples, baselineSamples float64

	// baselineErr is the reason why it is not known whether there is a baseline.
	baselineErr error

	// until is the time up to which the result has all invocations, zero if that is not known.
	until time.Time

	// earlier reports whether all invocations began before the target received its present weight.
	earlier bool
}

// values returns the variables of conditions. An infinite baseline is none to compare with.
func (r reading) values() map[string]any {
	baseline := r.baseline
	if r.baselineErr != nil {
		baseline = notRead{}
	}
	if f, ok := baseline.(float64); ok && math.IsInf(f, 0) {
		baseline = math.NaN()
	}
	return map[string]any{
		varResult: r.result, varBaseline: baseline, varSamples: r.samples,
		varBaselineSamples: r.baselineSamples,
	}
}

// value returns the result for status: a number or a truth value, not what else a server has sent.
func (r reading) value() string {
	switch v := r.result.(type) {
	case float64:
		return number(v)
	case bool:
		return strconv.FormatBool(v)
	default:
		return ""
	}
}

// number returns a number with six digits.
func number(f float64) string {
	const digits, bits = 6, 64
	return strconv.FormatFloat(f, 'g', digits, bits)
}

// metric measures a metric. It returns a wait if there is no value yet.
func (a *Analyzer) metric(ctx context.Context, id rollout.CheckID, s rollout.Subject,
	m *v1beta1.RolloutMetric,
) (rollout.Measurement, time.Duration) {
	j, err := a.judge(m)
	if err != nil {
		return Failed(id, err), 0
	}
	r, wait, err := a.read(ctx, s, m, j.uses(varBaseline))
	switch {
	case err != nil:
		return Failed(id, err), 0
	case wait > 0:
		return rollout.Measurement{}, wait
	}
	if m.Provider.Lambda != nil {
		if short := tooFew(m, r.samples); short != "" {
			return measured(id, rollout.Inconclusive, "", "%s", short), 0
		}
		if r.baselineSamples > 0 && tooFew(m, r.baselineSamples) != "" {
			r.baseline = notRead{}
		}
	}
	if f, ok := r.result.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return measured(id, rollout.Inconclusive, number(f), "the value is not a finite number"), 0
	}
	result, message := j.verdict(ctx, r)
	if message == noNumber && r.baselineErr != nil {
		return Failed(id, fmt.Errorf("cannot tell the baseline: %w", r.baselineErr)), 0
	}
	if message == noNumber && !s.Weighted && (j.uses(varBaseline) || j.uses(varBaselineSamples)) {
		result, message = rollout.Skipped, "a condition compares with the stable version, which receives no "+
			"invocations any more"
	}
	if result == rollout.Success && r.earlier && !r.until.Before(s.Since) {
		result, message = rollout.Inconclusive, "there are no invocations with the present weight"
	}
	out := measured(id, result, r.value(), "%s", message)
	out.Until = r.until
	return out, 0
}

// tooFew returns why a measurement has too few samples, empty if it has enough.
func tooFew(m *v1beta1.RolloutMetric, samples float64) string {
	least := max(ptr.Deref(m.MinSampleCount, 1), 1)
	if samples >= float64(least) {
		return ""
	}
	return fmt.Sprintf("too few invocations: %s of %d", number(samples), least)
}

// read returns what the source of a metric has, with a baseline if a condition uses it.
func (a *Analyzer) read(ctx context.Context, s rollout.Subject, m *v1beta1.RolloutMetric,
	baseline bool,
) (r reading, wait time.Duration, err error) {
	p := m.Provider
	switch {
	case p.Prometheus != nil:
		r, err = compared(s, p.Prometheus.Query, baseline,
			func(query string) (any, error) { return a.prometheus(ctx, s.Namespace, p.Prometheus, query) })
	case p.Web != nil:
		r, err = compared(s, p.Web.URL, baseline,
			func(target string) (any, error) { return a.web(ctx, s.Namespace, p.Web, target) })
	case a.cloudWatch == nil:
		err = errors.New("the metric has no provider, or CloudWatch cannot be read")
	default:
		var sample rollout.Sample
		sample, wait, err = a.cloudWatch.Sample(ctx, s, m)
		r = reading{
			result: sample.Value, baseline: sample.Baseline, samples: sample.Samples,
			baselineSamples: sample.BaselineSamples, earlier: sample.Earlier,
		}
		if p.Lambda == nil { // Other metrics are of data points, not of invocations.
			r.samples, r.baselineSamples = math.NaN(), math.NaN()
		}
		if !sample.Until.IsZero() {
			r.until = sample.Until.Add(-s.Timeout)
		}
	}
	return r, wait, err
}

// compared reads the result and, if it is used, the baseline: the answer to the same query about
// the stable version. A query that does not name the target has no baseline. Nor has a stable
// version without invocations, whose answer has no value. A source that does not answer is no such answer.
func compared(s rollout.Subject, query string, baseline bool, ask func(query string) (any, error)) (reading, error) {
	r := reading{baseline: math.NaN(), samples: math.NaN(), baselineSamples: math.NaN()}
	var err error
	if r.result, err = ask(substitute(query, s)); err != nil {
		return r, err
	}
	if !baseline || !s.Weighted || s.Stable == "" || !strings.Contains(query, targetVersion) {
		return r, nil
	}
	stable := s
	stable.Target = s.Stable
	switch answer, err := ask(substitute(query, stable)); {
	case err == nil:
		r.baseline = answer
	case !errors.Is(err, errNoValue):
		r.baselineErr = err
	}
	return r, nil
}

// targetVersion stands for the number of the target in queries and URLs.
const targetVersion = "$(target)"

func substitute(query string, s rollout.Subject) string {
	return strings.NewReplacer("$(function)", s.Function, "$(alias)", s.Alias, targetVersion, s.Target, "$(stable)",
		s.Stable).Replace(query)
}

// A judge has the conditions of a metric. One that is not set is nil.
type judge struct {
	success, failure         *condition
	successText, failureText string
	field                    string
}

// judge returns the conditions of a metric. An error names the field of one that is not valid.
func (a *Analyzer) judge(m *v1beta1.RolloutMetric) (judge, error) {
	j := judge{
		field:       fmt.Sprintf("spec.rollout.analysis.metrics[%s]", m.Name),
		successText: ptr.Deref(m.SuccessCondition, ""), failureText: ptr.Deref(m.FailureCondition, ""),
	}
	d := numeric
	if m.Provider.Web != nil {
		d = structured
	}
	if m.SuccessCondition == nil && m.FailureCondition == nil {
		return j, fmt.Errorf("%s has no condition: set successCondition, failureCondition or both", j.field)
	}
	var err error
	if m.FailureCondition != nil {
		if j.failure, err = a.conditions.get(d, j.failureText); err != nil {
			return j, fmt.Errorf("%s.failureCondition is not valid: %w", j.field, err)
		}
	}
	if m.SuccessCondition != nil {
		if j.success, err = a.conditions.get(d, j.successText); err != nil {
			return j, fmt.Errorf("%s.successCondition is not valid: %w", j.field, err)
		}
	}
	return j, nil
}

// noNumber is the message of a condition that can't be decided.
const noNumber = "a condition needs a number that is not known, such as 0 / 0, or the baseline of a stable version " +
	"with too few invocations"

func (j judge) uses(variable string) bool {
	return j.success != nil && j.success.uses[variable] || j.failure != nil && j.failure.uses[variable]
}

// verdict returns the result of a measurement, and why it is not Success. A measurement fails if
// it meets the failure condition, also if it meets the success condition.
func (j judge) verdict(ctx context.Context, r reading) (result, message string) {
	failure, success := unmet, unmet
	var err error
	if j.failure != nil {
		if failure, err = j.failure.evaluate(ctx, r.values()); err != nil {
			return rollout.Error, fmt.Sprintf("%s.failureCondition: %v", j.field, err)
		}
	}
	if failure == met {
		return rollout.Failure, "failureCondition is met: " + j.failureText
	}
	if j.success != nil {
		if success, err = j.success.evaluate(ctx, r.values()); err != nil {
			return rollout.Error, fmt.Sprintf("%s.successCondition: %v", j.field, err)
		}
	}
	switch {
	case failure == unknown || success == unknown:
		return rollout.Inconclusive, noNumber
	case success == met, j.success == nil:
		return rollout.Success, ""
	case j.failure == nil:
		return rollout.Failure, "successCondition is not met: " + j.successText
	default:
		return rollout.Inconclusive, "neither successCondition nor failureCondition is met"
	}
}
