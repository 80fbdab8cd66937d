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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// refresh is how often the table looks at the cluster.
const refresh = 200 * time.Millisecond

// A table shows Functions as kubectl does. On a terminal it updates in place,
// elsewhere it prints a new table whenever a row has changed.
type table struct {
	out   io.Writer
	tty   bool
	last  string
	lines int
}

func newTable() *table {
	return &table{out: os.Stdout, tty: term.IsTerminal(int(os.Stdout.Fd()))}
}

func (t *table) show(fs []v1beta1.Function, started time.Time) {
	var rows bytes.Buffer
	tw := tabwriter.NewWriter(&rows, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(tw, "    NAME\tREADY\tSYNCED\tSTATE\tMEMORY\tEXTERNAL-NAME")
	for i := range fs {
		f := &fs[i]
		_, _ = fmt.Fprintf(tw, "    %s\t%s\t%s\t%s\t%s\t%s\n", f.GetName(), f.GetCondition("Ready").Status, f.GetCondition("Synced").Status,
			f.GetCondition("Ready").Reason, memoryOf(f), f.GetAnnotations()["crossplane.io/external-name"])
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

func memoryOf(f *v1beta1.Function) string {
	if f.Status.AtProvider.MemorySize == nil {
		return ""
	}
	return fmt.Sprintf("%d MB", *f.Status.AtProvider.MemorySize)
}

// watch shows the Functions until something is so, or the time is up.
func (w *world) watch(ctx context.Context, within time.Duration, what string, so func([]v1beta1.Function) bool) (time.Duration, error) {
	t := newTable()
	started := time.Now()
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		list := &v1beta1.FunctionList{}
		if err := w.kube.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return 0, fmt.Errorf("cannot list Functions: %w", err)
		}
		t.show(list.Items, started)
		if so(list.Items) {
			return time.Since(started), nil
		}
		if time.Since(started) > within {
			return 0, fmt.Errorf("gave up after %s waiting until %s", within, what)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case err := <-w.failed:
			return 0, fmt.Errorf("the provider ended: %w", err)
		case <-tick.C:
		}
	}
}
