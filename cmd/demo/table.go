package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// refresh is the interval at which the table is updated.
const refresh = 200 * time.Millisecond

// A table shows resources as kubectl does. On a terminal it updates in place, elsewhere it prints a new table
// whenever a row has changed.
type table struct {
	out   io.Writer
	tty   bool
	last  string
	lines int
}

func newTable() *table {
	return &table{out: os.Stdout, tty: term.IsTerminal(int(os.Stdout.Fd()))}
}

func (t *table) show(all resources, started time.Time) {
	var rows bytes.Buffer
	tw := tabwriter.NewWriter(&rows, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(tw, "    KIND\tNAME\tREADY\tSYNCED\tSTATE\tEXTERNAL-NAME")
	for _, mg := range all {
		_, _ = fmt.Fprintf(tw, "    %s\t%s\t%s\t%s\t%s\t%s\n", kindOf(mg), mg.GetName(),
			mg.GetCondition("Ready").Status, mg.GetCondition("Synced").Status,
			phaseOf(mg), meta.GetExternalName(mg))
	}
	_ = tw.Flush()
	if rows.String() == t.last {
		return
	}
	if t.tty && t.lines > 0 {
		_, _ = fmt.Fprintf(t.out, "\x1b[%dA\x1b[J", t.lines)
	}
	t.last = rows.String()
	t.lines = bytes.Count(rows.Bytes(), []byte("\n"))
	if !t.tty {
		_, _ = fmt.Fprintf(t.out, "    after %s\n", time.Since(started).Round(100*time.Millisecond))
	}
	_, _ = t.out.Write(rows.Bytes())
}

// watch shows all resources until a condition holds. It returns how long that took, or an error after the time within.
func (e *env) watch(
	ctx context.Context, within time.Duration, what string, so func(resources) bool,
) (time.Duration, error) {
	t := newTable()
	started := time.Now()
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		all, err := e.resources(ctx)
		if err != nil {
			return 0, err
		}
		t.show(all, started)
		if so(all) {
			return time.Since(started), nil
		}
		if time.Since(started) > within {
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
