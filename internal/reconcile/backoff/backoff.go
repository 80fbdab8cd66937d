package backoff

import (
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

const (
	maxUnclassified = 60 * time.Second

	// maxRefused is the longest delay before a change that AWS has refused is sent again.
	maxRefused = 10 * time.Minute

	// ManyThrottles is the number of consecutive throttled calls, a minute and a half of them, after which throttling
	// is reported as an error. Fewer are normal, because the quota is shared with others.
	ManyThrottles = 10

	// ManyDeferrals is the number of consecutive reconciles that were ended in their middle because the request quota
	// was exhausted, after which that is reported as an error. A long list takes dozens: each goes on after the last.
	ManyDeferrals = 100

	// manyFailures is the number of consecutive transient errors, some ten minutes of them,
	// after which the resource is retried at the longest delay.
	manyFailures = 40

	// PriorityFailures is the number of consecutive errors after which a resource no longer
	// takes precedence over polled ones.
	PriorityFailures = 5

	// StalledFailures is the number of consecutive terminal errors, half a minute of them, after which the resource is
	// Stalled. What it refers to may have been applied together with it and be created a little later.
	StalledFailures = 3

	// AmbiguousShare divides the time since the first ambiguous error: the quotient is the delay until the next attempt
	// in the first minute, and twice the quotient later. That makes about thirty attempts in the first quarter of an
	// hour, and six in the rest of the hour.
	AmbiguousShare = 8

	// MinAmbiguous is the shortest delay after an ambiguous error.
	MinAmbiguous = 3 * time.Second

	// MaxAmbiguous is the longest delay after an ambiguous error.
	MaxAmbiguous = 10 * time.Minute
)

var (
	transientDelays = []time.Duration{
		2 * time.Second, 3 * time.Second, 5 * time.Second, 8 * time.Second,
		12 * time.Second, 15 * time.Second,
	}
	terminalDelays = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}
)

// Delay returns the delay before the next attempt after the nth error of a class since the last success or change, for
// n from 1.
func Delay(c Class, n int) time.Duration {
	switch {
	case c == Terminal, c == Panicked:
		return delay.Nth(terminalDelays, n)
	case c == Transient && n > manyFailures:
		return maxUnclassified
	case c == Transient:
		return delay.Nth(transientDelays, n)
	}
	return delay.Doubling(time.Second, n, maxUnclassified)
}

// AmbiguousDelay returns the delay before the next attempt after an ambiguous error, given the time since the first
// one and the grace period. One attempt is made at the end of the grace period.
func AmbiguousDelay(since, within time.Duration) time.Duration {
	wait := since / AmbiguousShare
	if since > time.Minute {
		wait *= 2
	}
	if since < within {
		wait = min(wait, within-since)
	}
	return min(max(wait, MinAmbiguous), MaxAmbiguous)
}

// RefusedDelay returns the minimum delay after the nth consecutive refusal of a change, for n from
// 1. Refusals count whatever their reason, even if the resource waited for something in
// between, so that no error makes the provider repeat a change at the pace of reads.
func RefusedDelay(n int) time.Duration { return delay.Doubling(time.Second, n, maxRefused) }

// ThrottledDelay returns the delay after the nth consecutive throttled call, for n from 1.
func ThrottledDelay(n int) time.Duration { return delay.Doubling(time.Second, n, 15*time.Second) }

// A Class classifies an error by how soon another attempt makes sense.
type Class int

const (
	// Unclassified errors may be transient or not.
	Unclassified Class = iota

	// Transient errors go away without a change by the user, within seconds or minutes.
	Transient

	// Terminal errors remain until the user changes something.
	Terminal

	// Ambiguous errors are terminal or transient: AWS returns the same error for what is wrong
	// and for what does not exist yet. They count as terminal after a grace period.
	Ambiguous

	// Panicked is the class of panics. Most remain until the provider is upgraded, and the
	// code before the panic may call AWS, so they are retried slowly, like terminal errors.
	Panicked
)

// ErrCannotCreate is returned if the external resource does not exist and may not be created.
var ErrCannotCreate = errors.New(
	"the external resource does not exist, and managementPolicies do not allow creating it")

// String returns the name of the class in traces.
func (c Class) String() string {
	switch c {
	case Terminal:
		return "terminal"
	case Transient:
		return "transient"
	case Ambiguous:
		return "ambiguous"
	case Panicked:
		return "bug"
	default:
		return "unclassified"
	}
}

// Classify returns the class of an error.
func Classify(err error) Class {
	switch {
	case isPanic(err):
		return Panicked
	case ownership.IsForeign(err), errors.Is(err, ErrCannotCreate), reconcile.IsInvalid(err), awserr.IsTerminal(err):
		return Terminal
	case awserr.IsTransient(err), isServerTrouble(err):
		return Transient
	case GracePeriod(err) > 0:
		return Ambiguous
	}
	return Unclassified
}

// isServerTrouble reports whether the API server is temporarily unable to answer.
func isServerTrouble(err error) bool {
	return kerrors.IsServerTimeout(err) || kerrors.IsTimeout(err) || kerrors.IsTooManyRequests(err) ||
		kerrors.IsServiceUnavailable(err) || kerrors.IsInternalError(err)
}

// Grace periods after which ambiguous errors count as terminal.
const (
	// referenceGracePeriod is for what may be created together with the resource: a Secret, a ConfigMap or a key of
	// one, a provider config and what it refers to, a function, alias or layer version that spec names, code.
	referenceGracePeriod = 5 * time.Minute

	// accessGracePeriod is for IAM permissions, which may take that long to propagate.
	accessGracePeriod = 15 * time.Minute
)

// GracePeriod returns how long an ambiguous error may take to go away, and 0 for any other error.
func GracePeriod(err error) time.Duration {
	within, ok := awserr.MayPass(err)
	switch {
	case ok:
		return within
	case awserr.IsAccessDenied(err), awserr.IsUnauthenticated(err):
		return accessGracePeriod
	case refs.IsMissing(err), awserr.IsNotFound(err), reconcile.IsAmbiguous(err):
		return referenceGracePeriod
	}
	return 0
}

func isPanic(err error) bool {
	var p *panics.Error
	return errors.As(err, &p)
}
