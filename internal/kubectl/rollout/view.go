package rollout

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// view returns what a terminal shows of a rollout. No line is longer than the terminal is wide.
func view(t *tracker, s screen) string {
	head, foot := header(t.alias, s), footer(t, s)
	st := t.alias.Status.Rollout
	if st == nil || st.Phase == "" {
		return fit(head, foot, s)
	}
	traffic, checks := trafficRows(t.alias, s), checkRows(t, s)
	var bar, steps []string
	if rollout.InProgress(st) || validates(st) || t.last != nil {
		p := timelineOf(t.alias, t.last, s.now)
		bar = []string{"  " + progressBar(p, s.width), ""}
		room := 0
		if s.height > 0 {
			room = max(s.height-len(head)-len(bar)-len(traffic)-len(checks)-len(foot), 1)
		}
		steps = stepRows(p.items, room)
	}
	body := head
	for _, part := range [][]string{bar, traffic, steps, checks} {
		body = append(body, part...)
	}
	return fit(body, foot, s)
}

// header returns the names of the alias and its function, and the phase of the rollout.
func header(a *v1beta1.Alias, sc screen) []string {
	of := kubectl.Bold.Render(kubectl.Aliases.Singular+"/"+a.Name) + kubectl.Dim.Render(" -n "+a.Namespace)
	if f := a.Status.AtProvider.FunctionName; f != nil && sc.width >= narrow {
		of += kubectl.Dim.Render("  function ") + *f
	}
	s := a.Status.Rollout
	switch {
	case a.DeletionTimestamp != nil, unobserved(a), s == nil, s.Phase == "":
		return []string{of, kubectl.Yellow.Render(describe(a)), ""}
	case s.ID != "" && sc.width >= narrow:
		of += kubectl.Dim.Render("  rollout ") + s.ID
	}
	return []string{of, phaseStyle(s).Bold(true).Render(rollout.Position(s)), ""}
}

func phaseStyle(s *v1beta1.AliasRolloutStatus) lipgloss.Style {
	switch {
	case s.Phase == v1beta1.RolloutFailed || s.Step == v1beta1.RolloutRollingBack:
		return kubectl.Red
	case s.Step == v1beta1.RolloutPaused || s.Drift != "":
		return kubectl.Yellow
	case s.Phase == v1beta1.RolloutReady:
		return kubectl.Green
	}
	return kubectl.Cyan
}

// progressBar returns how much of a timeline is done.
func progressBar(p timeline, width int) string {
	style := kubectl.Green
	for _, it := range p.items {
		if it.state == failed {
			style = kubectl.Red
		}
	}
	percent := fmt.Sprintf(" %3.0f %%", math.Floor(p.fraction*hundred))
	return filled(style, p.fraction, min(width-2-len(percent), maxBar)) + percent
}

// trafficRows returns the versions and the part of the invocations that AWS gives to each.
func trafficRows(a *v1beta1.Alias, sc screen) []string {
	s := a.Status.Rollout
	rows := []share{{version: s.Stable.FunctionVersion}}
	if t := s.Target.FunctionVersion; t != "" && t != s.Stable.FunctionVersion {
		rows = append(rows, share{version: t})
	}
	for _, observed := range shares(a) {
		i := slices.IndexFunc(rows, func(known share) bool { return known.version == observed.version })
		if i < 0 {
			rows = append(rows, observed)
			continue
		}
		rows[i] = observed
	}
	out := []string{kubectl.Bold.Render("Versions")}
	for _, r := range rows {
		role, style, revision := "other", kubectl.Yellow, ""
		switch r.version {
		case s.Stable.FunctionVersion:
			role, style, revision = "stable", kubectl.Green, s.Stable.CodeRevision
		case s.Target.FunctionVersion:
			role, style, revision = "target", kubectl.Cyan, s.Target.CodeRevision
		}
		intended := intention(s, r)
		left := fmt.Sprintf("  %-5s%-7s%5s %% ", r.version, role, percent(r.percent))
		bar := filled(style, r.percent/hundred, min(sc.width-len(left), maxBar)-len(intended))
		out = append(out, left+bar+kubectl.Yellow.Render(intended))
		if revision != "" {
			out = append(out, kubectl.Dim.Render("       "+revision))
		}
	}
	return append(out, "")
}

