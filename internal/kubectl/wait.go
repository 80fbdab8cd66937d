package kubectl

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Wait waits, such as until the quota of AWS allows the next call. It returns the error of a context that has ended.
func Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-clock.RealClock{}.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
