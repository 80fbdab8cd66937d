package alias

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// A cell is what the rollouts of a kind of version under one tool at one rate of invocations have come to.
type cell struct {
	runs int
	// wrong are bad versions that received all invocations at the end, or healthy ones that were rejected.
	wrong, undecided int
	// requests are all invocations of the alias from the begin on, failed those that failed in version 2.
	requests, failed int
	// back is how often the stable version received all invocations again, backTime after which time altogether, and
	// backFailed how many invocations had failed in version 2 by then.
	back, backFailed int
	backTime         time.Duration
	// all is how often version 2 received all invocations, allTime after which time altogether.
	all     int
	allTime time.Duration
	calls   map[string]int
}

// add adds a rollout.
func (c *cell) add(w *world, t tool) {
	received := w.Double.Received("f", "live")
	o, bad := t.outcome(), w.kind.bad
	c.runs++
	if bad && o == promoted || !bad && o == rejected {
		c.wrong++
	}
	if o == undecided {
		c.undecided++
	}
	for _, r := range received {
		c.requests += r.Requests
	}
	c.requests -= int(before.Minutes() * w.perMinute)
	c.failed += received["2"].Failed
	if !w.seen.back.IsZero() {
		c.back++
		c.backTime += w.seen.back.Sub(w.seen.traffic)
		c.backFailed += received["2"].Failed
	}
	if !w.seen.all.IsZero() {
		c.all++
		c.allTime += w.seen.all.Sub(w.seen.traffic)
	}
	if p, ok := t.(*provider); ok {
		for op, n := range p.calls {
			if c.calls == nil {
				c.calls = map[string]int{}
			}
			c.calls[op] += n
		}
	}
}

// decisions returns the part of the decisions that were wrong, and of the rollouts without one.
func (c *cell) decisions() string {
	out := percentage(float64(c.wrong)/float64(c.runs), 0)
	if c.undecided > 0 {
		out += " (" + percentage(float64(c.undecided)/float64(c.runs), 0) + " undecided)"
	}
	return out
}

// damage returns the part of all invocations that failed in version 2, and the minutes until the stable version served
// all again.
func (c *cell) damage() string {
	out := percentage(float64(c.failed)/float64(max(c.requests, 1)), 2) //nolint:mnd // Digits.
	if c.back > 0 {
		out += fmt.Sprintf(", %.1f min", (c.backTime / time.Duration(c.back)).Minutes())
	}
	return out
}

// untilBack returns the mean of the invocations that had failed when the stable version served all again.
func (c *cell) untilBack() float64 { return float64(c.backFailed) / float64(max(c.back, 1)) }

// untilAll returns the mean of the minutes until version 2 received all invocations.
func (c *cell) untilAll() float64 { return c.allTime.Minutes() / float64(max(c.all, 1)) }

// callsOf returns the mean of the calls of a rollout by operation.
func (c *cell) callsOf() string {
	var parts []string
	for _, op := range slices.Sorted(maps.Keys(c.calls)) {
		parts = append(parts, fmt.Sprintf("%.1f %s", float64(c.calls[op])/float64(c.runs), op))
	}
	return strings.Join(parts, ", ")
}

// percentage returns a part with a number of digits. A part that is not 0 is not shown as 0.
func percentage(part float64, digits int) string {
	switch s := fmt.Sprintf("%.*f", digits, part*hundred); {
	case part == 0:
		return "0"
	case strings.Trim(s, "0.") == "":
		return "< " + fmt.Sprintf("%.*f", digits, math.Pow10(-digits)) + " %"
	default:
		return s + " %"
	}
}

// A position is the place of a cell.
type position struct {
	kind, tool string
	perMinute  float64
}

// A board has the cells of the trial.
type board map[position]*cell

// table returns a table in Markdown with a row for each kind of version and rate, and a column for each tool.
func (b board) table(kinds []versionKind, rates []float64, tools []string, of func(*cell) string) string {
	var out strings.Builder
	out.WriteString("| Version 2 | Per minute | " + strings.Join(tools, " | ") + " |\n")
	out.WriteString("| --- | ---: |" + strings.Repeat(" --- |", len(tools)) + "\n")
	for _, k := range kinds {
		for _, rate := range rates {
			fmt.Fprintf(&out, "| %s | %s |", k.name, thousands(rate))
			for _, tool := range tools {
				out.WriteString(" " + of(b[position{k.name, tool, rate}]) + " |")
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

func thousands(n float64) string {
	if n >= 1000 { //nolint:mnd // A thousand.
		return fmt.Sprintf("%d,%03d", int(n)/1000, int(n)%1000)
	}
	return fmt.Sprintf("%g", n)
}

// Marks of the tables in the page.
const (
	trialBegin = "<!-- trial: begin -->\n"
	trialEnd   = "<!-- trial: end -->\n"
)

// writeTrial writes the tables into a page, between the marks.
func writeTrial(page, tables string) error {
	text, err := os.ReadFile(page) //nolint:gosec // The page is that of the flag.
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(text), trialBegin)
	_, tail, ended := strings.Cut(rest, trialEnd)
	if !found || !ended {
		return fmt.Errorf("%s has no marks for the tables of the trial", page)
	}
	return os.WriteFile(page, []byte(head+trialBegin+tables+trialEnd+tail), 0o644) //nolint:gosec // Anyone may read it.
}
