package importer

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

const (
	// barWidth is the width of a progress bar in characters.
	barWidth = 40

	// redraw is the least time between two states of a bar, and lineEvery that between two lines.
	redraw    = 100 * time.Millisecond
	lineEvery = 10 * time.Second
)

// A progress shows the progress of an import: a bar on a terminal, and otherwise a line now and then.
type progress struct {
	w        io.Writer
	now      func() time.Time
	terminal bool

	shown time.Time
	phase Phase
}

func newProgress(w io.Writer, now func() time.Time) *progress {
	return &progress{w: kubectl.Device(w), now: now, terminal: kubectl.IsTerminal(w), shown: now()}
}

// show shows how much of a phase is done. An error of the terminal is of no interest.
func (p *progress) show(phase Phase, done, total int) {
	every := lineEvery
	if p.terminal {
		every = redraw
	}
	now, ended := p.now(), done == total
	if now.Sub(p.shown) < every && !ended && phase == p.phase {
		return
	}
	p.shown, p.phase = now, phase
	switch {
	case !p.terminal:
		_, _ = fmt.Fprintf(p.w, "%s: %d of %d\n", phase, done, total)
	case ended:
		_, _ = fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", len(p.bar(phase, done, total))))
	default:
		_, _ = fmt.Fprint(p.w, "\r", p.bar(phase, done, total))
	}
}

// bar returns a bar in ASCII, so that its length is its width.
func (p *progress) bar(phase Phase, done, total int) string {
	full := barWidth * done / max(total, 1)
	return fmt.Sprintf("%-18s [%s%s] %d/%d ", phase, strings.Repeat("#", full), strings.Repeat(".", barWidth-full),
		done, total)
}
