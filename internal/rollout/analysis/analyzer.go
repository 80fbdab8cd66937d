package analysis

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

const (
	// maxRequests is the maximum number of HTTP checks of a rollout that are measured at the same time.
	maxRequests = 4

	// startWithin is the time in which checks are started. A check that was not started stays due. So
	// all checks together end after startWithin and requestTimeout.
	startWithin = 4 * time.Second

	// startAgain is the wait for the checks that were not started.
	startAgain = time.Second

	// maxMessage and maxValue are the lengths that the API allows, in characters.
	maxMessage = 512
	maxValue   = 64
)

// A CloudWatch reads metrics and alarms. If wait is more than zero, there is no value yet: the
// caller asks again after it. An error is fit for users to see.
type CloudWatch interface {
	// Sample returns the value of a metric of the provider lambda or cloudWatch.
	Sample(ctx context.Context, s rollout.Subject,
		m *v1beta1.RolloutMetric) (sample rollout.Sample, wait time.Duration, err error)

	// Alarms returns the states of alarms by their names.
	Alarms(ctx context.Context, names []string,
		interval time.Duration) (states map[string]rollout.AlarmState, wait time.Duration, err error)

	// Fired returns the end of what an alarm of a type had evaluated when it went to ALARM last since a time, zero if
	// it did not.
	Fired(ctx context.Context, name, of string, since time.Time) (about time.Time, err error)
}

// Options are the options of an Analyzer.
type Options struct {
	// Hosts are the hosts that rollouts may name: a host, a host and a port, or a pattern in which
	// * stands for any characters. Those with private addresses must be listed exactly.
	Hosts []string

	// Planning lets Validate accept all hosts, and takes all dependencies for healthy: a plan does not know which hosts
	// the provider allows, nor how healthy dependencies are when it is carried out.
	Planning bool

	// AllowLoopback allows loopback addresses for hosts that are listed exactly. It is for tests and the demo.
	AllowLoopback bool

	// Reader reads objects that rollouts depend on from the API server, without a cache.
	Reader client.Reader

	// Mapper maps the cluster's kinds.
	Mapper meta.RESTMapper

	// Secrets reads bearer tokens.
	Secrets refs.Objects
}

// An Analyzer measures the checks of rollouts. It is safe for concurrent use.
type Analyzer struct {
	options    Options
	hosts      egress.Hosts
	transport  http.RoundTripper
	conditions conditions
	cloudWatch CloudWatch
}

// hostFlag is the flag of the provider that allows hosts.
const hostFlag = "--analysis-host"

// New returns an Analyzer without CloudWatch.
func New(o Options) *Analyzer {
	h := egress.Hosts{Flag: hostFlag, Allowed: o.Hosts, Loopback: o.AllowLoopback}
	return &Analyzer{options: o, hosts: h, transport: newTransport(h), conditions: newConditions()}
}

// WithCloudWatch returns an Analyzer that reads from the CloudWatch of an account and region. It
// shares connections and compiled conditions with the one that it is made from.
func (a *Analyzer) WithCloudWatch(c CloudWatch) *Analyzer {
	b := *a
	b.cloudWatch = c
	return &b
}

// Measure measures the due checks of the types Dependency, Metric and Alarm, in less than 10 s. It
// returns no measurement of a check that has no value yet or that was not started in time: such a
// check stays due, and wait is the time to wait before it is measured. wait is zero if there is none.
func (a *Analyzer) Measure(ctx context.Context, s rollout.Subject, spec *v1beta1.AliasRollout,
	due []rollout.CheckID,
) ([]rollout.Measurement, time.Duration) {
	jobs := a.jobs(s, spec, due)
	starting, stop := context.WithTimeout(ctx, startWithin)
	defer stop()
	var requests errgroup.Group
	requests.SetLimit(maxRequests)
	var others sync.WaitGroup
	others.Go(func() {
		for _, j := range jobs {
			if !j.request {
				j.start(ctx, starting)
			}
		}
	})
	for _, j := range jobs {
		if j.request {
			requests.Go(func() error { j.start(ctx, starting); return nil })
		}
	}
	_ = requests.Wait() // Its functions return no error.
	others.Wait()
	if ctx.Err() != nil {
		return nil, startAgain // Who gave up was the provider, not what was measured.
	}
	return collect(jobs)
}

