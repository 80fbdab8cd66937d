package kubectl

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// A Pause waits, or returns the error of a context that has ended.
type Pause func(ctx context.Context, d time.Duration) error

// Wait waits, such as until the quota of AWS allows the next call, unless the command is interrupted.
func Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-clock.RealClock{}.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
