package manager

import (
	"context"
	"os"
	"runtime/debug"
	"time"
)

const (
	// startGCPercent is Go's GOGC during the start if the user sets none, and restGCPercent after it. At rest, the garbage
	// collector runs so rarely that a smaller heap costs no measurable CPU; a start with many resources takes more: see
	// docs/design/performance.md.
	startGCPercent = 50
	restGCPercent  = 33

	// earlyTrim and lastTrim are how long after its start a process returns memory that it does not use. By the first, a
	// process with few resources has filled its caches. By the second, all have.
	earlyTrim = 20 * time.Second
	lastTrim  = 2 * time.Minute
)

// LimitGarbage sets how much garbage Go keeps before it collects it, unless the user has set it by GOGC.
func LimitGarbage() { limitGarbage(startGCPercent) }

func limitGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// TrimMemory returns what only the start needed to the kernel, twice: memory that Go does not use, and the pages of the
// program. After the second time, Go keeps less garbage, unless the user has set it by GOGC. TrimMemory returns then, or when
// the context is done.
func TrimMemory(ctx context.Context) {
	for _, wait := range []time.Duration{earlyTrim, lastTrim - earlyTrim} {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			debug.FreeOSMemory()
			unmapProgram()
		}
	}
	limitGarbage(restGCPercent)
}