func collect(jobs []*job) (found []rollout.Measurement, wait time.Duration) {
	for _, j := range jobs {
		switch {
		case j.wait <= 0:
			found = append(found, j.found...)
		case wait == 0 || j.wait < wait:
			wait = j.wait
		}
	}
	return found, wait
}

// A job measures one check, or all alarms.
type job struct {
	// checks are the checks that are measured.
	checks []rollout.CheckID

	// request says that a server is called that the user names.
	request bool

	// measure returns one measurement for each check, or after how long to measure again.
	measure func(ctx context.Context) ([]rollout.Measurement, time.Duration)

	found []rollout.Measurement
	wait  time.Duration
}

// start runs a job if there is time to start it.
func (j *job) start(ctx, starting context.Context) {
	if starting.Err() != nil {
		j.wait = startAgain
		return
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := panics.Guard(func() (struct{}, error) {
		j.found, j.wait = j.measure(ctx)
		return struct{}{}, nil
	})
	if err != nil {
		j.found, j.wait = each(j.checks, func(id rollout.CheckID) rollout.Measurement { return Failed(id, err) }), 0
	}
}

// jobs returns a job for each due check of a spec in their order, and one for all alarms. It ignores checks that
// the spec does not have, and smoke tests.
func (a *Analyzer) jobs(s rollout.Subject, spec *v1beta1.AliasRollout, due []rollout.CheckID) []*job {
	var jobs []*job
	isOther := func(id rollout.CheckID) bool { return id.Type != rollout.CheckAlarm }
	alarms := slices.DeleteFunc(slices.Clone(due), isOther)
	for _, id := range due {
		j := &job{checks: []rollout.CheckID{id}}
		switch d, m := dependencyOf(spec, id.Name), rollout.MetricOf(spec, id.Name); {
		case id.Type == rollout.CheckDependency && d != nil:
			j.request = d.HTTP != nil
			j.measure = func(ctx context.Context) ([]rollout.Measurement, time.Duration) {
				return []rollout.Measurement{a.dependency(ctx, id, s.Namespace, d)}, 0
			}
		case id.Type == rollout.CheckMetric && m != nil:
			j.request = m.Provider.Prometheus != nil || m.Provider.Web != nil
			j.measure = func(ctx context.Context) ([]rollout.Measurement, time.Duration) {
				found, wait := a.metric(ctx, id, s, m)
				return []rollout.Measurement{found}, wait
			}
		case !isOther(id) && id == alarms[0] && spec.Analysis != nil && spec.Analysis.Alarms != nil:
			j.checks = alarms
			j.measure = func(ctx context.Context) ([]rollout.Measurement, time.Duration) {
				return a.alarms(ctx, s, spec.Analysis.Alarms, alarms)
			}
		default:
			continue
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func each(checks []rollout.CheckID, of func(rollout.CheckID) rollout.Measurement) []rollout.Measurement {
	all := make([]rollout.Measurement, len(checks))
	for i, id := range checks {
		all[i] = of(id)
	}
	return all
}

// dependencyOf returns a dependency of a spec, nil if there is none of the name.
func dependencyOf(spec *v1beta1.AliasRollout, name string) *v1beta1.RolloutDependency {
	for i := range spec.Dependencies {
		if spec.Dependencies[i].Name == name {
			return &spec.Dependencies[i]
		}
	}
	return nil
}

func measured(id rollout.CheckID, result, value, format string, args ...any) rollout.Measurement {
	return rollout.Measurement{
		CheckID: id, Result: result, Value: bounded(value, maxValue),
		Message: bounded(fmt.Sprintf(format, args...), maxMessage),
	}
}

// Failed returns a measurement without a value.
func Failed(id rollout.CheckID, err error) rollout.Measurement {
	return measured(id, rollout.Error, "", "%v", err)
}

// bounded returns a text of at most a number of characters.
func bounded(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
