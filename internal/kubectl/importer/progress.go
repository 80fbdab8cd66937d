package importer

import (
	"fmt"
	"io"
	"time"
)

// lineEvery is the least time between two lines about a phase.
const lineEvery = 10 * time.Second

// newProgress returns a function that shows the progress of an import: a line when a phase begins, when it ends, and
// now and then in between. An error of the terminal is of no interest.
func newProgress(w io.Writer, now func() time.Time) func(phase Phase, done, total int) {
	var shown time.Time
	var last Phase
	return func(phase Phase, done, total int) {
		at := now()
		if total == 0 || phase == last && done < total && at.Sub(shown) < lineEvery {
			return
		}
		shown, last = at, phase
		_, _ = fmt.Fprintf(w, "%s: %d of %d\n", phase, done, total)
	}
}
