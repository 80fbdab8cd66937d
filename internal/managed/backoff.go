package managed

import (
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// A class of errors says how soon another try makes sense.
type errorClass int

const (
	// unclassified errors may pass or not.
	unclassified errorClass = iota

	// transient errors pass by themselves within seconds or minutes.
	transient

	// terminal errors stay until the user changes something.
	terminal

	// ambiguous errors are terminal or transient: AWS says the same of what is wrong and
	// of what is not there yet. They count as terminal once they have had time to pass.
	ambiguous

	// Class bug is a panic. It stays until the provider is another one, unless the odd answer
	// passes that it came of; what it does before it panics may be a call to AWS.
	panicked
)

// errCannotCreate says that there is nothing to manage and no leave to create it.
var errCannotCreate = errors.New("the external resource does not exist, and managementPolicies do not allow creating it")

// String names the class in traces.
func (c errorClass) String() string {
	switch c {
	case terminal:
		return "terminal"
	case transient:
		return "transient"
	case ambiguous:
		return "ambiguous"
	case panicked:
		return "bug"
	default:
		return "unclassified"
	}
}

func classify(err error) errorClass {
	switch {
	case isPanic(err):
		return panicked
	case ownership.IsForeign(err), errors.Is(err, errCannotCreate), isInvalid(err), awserr.IsTerminal(err):
		return terminal
	case awserr.IsTransient(err), isServerTrouble(err):
		return transient
	case gracePeriod(err) > 0:
		return ambiguous
	}
	return unclassified
}

// isServerTrouble says that the API server could not answer now.
func isServerTrouble(err error) bool {
	return kerrors.IsServerTimeout(err) || kerrors.IsTimeout(err) || kerrors.IsTooManyRequests(err) || kerrors.IsServiceUnavailable(err) || kerrors.IsInternalError(err)
}

// Ambiguous errors count as terminal after these times.
const (
	// referenceGracePeriod is for what may be applied together with the resource: a Secret, a
	// ConfigMap or a key of one, a provider config and what it names.
	referenceGracePeriod = 5 * time.Minute

	// accessGracePeriod is for rights, which IAM may take as long to spread.
	accessGracePeriod = 15 * time.Minute
)

// gracePeriod is how long an ambiguous error may take to pass, 0 for any other.
func gracePeriod(err error) time.Duration {
	within, ok := awserr.MayPass(err)
	switch {
	case ok:
		return within
	case awserr.IsAccessDenied(err), awserr.IsUnauthenticated(err):
		return accessGracePeriod
	case objects.IsMissing(err), isUnusable(err):
		return referenceGracePeriod
	}
	return 0
}

// unusableError says that a provider config cannot be used.
type unusableError struct{ error }

// Unwrap returns the error.
func (e unusableError) Unwrap() error { return e.error }

func isUnusable(err error) bool {
	var u unusableError
	return errors.As(err, &u)
}

const (
	maxUnclassified = 60 * time.Second

	// maxRefused is the longest time after which a change that AWS has refused is sent again.
	maxRefused = 10 * time.Minute

	// manyThrottles is the number of throttled calls in a row, a minute and a half of them,
	// after which users are told: until then, the quota is shared with others.
	manyThrottles = 10

	// manyFailures is the number of transient errors in a row, some ten minutes of
	// them, after which there is no hurry any more.
	manyFailures = 40

	// priorityFailures is the number of errors in a row after which a resource no
	// longer goes before those that are merely polled.
	priorityFailures = 5

	// stalledFailures is the number of terminal errors in a row, half a minute of
	// them, after which the resource is said to be stalled: what it refers to may
	// have been applied together with it and be a little late.
	stalledFailures = 3

	// ambiguousShare of the time since the first ambiguous error is the time until the
	// next try in the first minute, and twice that later: some thirty tries in the first
	// quarter of an hour, and six in the rest of it.
	ambiguousShare = 8

	minAmbiguous = 3 * time.Second
	maxAmbiguous = 10 * time.Minute
)

var (
	transientDelays = []time.Duration{2 * time.Second, 3 * time.Second, 5 * time.Second, 8 * time.Second, 12 * time.Second, 15 * time.Second}
	terminalDelays  = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}
)

// Backoff is when to try again after an error that came for the nth time in a row, n from
// 1.
func Backoff(err error, n int) time.Duration { return backoff(classify(err), n) }

// backoff is when to try again after the nth error of a class in a row, n from 1.
func backoff(c errorClass, n int) time.Duration {
	switch {
	case c == terminal, c == panicked:
		return step(terminalDelays, n)
	case c == transient && n > manyFailures:
		return maxUnclassified
	case c == transient:
		return step(transientDelays, n)
	}
	return doubling(time.Second, n, maxUnclassified)
}

// backoff notes that a resource has failed, and returns when it is reconciled next.
func (r *reconciler[T]) backoff(key types.NamespacedName, a *Attempt, c errorClass, err error) time.Duration {
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
	if a.changing {
		after = max(after, refused(r.states.countRefusal(key)))
	}
	return after
}

// backoffAmbiguous is when to try again after an ambiguous error, by the time since the
// first of them. One try is made when the error has had the time that it may take to pass.
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

// refused is the least time after the nth refusal in a row of a change, n from 1. It counts
// refusals for any reason, whatever a resource waited for in between, so that no error of
// AWS has the same change sent without end at a pace that is made for reads.
func refused(n int) time.Duration { return doubling(time.Second, n, maxRefused) }

// throttled is when to come back after the nth throttled call in a row, n from 1.
func throttled(n int) time.Duration { return doubling(time.Second, n, 15*time.Second) }

func step(delays []time.Duration, n int) time.Duration {
	return delays[min(max(n, 1), len(delays))-1]
}

func doubling(first time.Duration, n int, limit time.Duration) time.Duration {
	d := first
	for range n - 1 {
		if d >= limit {
			return limit
		}
		d *= 2
	}
	return min(d, limit)
}
