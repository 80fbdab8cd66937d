package alias

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/cloudwatch"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// errorRate is an analysis of Lambda's error rate, each minute.
func errorRate(condition string) *v1beta1.RolloutAnalysis {
	return &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{
		Name: "errors", Interval: &metav1.Duration{Duration: time.Minute}, SuccessCondition: ptr.To(condition),
		Provider: v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: "ErrorRate"}},
	}}}
}

// fleet is aliases of one function with traffic, which are reconciled when they ask for it.
type fleet struct {
	*env

	aliases []*v1beta1.Alias
	due     []time.Time
	late    time.Duration
	// inconclusive and reconciles are how often a measurement was inconclusive, and how many reconciles there were.
	inconclusive, reconciles int
}

// newFleet returns so many converged aliases of version 1 that are invoked 60 times a minute.
func newFleet(t *testing.T, n int, versions map[string]awsdouble.Outcomes, spec func() *v1beta1.AliasRollout) *fleet {
	t.Helper()
	f := &fleet{env: newEnv(t)}
	batcher, analyzer := &cloudwatch.Batcher{}, analysis.New(analysis.Options{})
	api := sdk.NewFromConfig(f.Double.Config(testenv.Region), func(o *sdk.Options) { o.Retryer = aws.NopRetryer{} })
	f.Observer = func() reconcile.Observer[*v1beta1.Alias] {
		x := &external{
			api: f.Lambda, functions: f.functions, cache: f.Cache, now: f.Now, metrics: f.metrics,
		}
		x.analyzer = analyzer.WithCloudWatch(metrics{batcher: batcher, api: api, now: f.Now, mayAct: x.mayAct})
		return x.resource()
	}
	for i := range n {
		a := testAlias(func(a *v1beta1.Alias) {
			a.Name, a.UID, a.Spec.Rollout = fmt.Sprintf("a%d", i), ktypes.UID(fmt.Sprintf("uid-%d", i)), spec()
		})
		f.Converge(a)
		f.Reconcile(a)
		f.Double.Traffic(awsdouble.Traffic{Function: "f", Alias: a.Name, PerMinute: 60, Versions: versions})
		f.aliases, f.due = append(f.aliases, a), append(f.due, f.Now())
	}
	return f
}

// run reconciles the aliases when they ask for it, until all have ended.
func (f *fleet) run() {
	f.Helper()
	for range 200 * len(f.aliases) {
		i := 0
		for j, at := range f.due {
			if at.Before(f.due[i]) {
				i = j
			}
		}
		if wait := f.due[i].Sub(f.Now()); wait > 0 {
			f.Advance(wait)
		}
		f.reconcileOne(i)
		if !slices.ContainsFunc(f.aliases, func(a *v1beta1.Alias) bool {
			s := a.Status.Rollout
			return s.Phase != v1beta1.RolloutReady && s.Phase != v1beta1.RolloutFailed ||
				s.Target.FunctionVersion == "1"
		}) {
			return
		}
	}
	f.Fatalf("the rollouts do not end: %+v", f.aliases[0].Status.Rollout)
}

func (f *fleet) reconcileOne(i int) {
	f.Helper()
	a := f.aliases[i]
	was, measured := a.Status.Rollout.DeepCopy(), time.Time{}
	if len(was.Checks) > 0 && was.Checks[0].MeasuredAt != nil {
		measured = was.Checks[0].MeasuredAt.Time
	}
	if _, err := f.Do(a); err != nil {
		f.Fatal(err)
	}
	f.reconciles++
	if c := a.Status.Rollout.Checks; len(c) > 0 && c[0].Result == rollout.Inconclusive {
		f.inconclusive++
	}
	if c := a.Status.Rollout.Checks; !measured.IsZero() && len(c) > 0 && c[0].MeasuredAt.After(measured) {
		f.late = max(f.late, c[0].MeasuredAt.Sub(dueAfter(measured, a.Status.Rollout.ShiftedAt.Time)))
	}
	wait := f.Done.After
	if later := f.Done.Later; later != nil {
		wait = later.After
	}
	if wait == 0 {
		wait = 10 * time.Minute
	}
	f.due[i] = f.Now().Add(wait)
}

