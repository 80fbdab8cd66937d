package reconcile

import (
	"time"
)

const (
	// AtOnce is the shortest delay before a resource is reconciled again. It prevents a busy loop.
	AtOnce = 50 * time.Millisecond

	// BusyDelay is the requeue interval after AWS reports a conflicting operation.
	BusyDelay = time.Second

	// MinPending is the shortest time between two reconciles of a resource in progress.
	MinPending = 1 * time.Second

	// MaxPending is the longest time between two reconciles of a resource in progress.
	MaxPending = 10 * time.Second

	// MaxWoken is the longest time between two reconciles of a resource that is enqueued when
	// what it waits for happens.
	MaxWoken = 5 * time.Minute

	// MaxPoll is the longest poll interval. It prevents overflows, and resources that are never reconciled.
	MaxPoll = 30 * 24 * time.Hour

	// pendingShare divides the time that something has been in progress: the quotient is the time until the next
	// reconcile. What has taken ten seconds is unlikely to end within the next one.
	pendingShare = 5
)

// PendingDelay returns when to reconcile a resource again that has been in progress for the given
// time: after 1 second at first, growing with that time to 10 seconds.
func PendingDelay(inMotion time.Duration) time.Duration {
	return min(max(inMotion/pendingShare, MinPending), MaxPending)
}

// WokenDelay returns when to reconcile a resource again that has waited for the given time, and is
// enqueued when what it waits for happens: like Pending, but growing to 5 minutes.
func WokenDelay(waited time.Duration) time.Duration {
	return min(max(waited/pendingShare, MinPending), MaxWoken)
}

// Poll determines how often a stable resource is reconciled.
type Poll struct {
	// Interval is the time between two reconciles, unless the resource requests another.
	Interval time.Duration

	// WithEvents is the interval of resources whose changes events report.
	WithEvents time.Duration

	// Min is the minimum of the interval and of what resources request.
	Min time.Duration

	// Jitter is the fraction of the interval, from 0 to 1, by which it varies, so that
	// resources created at the same time are not always polled at the same time.
	Jitter float64
}

// Effective returns the interval without jitter. requested is the interval that the resource requests, or 0.
func (p Poll) Effective(requested time.Duration) time.Duration {
	if requested <= 0 {
		requested = p.Interval
	}
	return min(max(requested, p.Min, MinPending), MaxPoll)
}

// Jittered returns the interval, varied by up to Jitter, and never below the minimum. random is in [0, 1).
func (p Poll) Jittered(interval time.Duration, random float64) time.Duration {
	interval = p.Effective(interval)
	share := min(max(p.Jitter, 0), 1)
	moved := time.Duration(float64(interval) * (1 + share*(2*random-1)))
	return max(moved, p.Min, MinPending)
}
