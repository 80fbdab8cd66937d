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

	// startTakes is how long after its start a process takes as little memory as it can. By then, its caches are filled, and
	// most of what only a start needs has run.
	startTakes = 2 * time.Minute
)

// LimitGarbage sets how much garbage Go keeps before it collects it, unless the user has set it by GOGC.
func LimitGarbage() { limitGarbage(startGCPercent) }

func limitGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// TrimMemory waits until the start is over, and then returns what only the start needed to the kernel, once: memory that
// Go does not use, and the pages of the program. From then on, Go keeps less garbage, unless the user has set it by GOGC.
func TrimMemory(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(startTakes):
		limitGarbage(restGCPercent)
		debug.FreeOSMemory()
		unmapProgram()
	}
}