// dueAfter returns when a metric is measured next: a minute after its last measurement, and not before a minute that
// began after the last change of the weight is finished.
func dueAfter(measured, shifted time.Time) time.Time {
	due := measured.Add(time.Minute)
	if finished := shifted.Add(time.Minute - 1).Truncate(time.Minute).Add(time.Minute); finished.After(due) {
		return finished
	}
	return due
}

// calls counts the calls of an operation.
func (f *fleet) calls(operation string) int {
	n := 0
	for _, c := range f.Double.Calls() {
		if c.Operation == operation {
			n++
		}
	}
	return n
}

// TestRolloutByMetrics rolls versions out with traffic that makes metrics of CloudWatch.
func TestRolloutByMetrics(t *testing.T) {
	cases := map[string]struct {
		versions map[string]awsdouble.Outcomes
		want     string
		reason   string
	}{
		"Healthy": {want: v1beta1.RolloutReady},
		"Failing": {
			versions: map[string]awsdouble.Outcomes{"2": {ErrorRate: 0.2}},
			want:     v1beta1.RolloutFailed,
			reason:   v1beta1.RolloutReasonAnalysisFailed,
		},
		"OnlyOld": {versions: map[string]awsdouble.Outcomes{"1": {ErrorRate: 0.2}}, want: v1beta1.RolloutReady},
		"AllEqual": {
			versions: map[string]awsdouble.Outcomes{"1": {ErrorRate: 0.2}, "2": {ErrorRate: 0.2}},
			want:     v1beta1.RolloutFailed,
			reason:   v1beta1.RolloutReasonAnalysisFailed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1, tc.versions, func() *v1beta1.AliasRollout {
				spec := canary()
				spec.PreTraffic, spec.Analysis = nil, errorRate("result < 0.05")
				return spec
			})
			f.aliases[0].Spec.ForProvider.FunctionVersion = ptr.To("2")
			f.run()
			s := f.aliases[0].Status.Rollout
			if s.Phase != tc.want || s.Reason != tc.reason {
				t.Errorf("want %s %s, got %+v", tc.want, tc.reason, s)
			}
			// The first minute is read two minutes after its end, by a measurement a minute.
			if took := s.FinishedAt.Sub(
				s.TrafficStartedAt.Time,
			); tc.want == v1beta1.RolloutFailed &&
				took > 4*time.Minute+5*time.Second {
				t.Errorf("from the first failing data to the rollback: %s", took)
			}
		})
	}
}

// TestRolloutWaitsForAPeriod checks that nothing is measured after a change of the weight until a minute is finished,
// even if the interval is shorter, and that the rollout is not reconciled again and again until then.
func TestRolloutWaitsForAPeriod(t *testing.T) {
	f := newFleet(t, 1, nil, func() *v1beta1.AliasRollout {
		spec := canary()
		spec.PreTraffic, spec.Analysis = nil, errorRate("result < 0.05")
		spec.Analysis.Metrics[0].Interval = &metav1.Duration{Duration: 10 * time.Second}
		return spec
	})
	f.aliases[0].Spec.ForProvider.FunctionVersion = ptr.To("2")
	start := f.Now()
	f.run()
	took := f.Now().Sub(start)
	t.Logf("%d reconciles in %s", f.reconciles, took)
	if s := f.aliases[0].Status.Rollout; s.Phase != v1beta1.RolloutReady || f.inconclusive > 0 {
		t.Errorf("%d measurements were inconclusive: %+v", f.inconclusive, s)
	}
	if took > 13*time.Minute || f.reconciles > 80 {
		t.Errorf("%d reconciles in %s", f.reconciles, took)
	}
}

