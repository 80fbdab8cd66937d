package rollout

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

const (
	// narrow is the width of a terminal below which columns are left out.
	narrow = 60

	// maxBar is the width of the longest bar.
	maxBar = 50

	// leastSteps is the number of steps that even the lowest terminal shows.
	leastSteps = 3

	// messageLines limits the lines of a message.
	messageLines = 4
)

// A screen is the size and the time that a view is drawn for.
type screen struct {
	width int

	// height is 0 if it does not matter.
	height int
	now    time.Time
}

// pad returns a text with a width of exactly so many cells.
func pad(s string, width int) string {
	s = ansi.Truncate(s, width, "…")
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

// fit returns the lines that a terminal has room for: all of foot, and of body the first ones.
func fit(body, foot []string, s screen) string {
	if s.height > 0 {
		body = body[:min(len(body), max(s.height-len(foot), 0))]
	}
	lines := slices.Concat(body, foot)
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], s.width, "…")
	}
	return strings.Join(lines, "\n")
}

// paragraph returns a text in lines that are as long as a terminal is wide, at most messageLines of them.
func paragraph(text string, width int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(ansi.Wrap(text, width, ""), "\n")
	if len(lines) > messageLines {
		lines = lines[:messageLines]
		lines[messageLines-1] += "…"
	}
	return lines
}

// filled returns a bar of a width with a part of it filled.
func filled(style lipgloss.Style, fraction float64, width int) string {
	width = max(width, 0)
	n := min(max(int(fraction*float64(width)+0.5), 0), width) //nolint:mnd // It rounds.
	return style.Render(strings.Repeat("█", n)) + kubectl.Dim.Render(strings.Repeat("░", width-n))
}

// percent returns a percentage without needless digits.
func percent(p float64) string {
	return strconv.FormatFloat(math.Round(p*hundred)/hundred, 'f', -1, 64)
}
