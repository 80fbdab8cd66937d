package alias

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// The alarms of the trial.
const (
	// errorsAlarm is an alarm on the errors of version 2.
	errorsAlarm = "canary-errors"
	// otherAlarm fires for a reason that has nothing to do with version 2.
	otherAlarm = "other"
)

// A versionKind is what version 2 of the function does. Version 1 is the stable one.
type versionKind struct {
	name string
	// bad says that version 2 is worse than version 1.
	bad bool
	// versions are the outcomes by version.
	versions map[string]awsdouble.Outcomes
	// timeout of the function.
	timeout time.Duration
	// fires is when otherAlarm fires, by the begin of the rollout, and for how long. It does not with 0.
	from, fires time.Duration
}

// Names of kinds to which the trial refers.
const (
	healthyName   = "healthy"
	twentyPercent = "fails 20 %"
	slower        = "three times slower"
)

// compared reports whether versions of the kind are also tried with a comparison of the durations.
func (k versionKind) compared() bool { return k.name == healthyName || k.name == slower }

// versionKinds returns the kinds of versions of the trial.
func versionKinds() []versionKind {
	few := awsdouble.Outcomes{ErrorRate: 0.001}
	kinds := []versionKind{
		{name: healthyName},
		{name: "as stable: both fail 0.1 %", versions: map[string]awsdouble.Outcomes{"1": few, "2": few}},
		{
			name:  "healthy, another alarm fires before and for 3 minutes",
			from:  -10 * time.Minute,
			fires: 13 * time.Minute,
		},
		{name: "healthy, another alarm fires after 2 minutes", from: 2 * time.Minute, fires: 5 * time.Minute},
	}
	bad := func(name string, timeout time.Duration, o awsdouble.Outcomes) {
		versions := map[string]awsdouble.Outcomes{"2": o}
		kinds = append(kinds, versionKind{name: name, bad: true, timeout: timeout, versions: versions})
	}
	bad("fails 1 %", 0, awsdouble.Outcomes{ErrorRate: 0.01})
	bad("fails 5 %", 0, awsdouble.Outcomes{ErrorRate: 0.05})
	bad(twentyPercent, 0, awsdouble.Outcomes{ErrorRate: 0.2})
	bad("fails 100 %", 0, awsdouble.Outcomes{ErrorRate: 1})
	bad("fails for a payload, 10 % of the calls", 0, awsdouble.Outcomes{ErrorRate: 0.1})
	bad("fails cold, 2 % of the calls and the first", 0, awsdouble.Outcomes{ColdErrorRate: 1, ColdRate: 0.02})
	for _, timeout := range []time.Duration{3 * time.Second, 30 * time.Second, 10 * time.Minute} {
		name := fmt.Sprintf("hangs for 5 %% of the calls, timeout %g s", timeout.Seconds())
		bad(name, timeout, awsdouble.Outcomes{HangRate: 0.05})
	}
	bad("hangs for 2 % of the calls, timeout 600 s", 10*time.Minute, awsdouble.Outcomes{HangRate: 0.02})
	slow := func(took time.Duration) awsdouble.Outcomes {
		return awsdouble.Outcomes{Duration: took, SlowRate: 0.1, SlowDuration: 2 * took}
	}
	versions := map[string]awsdouble.Outcomes{"1": slow(100 * time.Millisecond), "2": slow(300 * time.Millisecond)}
	return append(kinds, versionKind{name: slower, bad: true, versions: versions})
}

// before is how long version 1 has served when a rollout begins.
const before = 10 * time.Minute

// A world is an alias with traffic in a double of its own, in which one rollout is tried.
type world struct {
	*testenv.AWS

	cloud *cloudwatch.Client
	kind  versionKind
	// perMinute is how often the alias is invoked.
	perMinute float64
	start     time.Time
	seen      seen
	events    []occasion
}

// An occasion is something that happens at a time.
type occasion struct {
	at time.Time
	do func()
}

// seen is what became of an alias.
type seen struct {
	// traffic, all and back are when version 2 received its first part of the calls, all of them, and none any more.
	traffic, all, back time.Time
}

// inProcess makes the calls of the SDK's clients without a network.
type inProcess struct{ *awsdouble.Server }

// Do makes a call. One whose connection the double drops has no answer.
func (c inProcess) Do(r *http.Request) (res *http.Response, err error) {
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case http.ErrAbortHandler: //nolint:errorlint // It is the value itself.
			err = io.ErrUnexpectedEOF
		default:
			panic(reason)
		}
	}()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result(), nil
}

