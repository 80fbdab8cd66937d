package analysis

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
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
)

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

// dependencyOf returns a dependency of a spec, nil if there is none of the name.
func dependencyOf(spec *v1beta1.AliasRollout, name string) *v1beta1.RolloutDependency {
	for i := range spec.Dependencies {
		if spec.Dependencies[i].Name == name {
			return &spec.Dependencies[i]
		}
	}
	return nil
}
