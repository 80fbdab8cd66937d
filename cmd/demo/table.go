package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

const (
	// refresh is the interval at which the cluster is observed, and the table updated.
	refresh = 200 * time.Millisecond

	// precision is the unit of the times that are shown.
	precision = 100 * time.Millisecond

	// columns is the format of the columns that kubectl shows.
	columns = "%-20s%-18s%-9s%-9s%-11s%s"

	// usualWidth is the number of columns of a terminal that does not tell it.
	usualWidth = 80
)

// A table shows resources as kubectl does: all of them at first, and then only the rows that change, with the time at
// which they have changed. On a terminal, the rows of a step are updated in place.
type table struct {
	out io.Writer

	// width is the number of columns of a terminal, or 0 if the output is no terminal.
	width int

	// known has the columns of each resource, by kind and name, as they were shown last.
	known map[string]string

	// step has the resources that have changed in this step, in order, and rows how they are shown.
	step []string
	rows map[string]row
}

// A row has the time at which it has changed, and its columns.
type row struct{ after, columns string }

func newTable() *table {
	t := &table{out: os.Stdout, known: map[string]string{}}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		t.width = usualWidth
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			t.width = w
		}
	}
	t.begin()
	return t
}

// begin begins a step. The rows of earlier steps are not updated any more.
func (t *table) begin() { t.step, t.rows = nil, map[string]row{} }

// show shows the rows that have changed. The time is the one since the step began.
func (t *table) show(all resources, after time.Duration) {
	lines := len(t.step) + 1
	if len(t.step) == 0 {
		lines = 0
	}
	changed := t.update(all, after.String())
	if len(changed) == 0 {
		return
	}
	if lines == 0 || t.width > 0 {
		if lines > 0 {
			_, _ = fmt.Fprintf(t.out, "\x1b[%dA\x1b[J", lines)
		}
		t.print("AFTER", fmt.Sprintf(columns, "KIND", "NAME", "READY", "SYNCED", "STATE", "EXTERNAL-NAME"))
	}
	if t.width > 0 {
		changed = t.step
	}
	for _, key := range changed {
		t.print(t.rows[key].after, t.rows[key].columns)
	}
}

// update takes over the resources, and returns those whose rows have changed.
func (t *table) update(all resources, after string) (changed []string) {
	now := map[string]string{}
	for _, mg := range all {
		kind, name := kindOf(mg), mg.GetName()
		key := fmt.Sprintf("%-20s%s", kind, name)
		now[key] = fmt.Sprintf(columns, kind, name, mg.GetCondition("Ready").Status, mg.GetCondition("Synced").Status,
			phaseOf(mg), meta.GetExternalName(mg))
		if now[key] != t.known[key] {
			changed, t.rows[key] = append(changed, key), row{after, now[key]}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.known)) {
		if _, exists := now[key]; !exists {
			changed, t.rows[key] = append(changed, key), row{after, fmt.Sprintf("%-56sdeleted", key)}
		}
	}
	for _, key := range changed {
		if !slices.Contains(t.step, key) {
			t.step = append(t.step, key)
		}
	}
	t.known = now
	return changed
}

// print prints a row. One that a terminal would wrap is cut, since rows are counted to update them.
func (t *table) print(after, columns string) {
	line := fmt.Sprintf("    %-7s%s", after, columns)
	if t.width > 0 && len(line) > t.width {
		line = line[:t.width]
	}
	_, _ = fmt.Fprintln(t.out, line)
}

// watch shows what changes until a condition holds. It returns how long that took, or an error after the time within.
func (e *env) watch(
	ctx context.Context, within time.Duration, what string, so func(resources) bool,
) (time.Duration, error) {
	e.table.begin()
	return e.until(ctx, within, what, func(after time.Duration) (bool, error) {
		all, err := e.resources(ctx)
		if err != nil {
			return false, err
		}
		e.table.show(all, after)
		return so(all), nil
	})
}

// until calls a function, with the time since it was called first, until it returns true or an error. It returns how
// long that took, rounded, or an error after the time within.
func (e *env) until(
	ctx context.Context, within time.Duration, what string, so func(after time.Duration) (bool, error),
) (time.Duration, error) {
	started := time.Now()
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		done, err := so(time.Since(started).Round(precision))
		took := time.Since(started)
		switch {
		case err != nil:
			return 0, err
		case done:
			return took.Round(precision), nil
		case took > within:
			return 0, fmt.Errorf("timed out after %s waiting until %s", within, what)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case err := <-e.failed:
			return 0, fmt.Errorf("the provider ended: %w", err)
		case <-tick.C:
		}
	}
}