// newWorld returns a world in which version 1 has served for a while. Worlds of the same seed have the same traffic.
func newWorld(t testing.TB, seed uint64, kind versionKind, perMinute float64, delay time.Duration) *world {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 25)) //nolint:gosec // Tests are reproducible.
	w := &world{kind: kind, perMinute: perMinute}
	w.AWS = &testenv.AWS{TB: t, Clock: testenv.NewClock(), Cache: &readcache.Cache{}}
	w.Advance(time.Duration(r.IntN(3_600_000)) * time.Millisecond)
	w.Double = awsdouble.New(awsdouble.Options{Now: w.Now, MetricDelay: delay})
	c := w.Double.Config(testenv.Region)
	c.BaseEndpoint, c.HTTPClient = aws.String("http://double"), inProcess{w.Double}
	c.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	w.Lambda, w.cloud = lambda.NewFromConfig(c), cloudwatch.NewFromConfig(c)

	timeout := max(int32(kind.timeout.Seconds()), 3)
	w.AddFunction("f", func(in *lambda.CreateFunctionInput) { in.Publish, in.Timeout = true, &timeout })
	w.Publish("f", memory(256))
	w.AddAlias("f", "live", "1")
	w.Double.Traffic(awsdouble.Traffic{
		Function: "f", Alias: "live", PerMinute: perMinute, Versions: kind.versions,
		Rand: rand.New(rand.NewPCG(seed, 26)), //nolint:gosec // As above.
	})
	w.alarm(errorsAlarm, "OK")
	w.alarm(otherAlarm, "OK")
	w.start = w.Now().Add(before)
	if kind.fires > 0 {
		w.at(w.start.Add(kind.from), func() { w.alarm(otherAlarm, "ALARM") })
		w.at(w.start.Add(kind.from+kind.fires), func() { w.alarm(otherAlarm, "OK") })
	}
	return w
}

// alarm sets the state of an alarm. That of the errors of version 2 is evaluated from then on. It is CanaryErrorsAlarm
// of AWS's workshop on SAM: more errors than none in two minutes. Lambda sends no zeros, so that it would not be OK
// without a failure if missing data were not taken for good.
//
// https://github.com/aws-samples/aws-serverless-cicd-workshop, workshop/content/canaries/monitor
func (w *world) alarm(name, state string) {
	a := awsdouble.Alarm{Name: name, State: state}
	if name == errorsAlarm {
		a.Metric = &awsdouble.Metric{Region: testenv.Region, Namespace: "AWS/Lambda", Name: "Errors"}
		a.Metric.Dimensions, a.EvaluationPeriods = ofVersion2(), 2
	}
	w.Double.PutAlarm("", testenv.Region, a)
}

// ofVersion2 returns the dimensions of the metrics of version 2.
func ofVersion2() map[string]string {
	return map[string]string{"FunctionName": "f", "Resource": "f:live", "ExecutedVersion": "2"}
}

// at makes something happen at a time.
func (w *world) at(at time.Time, do func()) { w.events = append(w.events, occasion{at, do}) }

// happen makes happen what is due, and returns how long it takes until something else is.
func (w *world) happen() time.Duration {
	wait, rest := time.Duration(1<<62), w.events[:0:0]
	due := w.events
	for i, e := range due {
		if left := e.at.Sub(w.Now()); left > 0 {
			wait, rest = min(wait, left), append(rest, due[i])
		} else {
			e.do()
		}
	}
	w.events = rest
	return wait
}

// A tool rolls version 2 out.
type tool interface {
	// step does what is due, and returns how long it takes until something else is. Done says that the rollout is over.
	step() (wait time.Duration, done bool)
	// outcome of the rollout that is over.
	outcome() outcome
}

// longest is how long a rollout may take until the trial gives it up.
const longest = 72 * time.Hour

// run lets a tool roll version 2 out, until a time after the begin of the rollout, or until the rollout is over if that
// is zero.
func (w *world) run(t tool, length time.Duration) {
	for w.Now().Before(w.start.Add(longest)) {
		next := w.happen()
		if early := w.start.Sub(w.Now()); early > 0 {
			w.Advance(min(early, next))
			continue
		}
		wait, done := t.step()
		w.look()
		if done && length == 0 {
			return
		}
		if length > 0 {
			left := w.start.Add(length).Sub(w.Now())
			if left <= 0 {
				return
			}
			wait = min(wait, left)
		}
		w.Advance(max(min(wait, next), 50*time.Millisecond))
	}
}

// look notes what the alias is.
func (w *world) look() {
	a, _ := w.Double.Alias("f", "live")
	switch {
	case a.FunctionVersion == "2":
		w.seen.traffic, w.seen.all = first(w.seen.traffic, w.Now()), first(w.seen.all, w.Now())
		w.seen.back = time.Time{}
	case a.RoutingConfig != nil:
		w.seen.traffic = first(w.seen.traffic, w.Now())
		w.seen.back = time.Time{}
	case !w.seen.traffic.IsZero():
		w.seen.back = first(w.seen.back, w.Now())
	}
}

// first returns the first time if there is one.
func first(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// weigh gives version 2 a percentage of the calls in one call of AWS.
func (w *world) weigh(percent int) {
	in := &lambda.UpdateAliasInput{FunctionName: aws.String("f"), Name: aws.String("live")}
	in.FunctionVersion, in.RoutingConfig = aws.String("1"), aliasWeights(percent)
	if percent >= hundred {
		in.FunctionVersion = aws.String("2")
	}
	_, err := w.Lambda.UpdateAlias(w.Context(), in)
	w.Must(err)
}