// intention returns the percentage that a version is about to receive, empty if its part does not change.
func intention(s *v1beta1.AliasRolloutStatus, now share) string {
	i := s.Intent
	if i == nil {
		return ""
	}
	to := int32(0)
	switch now.version {
	case i.AdditionalVersion:
		to = i.Weight
	case i.FunctionVersion:
		to = hundred - i.Weight
	}
	if math.Abs(float64(to)-now.percent) < 1 {
		return ""
	}
	return fmt.Sprintf(" -> %d %%", to)
}

// stepRows returns the items of a timeline. If they are more than a number of rows, it returns those around the current
// one. A number below 1 means all.
func stepRows(items []item, rows int) []string {
	out := []string{kubectl.Bold.Render("Steps")}
	from, to := 0, len(items)
	if room := max(rows-2, leastSteps); rows != 0 && len(items) > room { //nolint:mnd // The title and the blank line.
		room = max(room-2, 1) //nolint:mnd // The lines that say how many are left out.
		from = min(max(focus(items)-room/2, 0), len(items)-room)
		to = from + room
	}
	if from > 0 {
		out = append(out, kubectl.Dim.Render(fmt.Sprintf("  ⋮ %d more", from)))
	}
	for _, it := range items[from:to] {
		out = append(out, stepRow(it))
	}
	if to < len(items) {
		out = append(out, kubectl.Dim.Render(fmt.Sprintf("  ⋮ %d more", len(items)-to)))
	}
	return append(out, "")
}

// focus returns the index of the item that is shown in any case: the last one that has begun.
func focus(items []item) int {
	at := 0
	for i, it := range items {
		if it.state != waiting {
			at = i
		}
	}
	return at
}

func stepRow(it item) string {
	switch it.state {
	case done:
		return "  " + kubectl.Green.Render("✔") + " " + it.label
	case failed:
		return "  " + kubectl.Red.Render("✘ "+it.label)
	case current:
		row := "  " + kubectl.Cyan.Render("▶ ") + kubectl.Bold.Render(it.label)
		if it.note != "" {
			row += "  " + kubectl.Cyan.Render(it.note)
		}
		return row
	}
	return kubectl.Dim.Render("  · " + it.label)
}

// footer returns the message of the rollout, and the version that serves.
func footer(t *tracker, sc screen) []string {
	var out []string
	s := t.alias.Status.Rollout
	if s != nil {
		out = append(out, paragraph(message(s), sc.width)...)
		out = append(out, paragraph(serving(t.alias)+next(s, sc.now), sc.width)...)
		if t.awaiting() {
			out = append(out, kubectl.Yellow.Render(awaits(t.version)))
		}
	}
	for _, line := range paragraph(obstacle(t.alias), sc.width) {
		out = append(out, kubectl.Yellow.Render(line))
	}
	if t.lost != "" {
		out = append(out, kubectl.Yellow.Render("connection lost, trying to reconnect: "+t.lost))
	}
	return out
}

// message returns the message of a state and what a command waits for, without what the rest of the view shows.
func message(s *v1beta1.AliasRolloutStatus) string {
	parts := []string{s.Message, s.Waits, s.Drift}
	if s.Step == v1beta1.RolloutPaused && s.Reason == v1beta1.RolloutReasonPauseStep {
		parts[0] = ""
	}
	if strings.Contains(parts[0], s.Drift) {
		parts[2] = ""
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// serving returns which version the alias invokes, besides one that receives a part of the invocations.
func serving(a *v1beta1.Alias) string {
	s, and := a.Status.Rollout, ""
	version := traffic(a).Serving()
	if s.Phase == v1beta1.RolloutProgressing && version == s.Target.FunctionVersion &&
		version != s.Stable.FunctionVersion {
		and = "; version " + s.Stable.FunctionVersion + " if it fails"
	}
	return kubectl.Bold.Render("version "+version+" serves") + and
}

// next returns when the provider observes the rollout next. The times of a status are AWS's: the clock of this machine
// may be behind them.
func next(s *v1beta1.AliasRolloutStatus, now time.Time) string {
	if s.NextCheckAt == nil || !rollout.InProgress(s) {
		return ""
	}
	left := s.NextCheckAt.Sub(now)
	if s.ObservedAt != nil {
		left = min(left, s.NextCheckAt.Sub(s.ObservedAt.Time))
	}
	if left > 0 {
		return kubectl.Dim.Render("; next check in " + rollout.DescribeDuration(left))
	}
	return kubectl.Dim.Render("; next check is due")
}
