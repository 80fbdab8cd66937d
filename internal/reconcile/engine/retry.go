package engine

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
)

// backoff records that a resource has failed, and returns when it is reconciled next.
func (r *reconciler[T]) backoff(key types.NamespacedName, changing bool, c backoff.Class, err error) time.Duration {
	failures, throttles := r.states.RecordFailure(key, c, awserr.IsThrottled(err))
	if open, ok := asCircuitOpen(err); ok && open.after > 0 {
		return open.after
	}
	if c == backoff.Ambiguous {
		return backoff.AmbiguousDelay(r.states.AmbiguousFor(key, r.now()), backoff.GracePeriod(err))
	}
	after := backoff.ClassDelay(c, failures)
	if throttles > 0 {
		after = max(after, backoff.ThrottledDelay(throttles))
	}
	if changing {
		after = max(after, backoff.RefusedDelay(r.states.CountRefusal(key)))
	}
	return after
}
