package alias

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// An outcome is how a rollout has ended.
type outcome int

const (
	// undecided is a rollout that has neither rejected version 2 nor given it all calls.
	undecided outcome = iota
	promoted
	rejected
)

func aliasWeights(percent int) *types.AliasRoutingConfiguration {
	weights := map[string]float64{}
	if percent > 0 && percent < hundred {
		weights["2"] = float64(percent) / hundred
	}
	return &types.AliasRoutingConfiguration{AdditionalVersionWeights: weights}
}

// A shift is a weight that a tool sets, and for how long.
type shift struct {
	percent int
	length  time.Duration
}

// policy is what the rules of the other tools have in common: they set weights one after the other, and check the
// health of version 2 at intervals.
type policy struct {
	*world

	// shifts are the weights in their order. After the last one, version 2 gets all calls.
	shifts []shift
	// every is the interval of the checks.
	every time.Duration
	// check reports whether to roll back now, and whether to hold the weight.
	check func() (rollBack, hold bool)

	next           int
	shiftAt, again time.Time
	ended          bool
	result         outcome
}

// ends ends the rollout.
func (p *policy) ends(o outcome, percent int) (time.Duration, bool) {
	if !p.seen.traffic.IsZero() || percent > 0 {
		p.weigh(percent)
	}
	p.ended, p.result = true, o
	return time.Hour, true
}

func (p *policy) step() (time.Duration, bool) {
	now := p.Now()
	hold := false
	if p.ended {
		return time.Hour, true
	}
	if !now.Before(p.again) {
		p.again = now.Add(p.every)
		var rollBack bool
		if rollBack, hold = p.check(); rollBack {
			return p.ends(rejected, 0)
		}
	}
	if !now.Before(p.shiftAt) && !hold {
		if p.next == len(p.shifts) {
			return p.ends(promoted, hundred)
		}
		s := p.shifts[p.next]
		p.weigh(s.percent)
		p.next, p.shiftAt = p.next+1, now.Add(s.length)
	}
	if p.shiftAt.After(now) {
		return min(p.shiftAt.Sub(now), p.again.Sub(now)), false
	}
	return p.again.Sub(now), false
}

func (p *policy) outcome() outcome { return p.result }

// newCodeDeploy returns the rules of CodeDeploy with alarms: an alarm in state ALARM stops the deployment, also if it
// was before, and the alias is rolled back. It is not documented how often alarms are read, and how long a rollback
// takes: here, every 10 seconds, and one call. A deployment that has moved all calls is over.
//
// https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html
// https://docs.aws.amazon.com/codedeploy/latest/userguide/monitoring-create-alarms.html
func newCodeDeploy(w *world, shifts []shift) tool {
	in := &cloudwatch.DescribeAlarmsInput{AlarmNames: []string{errorsAlarm, otherAlarm}}
	fires := func(a cwtypes.MetricAlarm) bool { return a.StateValue == cwtypes.StateValueAlarm }
	return &policy{world: w, shifts: shifts, every: 10 * time.Second, check: func() (rollBack, hold bool) {
		out, err := w.cloud.DescribeAlarms(w.Context(), in)
		w.Must(err)
		return slices.ContainsFunc(out.MetricAlarms, fires), false
	}}
}

// canary10Percent5Minutes are the weights of CodeDeployDefault.LambdaCanary10Percent5Minutes.
func canary10Percent5Minutes() []shift { return []shift{{10, 5 * time.Minute}} }

// linear10PercentEvery1Minute are the weights of CodeDeployDefault.LambdaLinear10PercentEvery1Minute.
func linear10PercentEvery1Minute() []shift {
	var all []shift
	for percent := 10; percent < hundred; percent += 10 {
		all = append(all, shift{percent, time.Minute})
	}
	return all
}

