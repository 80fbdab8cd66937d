package alias

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/cloudwatch"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// pollEvery is the provider's poll interval.
const pollEvery = 10 * time.Minute

// provider is the provider with one Alias, which it reconciles when that asks for it, on an error, and at its poll
// interval.
type provider struct {
	*world

	alias    *v1beta1.Alias
	analyzer *analysis.Analyzer
	// env and batcher are those of the present process.
	env      *testenv.Env[*v1beta1.Alias]
	batcher  *cloudwatch.Batcher
	due      time.Time
	failures int

	// skew is how much the clock of the present process is ahead.
	skew time.Duration
	// down says that no process runs, held that the Alias is paused by its annotation.
	down, held bool
	// forgets reports whether the process ends after the present reconcile, before its status is stored.
	forgets func() bool
	// retries is how often the user asks for another try of a rollout that has ended undecided, from a time on.
	retries   int
	retryFrom time.Time
	// undecided is how often the rollout has ended so.
	undecided int

	begun bool
	// calls are those of the rollout by operation, trace its steps.
	calls map[string]int
	trace []string
}

// newProvider returns a provider that rolls version 2 out as a spec says.
func newProvider(w *world, analyzer *analysis.Analyzer, spec *v1beta1.AliasRollout) *provider {
	p := &provider{
		world:    w,
		analyzer: analyzer,
		alias:    testAlias(named, func(a *v1beta1.Alias) { a.Spec.Rollout = spec }),
	}
	p.restart()
	return p
}

// restart begins a process. All that the former one has not stored is lost.
func (p *provider) restart() {
	p.down, p.failures, p.due = false, 0, p.Now()
	p.Cache, p.batcher = &readcache.Cache{}, &cloudwatch.Batcher{}
	batcher, cache, clock := p.batcher, p.Cache, &session.Clock{}
	now := func() time.Time { return p.Now().Add(p.skew) }
	read := func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(clock.Middleware(now), middleware.After)
	}
	api := lambda.New(p.Lambda.Options(), func(o *lambda.Options) { o.APIOptions = append(o.APIOptions, read) })
	cloud := sdk.New(p.cloud.Options(), func(o *sdk.Options) { o.APIOptions = append(o.APIOptions, read) })
	p.env = testenv.Observing(p.AWS, func() reconcile.Observer[*v1beta1.Alias] {
		x := &external{
			api: api, cache: cache, now: now, clock: clock, metrics: reporting.NewMetrics(),
		}
		x.analyzer = p.analyzer.WithCloudWatch(metrics{batcher: batcher, api: cloud, now: x.time})
		return x.resource()
	})
	stored, err := json.Marshal(p.alias)
	p.Must(err)
	p.alias = &v1beta1.Alias{}
	p.Must(json.Unmarshal(stored, p.alias))
}

func (p *provider) state() *v1beta1.AliasRolloutStatus {
	return p.alias.Status.Rollout
}

func (p *provider) step() (time.Duration, bool) {
	if !p.begun {
		p.begin()
	}
	if p.down || p.held {
		return time.Hour, false
	}
	if !p.Now().Before(p.due) {
		p.reconcile()
	}
	wait := p.due.Sub(p.Now())
	switch {
	case !p.over() || p.outcome() != undecided || p.retries == 0:
		return wait, p.over()
	case p.Now().Before(p.retryFrom):
		return min(wait, p.retryFrom.Sub(p.Now())), false
	}
	p.notef("the user retries")
	metav1.SetMetaDataAnnotation(&p.alias.ObjectMeta, v1beta1.AnnotationRolloutRetry, strconv.Itoa(p.retries))
	p.retries, p.due = p.retries-1, p.Now()
	return 0, false
}

// note adds a line to the trace of the rollout.
func (p *provider) notef(format string, args ...any) {
	p.trace = append(p.trace, p.Now().Sub(p.start).Truncate(time.Second).String()+" "+fmt.Sprintf(format, args...))
}

// begin lets version 1 become stable, and version 2 be desired.
func (p *provider) begin() {
	for p.state() == nil || p.state().Phase != v1beta1.RolloutReady {
		p.reconcile()
		p.Advance(time.Second)
	}
	p.alias.Spec.ForProvider.FunctionVersion = ptr.To("2")
	p.alias.Generation++
	p.begun, p.calls, p.due = true, map[string]int{}, p.Now()
	p.Double.ResetCalls()
}

// over reports whether the rollout of version 2 has ended.
func (p *provider) over() bool {
	s, retry := p.state(), p.alias.Annotations[v1beta1.AnnotationRolloutRetry]
	if s == nil || !p.begun || s.HandledCommands[v1beta1.AnnotationRolloutRetry] != retry {
		return false
	}
	return s.Phase == v1beta1.RolloutReady && s.Stable.FunctionVersion == "2" ||
		s.Phase == v1beta1.RolloutFailed && s.Step == ""
}

