package cloudwatch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// Sample returns the value of a metric of provider lambda or cloudWatch. If wait is positive, there is no value yet:
// call Sample again after that time. A sample without invocations has the value NaN and no samples. Until the first
// period since subject.Since is finished, wait is the time until then.
//
// A metric of provider cloudWatch takes a call of its own. A metric of provider lambda has one value or error in the
// slot of its interval in which now is. A caller that returns in the next slot finds its value there without a wait, if
// another has made the call, or makes the call for all.
func (b *Batcher) Sample(ctx context.Context, api API, now time.Time, subject rollout.Subject,
	metric v1beta1.RolloutMetric,
) (sample rollout.Sample, wait time.Duration, err error) {
	r, err := newRequest(subject, metric)
	if err != nil {
		return noSample(), 0, err
	}
	interval := defaultInterval
	if metric.Interval != nil {
		interval = slotFor(metric.Interval.Duration)
	}
	requests := map[string]*request{r.key: r}
	switch w := r.windowAt(now); {
	case w.empty() && r.custom:
		return noSample(), r.untilFirst(now), nil
	case w.empty():
		return noSample(), r.untilFirst(now), b.samples.announce(now, interval, subject.Namespace, requests)
	case r.custom:
		if !b.samplesPause.over(now) {
			return noSample(), 0, errPaused
		}
		of, err := read(ctx, api, now, w, r.queries, &b.customPause)
		if err != nil {
			return noSample(), 0, err
		}
		sample, err = r.sample(now, of)
		return sample, 0, err
	}
	answers, wait, err := b.samples.ask(ctx, now, interval, subject.Namespace, requests,
		func(due map[string]*request) map[string]answer[rollout.Sample] {
			return b.measure(ctx, api, now, due)
		})
	if err != nil || wait > 0 {
		return noSample(), wait, err
	}
	a := answers[r.key]
	return a.value, 0, a.err
}

// measure returns the answers to requests. It makes as few calls as possible.
func (b *Batcher) measure(ctx context.Context, api API, now time.Time,
	due map[string]*request,
) map[string]answer[rollout.Sample] {
	answers := make(map[string]answer[rollout.Sample], len(due))
	var requests []*request
	for key, r := range due {
		if r.windowAt(now).empty() {
			answers[key] = answer[rollout.Sample]{value: noSample()}
			continue
		}
		requests = append(requests, r)
	}
	slices.SortFunc(requests, func(a, b *request) int { return cmp.Compare(a.key, b.key) })
	batches := pack(now, requests)
	if len(batches) > maxCalls { // Otherwise, the order saves calls: neighbours read the same metrics.
		takeTurns(requests)
		batches = pack(now, requests)
	}
	for i, batch := range batches {
		var of map[string]series
		err := errCalls
		if i < maxCalls {
			of, err = read(ctx, api, now, batch.window, batch.queries, &b.samplesPause)
		}
		for _, r := range batch.requests {
			a := answer[rollout.Sample]{value: noSample(), err: err}
			if err == nil {
				a.value, a.err = r.sample(now, batch.seriesOf(r, of))
			}
			answers[r.key] = a
		}
	}
	return answers
}
