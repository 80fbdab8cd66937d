package manager

import (
	"os"
	"runtime/debug"
)

// gcPercent is Go's GOGC if the user sets none. At rest, the garbage collector runs so rarely that a smaller heap costs
// no measurable CPU time. A start with many resources takes more: see docs/design/performance.md.
const gcPercent = 20

// LimitGarbage makes Go collect garbage when it exceeds a fifth of the heap in use, unless the environment variable
// GOGC says otherwise.
func LimitGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
