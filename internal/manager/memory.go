package manager

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// gcPercent is Go's GOGC if the user sets none. At rest, the garbage collector runs so rarely that a smaller heap
	// costs no measurable CPU: see docs/design/performance.md.
	gcPercent = 50

	// unmapInterval is how often the pages of the program are unmapped.
	unmapInterval = time.Minute
)

// LimitGarbage sets how much garbage Go keeps before it collects it, unless the user has set it by GOGC.
func LimitGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// A pageUnmapper unmaps the program's own pages again and again, so that only those stay resident that are in use.
// Most of them are read only at start, or once in a while. A page that is used again is mapped again, from the kernel's
// page cache.
type pageUnmapper struct {
	log logr.Logger
}

// NeedLeaderElection returns false: standby replicas unmap pages, too.
func (u *pageUnmapper) NeedLeaderElection() bool { return false }

// Start unmaps the pages until the context is done. It stops at the first error, since memory is all that it saves.
func (u *pageUnmapper) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wait.UntilWithContext(ctx, func(context.Context) {
		if err := unmapProgram(); err != nil {
			u.log.Info("Cannot unmap pages of the program; it keeps more memory resident than it uses", "error", err.Error())
			cancel()
		}
	}, unmapInterval)
	return nil
}
