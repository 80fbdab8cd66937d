package rollout

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A checkRow is a check, which has no result before it was measured, and the condition that spec has for it.
type checkRow struct {
	rollout.CheckID

	condition string
	check     v1beta1.RolloutCheck
}

// checksOf returns the checks of a spec with their results.
func checksOf(spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus) []checkRow {
	var out []checkRow
	for _, id := range rollout.Checks(spec) {
		row := checkRow{CheckID: id, check: ptr.Deref(rollout.CheckOf(s, id), v1beta1.RolloutCheck{})}
		if id.Type == rollout.CheckMetric {
			m := rollout.MetricOf(spec, id.Name)
			row.condition = ptr.Deref(m.SuccessCondition, "")
			if m.SuccessCondition == nil && m.FailureCondition != nil {
				row.condition = "not: " + *m.FailureCondition
			}
		}
		out = append(out, row)
	}
	return out
}

// checkRows returns the checks with their last values.
func checkRows(t *tracker, sc screen) []string {
	rows := checksOf(t.alias.Spec.Rollout, t.alias.Status.Rollout)
	if s := t.alias.Status.Rollout; len(rows) == 0 || !rollout.InProgress(s) && len(s.Checks) == 0 {
		return nil
	}
	const maxName, maxSpark = 24, 20
	names, values := 0, 0
	for _, r := range rows {
		names = max(names, min(ansi.StringWidth(r.Name), maxName))
		values = max(values, ansi.StringWidth(r.check.Value))
	}
	spark := maxSpark
	if sc.width < narrow {
		names, spark = min(names, 14), 0 //nolint:mnd // What leaves place for the value and the result.
	}
	out := []string{kubectl.Bold.Render("Checks")}
	for _, r := range rows {
		row := "  " + pad(r.Name, names) + "  "
		if values > 0 {
			row += pad(r.check.Value, values) + "  "
		}
		text, style := result(r.check)
		row += style.Render(text)
		if spark > 0 {
			trend := sparkline(t.samples[r.CheckID], spark)
			row += trailing(maxResult-len(text), kubectl.Cyan, trend) +
				trailing(spark-ansi.StringWidth(trend), kubectl.Dim, r.condition)
		}
		out = append(out, strings.TrimRight(row, " "))
		if said := remark(t.alias.Spec.Rollout, t.alias.Status.Rollout, r.check, sc.now); said != "" {
			out = append(out, kubectl.Dim.Render("    "+said))
		}
	}
	return append(out, "")
}

// remark returns a remark on a check: why it has not succeeded, unless the message of the rollout has its result, or
// that its last success is of invocations before those that the rollout waits for.
func remark(
	spec *v1beta1.AliasRollout, s *v1beta1.AliasRolloutStatus, c v1beta1.RolloutCheck, now time.Time,
) string {
	switch {
	case c.Result != rollout.Success:
		if strings.Contains(s.Message, " "+c.Name+": "+c.Result) {
			return ""
		}
		return c.Message
	case s.ObservedWeight == 0 || c.Type != rollout.CheckMetric && c.Type != rollout.CheckAlarm || c.JudgedUntil == nil:
		return ""
	}
	if since := rollout.JudgedSince(spec, s, now); since != nil && c.JudgedUntil.Before(since) {
		const layout = time.TimeOnly
		return "invocations until " + c.JudgedUntil.UTC().Format(layout) + ", waits for those of " +
			since.UTC().Format(layout)
	}
	return ""
}

// trailing returns a text after so many blanks and the gap between two columns. Without a text, it is only blanks.
func trailing(blanks int, style lipgloss.Style, text string) string {
	if text != "" {
		text = style.Render(text)
	}
	return strings.Repeat(" ", max(blanks, 0)+2) + text //nolint:mnd // The gap.
}

// maxResult is the length of the longest result.
const maxResult = len(rollout.Inconclusive)

// result returns the result of a check's last measurement, and its style.
func result(c v1beta1.RolloutCheck) (string, lipgloss.Style) {
	if c.Ignored && c.Result != "" {
		return "Ignored", kubectl.Dim
	}
	switch c.Result {
	case "":
		return "no result", kubectl.Dim
	case rollout.Success:
		return c.Result, kubectl.Green
	case rollout.Failure:
		return c.Result, kubectl.Red
	case rollout.Running:
		return c.Result, kubectl.Cyan
	case rollout.Skipped:
		return c.Result, kubectl.Dim
	}
	return c.Result, kubectl.Yellow
}
