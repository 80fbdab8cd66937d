package campaign

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

// A bar is the most that a figure may be.
type bar struct {
	// work is what is measured, figure is what is counted of it.
	work, figure string

	reached, most float64

	// machine says that the figure depends on the machine, so that a miss is shown but does not fail.
	machine bool
}

// missed reports whether the figure is above the bar.
func (b bar) missed() bool { return math.IsNaN(b.reached) || b.reached > b.most }

// writeBars writes bars as a table.
func writeBars(w io.Writer, bars []bar) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(tw, "WORK\tFIGURE\tREACHED\tAT MOST\t")
	work := ""
	for _, b := range bars {
		name, verdict := b.work, ""
		if name == work {
			name = ""
		}
		if b.missed() {
			verdict = "missed"
		}
		_, _ = fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", name, b.figure, short(b.reached), short(b.most), verdict)
		work = b.work
	}
	return tw.Flush()
}

// short returns a number with at most three decimals.
func short(f float64) string { return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64) }