// TestRolloutByALongPeriod checks that a rollout waits for the first period of a metric that begins with the weight,
// without a measurement before that period is over, and without a deadline before.
func TestRolloutByALongPeriod(t *testing.T) {
	f := newFleet(t, 1, nil, func() *v1beta1.AliasRollout {
		return &v1beta1.AliasRollout{
			Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{
				Steps: []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}},
			}},
			Analysis: &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{
				{
					Name:             "used",
					Interval:         &metav1.Duration{Duration: time.Minute},
					SuccessCondition: ptr.To("result > 0.0"),
					Provider: v1beta1.RolloutMetricProvider{
						CloudWatch: &v1beta1.CloudWatchMetric{Queries: []v1beta1.CloudWatchQuery{{
							ID: "used", Metric: &v1beta1.CloudWatchMetricStat{
								Namespace:     "AWS/Lambda",
								MetricName:    "Invocations",
								Statistic:     "Sum",
								PeriodSeconds: ptr.To[int32](1800),
								Dimensions:    map[string]string{"FunctionName": "f", "Resource": "f:a0"},
							},
						}}},
					},
				},
			}},
		}
	})
	f.Advance(f.Now().Truncate(30 * time.Minute).Add(30*time.Minute + 20*time.Second).Sub(f.Now()))
	f.aliases[0].Spec.ForProvider.FunctionVersion = ptr.To("2")
	f.due[0] = f.Now()
	f.run()
	if s := f.aliases[0].Status.Rollout; s.Phase != v1beta1.RolloutReady || f.inconclusive > 0 {
		t.Errorf("%d measurements were inconclusive: %+v", f.inconclusive, s)
	}
}

// TestRolloutWithoutMetrics checks that a rollout whose metrics have no value, or that has no traffic,
// is never promoted, and ends at its deadline.
func TestRolloutWithoutMetrics(t *testing.T) {
	cases := map[string]func(f *fleet){
		"NoTraffic": func(f *fleet) {
			f.Double.Traffic(awsdouble.Traffic{Function: "f", Alias: "a0"})
		},
		"Down": func(f *fleet) {
			f.Double.Fail(awsdouble.Fault{Operation: "GetMetricData", Times: -1, Error: awsdouble.ServiceFailure()})
		},
		"Denied": func(f *fleet) {
			f.Double.Fail(
				awsdouble.Fault{
					Operation: "GetMetricData",
					Times:     -1,
					Error:     awsdouble.AccessDenied("cloudwatch:GetMetricData"),
				},
			)
		},
	}
	for name, disturb := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1, nil, func() *v1beta1.AliasRollout {
				spec := canary()
				spec.PreTraffic, spec.Analysis = nil, errorRate("result < 0.05")
				return spec
			})
			disturb(f)
			f.aliases[0].Spec.ForProvider.FunctionVersion = ptr.To("2")
			start := f.Now()
			f.run()
			if s := f.aliases[0].Status.Rollout; s.Phase != v1beta1.RolloutFailed ||
				s.Reason != v1beta1.RolloutReasonProgressDeadlineExceeded {
				t.Errorf("got %+v", s)
			}
			if took := f.Now().Sub(start); took > 17*time.Minute {
				t.Errorf("the deadline was held up: %s", took)
			}
			if got := f.calls("GetMetricData"); got > 60 {
				t.Errorf("%d calls of GetMetricData", got)
			}
		})
	}
}

// TestRolloutsTogether rolls a hundred aliases out at the same time. They share calls of
// GetMetricData, none is throttled, and none is measured late.
func TestRolloutsTogether(t *testing.T) {
	const n = 100
	f := newFleet(t, n, map[string]awsdouble.Outcomes{"3": {ErrorRate: 0.5}}, func() *v1beta1.AliasRollout {
		spec := canary()
		spec.PreTraffic, spec.Analysis = nil, errorRate("result < 0.05")
		return spec
	})
	for i, a := range f.aliases {
		a.Spec.ForProvider.FunctionVersion = ptr.To([]string{"2", "3"}[i%2])
		f.due[i] = f.Now().Add(time.Duration(i) * 100 * time.Millisecond)
	}
	before, start := f.calls("GetMetricData"), f.Now()
	f.run()
	minutes := int(f.Now().Sub(start)/time.Minute) + 1
	got := f.calls("GetMetricData") - before
	t.Logf("%d rollouts in %d minutes: %d calls of GetMetricData, measured at most %s late", n, minutes, got, f.late)
	if got > minutes+1 {
		t.Errorf("%d calls of GetMetricData in %d minutes", got, minutes)
	}
	if f.late > 2*time.Second {
		t.Errorf("measured %s late", f.late)
	}
	for i, a := range f.aliases {
		if want := []string{v1beta1.RolloutReady, v1beta1.RolloutFailed}[i%2]; a.Status.Rollout.Phase != want {
			t.Errorf("%s: want %s, got %+v", a.Name, want, a.Status.Rollout)
		}
	}
}

