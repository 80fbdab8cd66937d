package engine

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
)

const (
	maxUnclassified = 60 * time.Second

	// maxRefused is the longest delay before a change that AWS has refused is sent again.
	maxRefused = 10 * time.Minute

	// manyThrottles is the number of consecutive throttled calls, a minute and a half of them, after which throttling
	// is reported as an error. Fewer are normal, because the quota is shared with others.
	manyThrottles = 10

	// manyFailures is the number of consecutive transient errors, some ten minutes of them,
	// after which the resource is retried at the longest delay.
	manyFailures = 40

	// priorityFailures is the number of consecutive errors after which a resource no longer
	// takes precedence over polled ones.
	priorityFailures = 5

	// stalledFailures is the number of consecutive terminal errors, half a minute of them, after which the resource is
	// Stalled. What it refers to may have been applied together with it and be created a little later.
	stalledFailures = 3

	// ambiguousShare divides the time since the first ambiguous error: the quotient is the delay until the next attempt
	// in the first minute, and twice the quotient later. That makes about thirty attempts in the first quarter of an
	// hour, and six in the rest of the hour.
	ambiguousShare = 8

	minAmbiguous = 3 * time.Second
	maxAmbiguous = 10 * time.Minute
)

var (
	transientDelays = []time.Duration{2 * time.Second, 3 * time.Second, 5 * time.Second, 8 * time.Second, 12 * time.Second, 15 * time.Second}
	terminalDelays  = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}
)

// Backoff returns the delay before the next attempt after the nth consecutive occurrence of an error, for n from 1.
func Backoff(err error, n int) time.Duration { return backoff(classify(err), n) }

// backoff returns the delay before the next attempt after the nth consecutive error of a class, for n from 1.
func backoff(c errorClass, n int) time.Duration {
	switch {
	case c == terminal, c == panicked:
		return delay.Step(terminalDelays, n)
	case c == transient && n > manyFailures:
		return maxUnclassified
	case c == transient:
		return delay.Step(transientDelays, n)
	}
	return delay.Doubling(time.Second, n, maxUnclassified)
}

// backoff records that a resource has failed, and returns when it is reconciled next.
func (r *reconciler[T]) backoff(key types.NamespacedName, changing bool, c errorClass, err error) time.Duration {
	failures, throttles := r.states.recordFailure(key, c, awserr.IsThrottled(err))
	if open, ok := asCircuitOpen(err); ok && open.after > 0 {
		return open.after
	}
	if c == ambiguous {
		return backoffAmbiguous(r.states.ambiguousFor(key, r.now()), gracePeriod(err))
	}
	after := backoff(c, failures)
	if throttles > 0 {
		after = max(after, throttled(throttles))
	}
	if changing {
		after = max(after, refused(r.states.countRefusal(key)))
	}
	return after
}

// backoffAmbiguous returns the delay before the next attempt after an ambiguous error, given the time since the first
// one and the grace period. One attempt is made at the end of the grace period.
func backoffAmbiguous(since, within time.Duration) time.Duration {
	wait := since / ambiguousShare
	if since > time.Minute {
		wait *= 2
	}
	if since < within {
		wait = min(wait, within-since)
	}
	return min(max(wait, minAmbiguous), maxAmbiguous)
}

// refused returns the minimum delay after the nth consecutive refusal of a change, for n from
// 1. Refusals count whatever their reason, even if the resource waited for something in
// between, so that no error makes the provider repeat a change at the pace of reads.
func refused(n int) time.Duration { return delay.Doubling(time.Second, n, maxRefused) }

// throttled returns the delay after the nth consecutive throttled call, for n from 1.
func throttled(n int) time.Duration { return delay.Doubling(time.Second, n, 15*time.Second) }
