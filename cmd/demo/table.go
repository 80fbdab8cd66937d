package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

const (
	// refresh is the interval at which the cluster is observed, and the table updated.
	refresh = 200 * time.Millisecond

	// precision is the unit of the times that are shown.
	precision = 100 * time.Millisecond

	// columns is the format of the columns that kubectl shows.
	columns = "%-20s%-18s%-9s%-9s%-11s%s"
)

// A table shows resources as kubectl get --watch does: all of them at first, and then only the rows that change, with
// the time at which they have changed.
type table struct {
	out io.Writer

	// known has the columns of each resource, by kind and name, as they were shown last.
	known map[string]string

	// begun reports whether the step has shown something.
	begun bool
}

// begin begins a step.
func (t *table) begin() { t.begun = false }

// show shows the rows that have changed. The time is the one since the step began.
func (t *table) show(all resources, after time.Duration) {
	now := map[string]string{}
	for _, mg := range all {
		kind, name := kindOf(mg), mg.GetName()
		key := fmt.Sprintf("%-20s%s", kind, name)
		now[key] = fmt.Sprintf(columns, kind, name, mg.GetCondition("Ready").Status, mg.GetCondition("Synced").Status,
			phaseOf(mg), meta.GetExternalName(mg))
		if now[key] != t.known[key] {
			t.print(after, now[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.known)) {
		if _, exists := now[key]; !exists {
			t.print(after, fmt.Sprintf("%-56sdeleted", key))
		}
	}
	t.known = now
}

// print prints a row, after the names of the columns if it is the first one of the step.
func (t *table) print(after time.Duration, row string) {
	if !t.begun {
		header := fmt.Sprintf(columns, "KIND", "NAME", "READY", "SYNCED", "STATE", "EXTERNAL-NAME")
		_, _ = fmt.Fprintf(t.out, "    %-7s%s\n", "AFTER", header)
	}
	t.begun = true
	_, _ = fmt.Fprintf(t.out, "    %-7s%s\n", after, row)
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