// TestRolloutsWithALongInterval checks that a rollout is measured when it is due, and not at the end of the interval of
// another one.
func TestRolloutsWithALongInterval(t *testing.T) {
	f := newFleet(t, 2, nil, func() *v1beta1.AliasRollout {
		spec := &v1beta1.AliasRollout{
			Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{
				Steps: []v1beta1.CanaryStep{{SetWeight: ptr.To[int32](10)}},
			}},
			Analysis: errorRate("result < 0.05"),
		}
		spec.Analysis.Metrics[0].Interval = &metav1.Duration{Duration: 30 * time.Minute}
		return spec
	})
	f.Advance(f.Now().Truncate(30 * time.Minute).Add(30*time.Minute + 20*time.Second).Sub(f.Now()))
	for i, a := range f.aliases {
		a.Spec.ForProvider.FunctionVersion = ptr.To("2")
		f.due[i] = f.Now().Add(time.Duration(i) * 3 * time.Minute)
	}
	f.run()
	for _, a := range f.aliases {
		if s := a.Status.Rollout; s.Phase != v1beta1.RolloutReady {
			t.Errorf("%s: %+v", a.Name, s)
		}
	}
}

// TestRetriedWithinAMinute checks that what is measured of a target that is retried, or has its invocations back after
// a change by someone else, begins with the next minute: the present one may have the invocations for which it was
// rejected, or those of another version.
func TestRetriedWithinAMinute(t *testing.T) {
	first := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 50, 0, time.UTC))
	next := time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		edit func(*v1beta1.AliasRolloutStatus)
		want time.Time
	}{
		"First":       {func(*v1beta1.AliasRolloutStatus) {}, first.Time},
		"Retried":     {func(s *v1beta1.AliasRolloutStatus) { s.Retried = true }, next},
		"ChangedBack": {func(s *v1beta1.AliasRolloutStatus) { s.ChangedBack = true }, next},
	} {
		s := &v1beta1.AliasRolloutStatus{TrafficStartedAt: &first, ShiftedAt: &first, StepStartedAt: &first}
		tc.edit(s)
		if got := (&external{}).subject(&v1beta1.Alias{}, s).TrafficSince; !got.Equal(tc.want) {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

// TestUnreadableVariables checks that two versions do not count as equal whose variables can't be read: one that
// differs in them alone would be promoted without an analysis, or rejected with the other one.
func TestUnreadableVariables(t *testing.T) {
	w := testenv.NewScripted(t, testenv.Script{
		"GetFunctionConfiguration": testenv.Returns(&lambda.GetFunctionConfigurationOutput{
			CodeSha256: aws.String("same"), Environment: &types.EnvironmentResponse{
				Error: &types.EnvironmentError{ErrorCode: aws.String("AccessDeniedException")},
			},
		}, nil),
	})
	e := &external{api: w.Lambda}
	one, _ := e.version(t.Context(), "1")
	again, _ := e.version(t.Context(), "1")
	two, _ := e.version(t.Context(), "2")
	if one.Fingerprint != again.Fingerprint || one.Fingerprint == two.Fingerprint {
		t.Errorf("fingerprints are %s, %s and %s", one.Fingerprint, again.Fingerprint, two.Fingerprint)
	}
}

// TestRolloutWithoutUpdate checks that an alias that may not be updated differs from spec as one without a rollout
// does, whatever a rollout has recorded before.
func TestRolloutWithoutUpdate(t *testing.T) {
	a := &v1beta1.Alias{}
	a.Spec.Rollout = &v1beta1.AliasRollout{}
	a.Status.Rollout = &v1beta1.AliasRolloutStatus{
		ID: "2-a", Phase: v1beta1.RolloutProgressing, Step: v1beta1.RolloutAnalyzing,
		Stable: v1beta1.RolloutRevision{FunctionVersion: "1"}, Target: v1beta1.RolloutRevision{FunctionVersion: "2"},
	}
	a.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
	e := &external{}
	o := found{Exists: true, Settings: settings{FunctionVersion: aws.String("1")}}
	d := reconcile.Desired[settings]{Settings: settings{FunctionVersion: aws.String("2")}}
	c, err := e.compare(t.Context(), a, d, o)
	if err != nil || len(c.Changes.In("functionVersion")) == 0 {
		t.Fatalf("got %v, %v", c.Changes, err)
	}
	if p, err := e.plan(t.Context(), a, o, c); err != nil || p.Ready.Type != "" {
		t.Errorf("Ready is that of a rollout that does not continue: %v, %v", p.Ready, err)
	}
}

// TestRolloutByAnAlarmThatIsOver checks that an alarm counts that was in ALARM between two reads because of what was
// after the first weight, and that a rollout says so and goes on if it may not tell.
func TestRolloutByAnAlarmThatIsOver(t *testing.T) {
	alarm := awsdouble.Alarm{Name: "shop"}
	denied := awsdouble.AccessDenied("cloudwatch:DescribeAlarmHistory")
	for name, tc := range map[string]struct {
		reason    string
		composite bool
		before    string
		meanwhile []string
		every     time.Duration
		fails     *awsdouble.Error
		want      string
		calls     int
	}{
		"Fired":     {"It was in ALARM for some seconds.", false, "OK", []string{"ALARM", "OK"}, 5 * time.Second, nil, v1beta1.RolloutFailed, 1},
		"Composite": {"So was a composite one.", true, "OK", []string{"ALARM", "OK"}, 5 * time.Second, nil, v1beta1.RolloutFailed, 1},
		"NoData": {
			"It has lost its data then.", false, "OK",
			[]string{"ALARM", "INSUFFICIENT_DATA"},
			5 * time.Second, nil,
			v1beta1.RolloutFailed, 1,
		},
		"Down": {
			"Nobody has looked for an hour.", false, "OK",
			[]string{"ALARM", "OK", "INSUFFICIENT_DATA", "OK"},
			15 * time.Minute, nil,
			v1beta1.RolloutFailed, 1,
		},
		"Unfired": {
			"It had no data for some seconds.", false, "OK",
			[]string{"INSUFFICIENT_DATA", "OK"},
			5 * time.Second, nil,
			v1beta1.RolloutReady, 5,
		},
		"Earlier":  {"It has fired before.", false, "ALARM", []string{"OK"}, 5 * time.Second, nil, v1beta1.RolloutReady, 5},
		"Again":    {"It has fired before, and again.", false, "ALARM", []string{"OK", "ALARM", "OK"}, 5 * time.Second, nil, v1beta1.RolloutFailed, 1},
		"Constant": {"It was OK all the time.", false, "OK", nil, 0, nil, v1beta1.RolloutReady, 0},
		"Denied": {
			"The provider may not read its history.", false, "OK",
			[]string{"ALARM", "OK"},
			5 * time.Second, &denied,
			v1beta1.RolloutReady, 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1, nil, func() *v1beta1.AliasRollout {
				spec := canary()
				spec.PreTraffic = nil
				spec.Analysis = &v1beta1.RolloutAnalysis{Alarms: &v1beta1.RolloutAlarms{Names: []string{alarm.Name}}}
				return spec
			})
			put := func(state string) {
				alarm.State, alarm.Composite = state, tc.composite
				f.Double.PutAlarm("", testenv.Region, alarm)
			}
			put(tc.before)
			f.Advance(20 * time.Minute)
			if tc.fails != nil {
				f.Double.Fail(awsdouble.Fault{Operation: "DescribeAlarmHistory", Times: -1, Error: *tc.fails})
			}
			a := f.aliases[0]
			a.Spec.ForProvider.FunctionVersion, f.due[0] = ptr.To("2"), f.Now()
			for range 100 {
				f.Advance(max(f.due[0].Sub(f.Now()), 0))
				f.reconcileOne(0)
				if s := a.Status.Rollout; s.TrafficStartedAt != nil && len(s.Checks) > 0 &&
					f.Now().Sub(s.TrafficStartedAt.Time) > time.Minute {
					break
				}
			}
			for _, state := range tc.meanwhile {
				f.Advance(tc.every)
				put(state)
			}
			says := ""
			f.Advance(max(f.due[0].Sub(f.Now()), 0))
			for range 5 {
				f.reconcileOne(0)
				if c := a.Status.Rollout.Checks; len(c) > 0 && c[0].Message != "" {
					says = c[0].Message
				}
				f.Advance(time.Second)
			}
			if alarm.State != "OK" {
				put("OK")
			}
			f.run()
			if s := a.Status.Rollout; s.Phase != tc.want || f.calls("DescribeAlarmHistory") != tc.calls ||
				strings.Contains(says, "cloudwatch:DescribeAlarmHistory") != (tc.fails != nil) {
				t.Errorf(
					"%s: %d calls, %s: %s\n%s",
					tc.reason,
					f.calls("DescribeAlarmHistory"),
					s.Phase,
					s.Message,
					says,
				)
			}
		})
	}
}

