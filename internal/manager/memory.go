package manager

import (
	"os"
	"runtime/debug"
	"time"
)

const (
	// gcPercent is Go's GOGC if the user sets none. At rest, the garbage collector runs so rarely that a smaller heap
	// costs no measurable CPU time. A start with many resources takes more: see docs/design/performance.md.
	gcPercent = 15

	// releaseInterval is the time after which spare memory is returned to the operating system. Go itself keeps it.
	releaseInterval = 30 * time.Second
)

// LimitMemory makes Go collect garbage when it exceeds 15 % of the heap in use, and return spare memory to the
// operating system every 30 seconds, unless the environment variable GOGC is set.
func LimitMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	go func() {
		for range time.Tick(releaseInterval) {
			debug.FreeOSMemory()
		}
	}()
}