// newArgo returns the rules of Argo Rollouts with the analysis of its page on CloudWatch in the background: measured
// each minute, the errors of each period of the last 15 minutes by the calls must be at most 0.01, and the rollout is
// aborted with more failures than failureLimit, which is 3. A period without data is none that fails, and no delay is
// kept. The steps are those of the first rollout of this project.
//
// https://argo-rollouts.readthedocs.io/en/stable/analysis/cloudwatch/
// https://argo-rollouts.readthedocs.io/en/stable/features/analysis/
func newArgo(w *world) tool {
	failures, shifts := 0, []shift{{10, 5 * time.Minute}, {50, 5 * time.Minute}}
	return &policy{world: w, shifts: shifts, every: time.Minute, check: func() (rollBack, hold bool) {
		const failureLimit = 3
		if slices.ContainsFunc(
			w.errorRates(15*time.Minute, 5*time.Minute),
			func(rate float64) bool { return rate > 0.01 },
		) {
			failures++
		}
		return failures > failureLimit, false
	}}
}

// newFlagger returns the rules of Flagger: each minute, the newest value of the metric must be in its range, and then
// the weight goes up by stepWeight to maxWeight. Otherwise the weight is held, and a failed check is counted; so is a
// check without a value. With as many as threshold, the canary is rolled back. The figures are those of Flagger's page,
// and of its metric request-success-rate: at least 99 %. Its CloudWatch provider reads ten intervals, the newest first.
//
// https://docs.flagger.app/usage/how-it-works
// https://docs.flagger.app/usage/metrics
// https://docs.flagger.app/usage/deployment-strategies
func newFlagger(w *world) tool {
	const threshold, stepWeight, maxWeight = 10, 5, 50
	var shifts []shift
	for percent := stepWeight; percent <= maxWeight; percent += stepWeight {
		shifts = append(shifts, shift{percent, time.Minute})
	}
	failed := 0
	return &policy{world: w, shifts: shifts, every: time.Minute, check: func() (rollBack, hold bool) {
		if w.seen.traffic.IsZero() {
			return false, false // The weight goes up first.
		}
		if rates := w.errorRates(10*time.Minute, time.Minute); len(rates) == 0 || rates[0] > 0.01 {
			failed++
			return failed >= threshold, true
		}
		return false, false
	}}
}

// errorRates returns the error rates of version 2 in the periods of the last time, the newest first. Periods without
// errors have the rate 0, as if the query filled them, and those without calls have none.
func (w *world) errorRates(length, period time.Duration) []float64 {
	var dimensions []cwtypes.Dimension
	for k, v := range ofVersion2() {
		dimensions = append(dimensions, cwtypes.Dimension{Name: aws.String(k), Value: aws.String(v)})
	}
	query := func(id, name string) cwtypes.MetricDataQuery {
		return cwtypes.MetricDataQuery{Id: aws.String(id), MetricStat: &cwtypes.MetricStat{
			Metric: &cwtypes.Metric{
				Namespace:  aws.String("AWS/Lambda"),
				MetricName: aws.String(name),
				Dimensions: dimensions,
			},
			Period: aws.Int32(int32(period.Seconds())),
			Stat:   aws.String("Sum"),
		}}
	}
	out, err := w.cloud.GetMetricData(w.Context(), &cloudwatch.GetMetricDataInput{
		StartTime: aws.Time(
			w.Now().Add(-length),
		),
		EndTime:           aws.Time(w.Now()),
		ScanBy:            cwtypes.ScanByTimestampDescending,
		MetricDataQueries: []cwtypes.MetricDataQuery{query("errors", "Errors"), query("calls", "Invocations")},
	})
	w.Must(err)
	errors, rates := map[int64]float64{}, []float64(nil)
	for _, r := range out.MetricDataResults {
		for i, at := range r.Timestamps {
			if aws.ToString(r.Id) == "errors" {
				errors[at.Unix()] = r.Values[i]
				continue
			}
			rates = append(rates, errors[at.Unix()]/r.Values[i])
		}
	}
	return rates
}