// TestRolloutByAnAlarmOfLateData checks that an alarm rejects no version which goes to ALARM after the first weight
// because of data of a minute before it that come late, as they do of invocations that run for long.
func TestRolloutByAnAlarmOfLateData(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		alarm  awsdouble.Alarm
		// begin is that of the minute that fails, after the minute of the first weight.
		begin time.Duration
		want  string
	}{
		"OnePeriod": {"All that was evaluated is earlier.", awsdouble.Alarm{}, -time.Minute, v1beta1.RolloutReady},
		"OneOfFive": {
			"Only the period that fails counts, and not what was evaluated besides.",
			awsdouble.Alarm{EvaluationPeriods: 5, DatapointsToAlarm: 1},
			-time.Minute, v1beta1.RolloutReady,
		},
		"OneOfFiveLater": {
			"The period that fails is later.",
			awsdouble.Alarm{EvaluationPeriods: 5, DatapointsToAlarm: 1},
			time.Minute, v1beta1.RolloutFailed,
		},
		"Anomaly": {
			"An alarm of anomaly detection says it in its reason.",
			awsdouble.Alarm{Anomaly: true},
			-time.Minute, v1beta1.RolloutReady,
		},
		"AnomalyLater": {"It is later.", awsdouble.Alarm{Anomaly: true}, time.Minute, v1beta1.RolloutFailed},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 1, nil, func() *v1beta1.AliasRollout {
				spec := canary()
				spec.PreTraffic = nil
				spec.Analysis = &v1beta1.RolloutAnalysis{Alarms: &v1beta1.RolloutAlarms{Names: []string{"shop"}}}
				return spec
			})
			failures := awsdouble.Metric{Region: testenv.Region, Namespace: "Shop", Name: "Failures"}
			tc.alarm.Name, tc.alarm.State, tc.alarm.Metric = "shop", "OK", &failures
			f.Double.PutAlarm("", testenv.Region, tc.alarm)
			f.Advance(20 * time.Minute)
			a := f.aliases[0]
			a.Spec.ForProvider.FunctionVersion, f.due[0] = ptr.To("2"), f.Now()
			observe := func(until func() bool) {
				for i := 0; i < 500 && !until(); i++ {
					f.Advance(max(f.due[0].Sub(f.Now()), 0))
					if f.Now().Second() < 30 && tc.alarm.EvaluationPeriods > 1 {
						f.Double.PutMetric(failures, f.Now(), 0)
					}
					f.reconcileOne(0)
				}
			}
			s := func() *v1beta1.AliasRolloutStatus { return a.Status.Rollout }
			observe(func() bool {
				return s().TrafficStartedAt != nil && f.Now().Sub(s().TrafficStartedAt.Time) > tc.begin+80*time.Second
			})
			f.Double.PutMetric(failures, s().TrafficStartedAt.Truncate(time.Minute).Add(tc.begin), 1)
			observe(func() bool { return s().FinishedAt != nil && s().Target.FunctionVersion == "2" })
			if s().Phase != tc.want {
				t.Errorf("%s\ngot %s: %s", tc.reason, s().Phase, s().Message)
			}
		})
	}
}