func (p *provider) outcome() outcome {
	s := p.state()
	switch {
	case slices.ContainsFunc(s.FailedTargets, func(f v1beta1.RolloutFailure) bool { return f.FunctionVersion == "2" }):
		return rejected
	case s.Phase == v1beta1.RolloutReady && s.Stable.FunctionVersion == "2":
		return promoted
	}
	return undecided
}

// reconcile makes one reconcile, and sets when the next one is.
func (p *provider) reconcile() {
	stored, ended := p.alias.DeepCopy(), p.over()
	_, err := p.env.Do(p.alias)
	p.count(ended)
	if was, is := lineOf(stored), lineOf(p.alias); was != is {
		p.notef("%s", is)
	}
	wait := p.env.Done.After
	switch later := p.env.Done.Later; {
	case later != nil:
		p.alias.Status, wait = stored.Status, max(later.After, time.Second) // A throttled call waits a second at least.
	case err != nil:
		p.failures++
		wait = backoff.Delay(backoff.Classify(err), p.failures)
		if s := p.state(); s != nil && s.NextCheckAt != nil { // As Effects.RetryWithin asks for.
			wait = min(wait, max(s.NextCheckAt.Sub(p.Now()), time.Second))
		}
	default:
		if p.failures = 0; wait == 0 {
			wait = pollEvery
		}
	}
	p.due = p.Now().Add(wait)
	if p.forgets != nil && p.forgets() {
		p.alias = stored
		p.restart()
	}
	if p.over() && !ended && p.outcome() == undecided {
		p.undecided++
	}
}

// count counts the calls of a reconcile, unless the rollout had ended before it.
func (p *provider) count(ended bool) {
	for _, c := range p.Double.Calls() {
		if p.begun && !ended {
			p.calls[c.Operation]++
		}
	}
	p.Double.ResetCalls()
}

// lineOf returns the state of a rollout for a trace.
func lineOf(a *v1beta1.Alias) string {
	s := a.Status.Rollout
	if s == nil {
		return ""
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%s %s %s, step %d, %d %%: %s",
		s.Phase, s.Step, s.Reason, s.CurrentStepIndex, s.ObservedWeight, s.Message)
	for _, c := range s.Checks {
		fmt.Fprintf(&line, "; %s %s %s", c.Name, c.Result, c.Value)
	}
	return line.String()
}

// A shape is the steps of a rollout.
type shape []v1beta1.CanaryStep

// shapeOf returns the steps of the weights of another tool.
func shapeOf(shifts []shift) shape {
	var steps shape
	for _, s := range shifts {
		pause := &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: s.length}}
		weight := ptr.To(int32(s.percent)) //nolint:gosec // Below 100.
		steps = append(steps, v1beta1.CanaryStep{SetWeight: weight}, v1beta1.CanaryStep{Pause: pause})
	}
	return steps
}

// firstRollout returns the steps of the first rollout in docs/rollouts.md.
func firstRollout() shape { return shapeOf([]shift{{10, 5 * time.Minute}, {50, 5 * time.Minute}}) }

// rolloutOf returns a rollout with steps and the analysis of the first rollout in docs/rollouts.md, changed.
func rolloutOf(steps shape, change ...func(*v1beta1.RolloutAnalysis)) *v1beta1.AliasRollout {
	a := &v1beta1.RolloutAnalysis{Metrics: []v1beta1.RolloutMetric{{
		Name: "error-rate", SuccessCondition: aws.String("result < 0.01"),
		Provider: v1beta1.RolloutMetricProvider{Lambda: &v1beta1.LambdaMetric{Metric: "ErrorRate"}},
	}}}
	for _, c := range change {
		c(a)
	}
	strategy := v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: steps}}
	return &v1beta1.AliasRollout{Strategy: strategy, Analysis: a}
}

// withAlarms adds the alarms of the trial to an analysis.
func withAlarms(a *v1beta1.RolloutAnalysis) {
	a.Alarms = &v1beta1.RolloutAlarms{Names: []string{errorsAlarm, otherAlarm}}
}

// withDuration adds a comparison of the durations of the versions to an analysis.
func withDuration(a *v1beta1.RolloutAnalysis) {
	average := &v1beta1.LambdaMetric{Metric: "Duration", Statistic: aws.String("Average")}
	a.Metrics = append(a.Metrics, v1beta1.RolloutMetric{
		Name: "duration", SuccessCondition: aws.String("result <= baseline * 1.5"), MinSampleCount: ptr.To[int32](20),
		Provider: v1beta1.RolloutMetricProvider{Lambda: average},
	})
}
