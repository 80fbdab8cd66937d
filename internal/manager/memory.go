package manager

import (
	"os"
	"runtime/debug"
)

// gcPercent is Go's GOGC if the user sets none. At rest, the garbage collector runs so rarely that a smaller heap
// costs no measurable CPU; a start with many resources takes more: see docs/design/performance.md.
const gcPercent = 50

// LimitGarbage sets how much garbage Go keeps before it collects it, unless the user has set it by GOGC.
func LimitGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
