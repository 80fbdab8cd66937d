// Package rebuild keeps the provider on a platform up to date with a working tree: it polls the sources, and builds
// what has changed.
package rebuild

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// PollInterval is the time between two polls of the sources.
const PollInterval = 250 * time.Millisecond

// Steps are the steps of a loop.
type Steps interface {
	// Generate generates code and definitions from the API types.
	Generate(ctx context.Context) error

	// Install builds the package, and updates the platform to it.
	Install(ctx context.Context) error

	// Run builds the provider's program and replaces the running one. It returns false if that is the same program.
	Run(ctx context.Context) (changed bool, err error)
}

// A Loop runs the steps that changes of the sources require. A step that fails is repeated after the next change.
type Loop struct {
	Steps Steps

	// Out receives messages about changes and results.
	Out io.Writer

	// Now is the clock for the durations in Out.
	Now func() time.Time

	built  Snapshot // whose changes are done or due
	last   Snapshot
	due    due
	failed bool
	began  time.Time
}

// Start sets the sources from which the running provider was built.
func (l *Loop) Start(now Snapshot) { l.built, l.last = now, now }

// Last returns the last snapshot.
func (l *Loop) Last() Snapshot { return l.last }

// Poll runs the first step that is due; the others, and those for files that a step wrote, run at the next calls.
// Changed sources are left alone until they are the same in two successive calls.
func (l *Loop) Poll(ctx context.Context, now Snapshot) {
	stable := len(l.last.Changed(now)) == 0
	l.last = now
	if !stable {
		return
	}
	if changed := l.built.Changed(now); len(changed) > 0 {
		l.notice(changed)
		l.built = now
	}
	if l.failed || l.due == (due{}) {
		return
	}
	l.sayf("    %s", l.due.first())
	if err := l.step(ctx); err != nil && ctx.Err() == nil {
		l.failed = true
		l.sayf("    %s", strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n    "))
	}
}

func (l *Loop) notice(changed []string) {
	mine, rest := split(changed)
	if len(mine) > 0 {
		l.sayf("\n==> %s: that is of what runs beside the provider, and waits until you start all of this again",
			names(mine))
	}
	if len(rest) == 0 {
		return
	}
	if l.failed || l.due == (due{}) {
		l.began = l.Now()
	}
	l.failed, l.due = false, l.due.of(rest)
	l.sayf("\n==> %s", names(rest))
}

func (l *Loop) step(ctx context.Context) error {
	if l.due.generate {
		if err := l.Steps.Generate(ctx); err != nil {
			return err
		}
		l.due.generate = false
		return nil
	}
	if l.due.install {
		if err := l.Steps.Install(ctx); err != nil {
			return err
		}
		l.done("the provider runs as the new package has it")
		return nil
	}
	changed, err := l.Steps.Run(ctx)
	if err != nil {
		return err
	}
	if !changed {
		l.done("nothing of that is in the program: the provider goes on")
		return nil
	}
	l.done("the provider runs with that")
	return nil
}

func (l *Loop) done(what string) {
	l.due = due{}
	l.sayf("    %s, %s after the change was seen", what, l.Now().Sub(l.began).Round(100*time.Millisecond))
}

func (l *Loop) sayf(format string, args ...any) { _, _ = fmt.Fprintf(l.Out, format+"\n", args...) }

const (
	// definitions and metadata are the parts of the package besides the provider, by their paths in the repository.
	definitions = "package/crds"
	metadata    = "crossplane.yaml"
)

// A due is the work that a change calls for.
type due struct {
	generate bool // code and definitions of the API types
	install  bool // the package
	program  bool // the provider's program, which the package holds too
}

// of returns what has to be done after files have changed.
func (d due) of(changed []string) due {
	for _, name := range changed {
		switch {
		case !strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "go."):
			d.install = true
		case strings.HasPrefix(name, "apis/") && !strings.HasPrefix(path.Base(name), "zz_generated."):
			d.generate, d.program = true, true
		default:
			d.program = true
		}
	}
	return d
}

// first describes the first step.
func (d due) first() string {
	switch {
	case d.generate:
		return "generating code and definitions of the API types, which takes a while"
	case d.install:
		return "building the package, and moving the provider to it"
	}
	return "building the provider"
}

// own are folders of code that also runs in the program that rebuilds the provider.
var own = []string{
	"internal/test/awsdouble/", "internal/test/devcluster/", "internal/test/manifests/", "internal/test/process/",
	"internal/test/registry/",
}

// split splits files into those of the rebuilding program, and those of the provider.
func split(files []string) (mine, rest []string) {
	for _, name := range files {
		if slices.ContainsFunc(own, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			mine = append(mine, name)
		} else {
			rest = append(rest, name)
		}
	}
	return mine, rest
}

// names returns the names of files, as a sentence lists them.
func names(files []string) string {
	const few = 3
	if len(files) == 1 {
		return files[0] + " has changed"
	}
	if len(files) <= few {
		return strings.Join(files, ", ") + " have changed"
	}
	return fmt.Sprintf("%d files have changed, %s among them", len(files), files[0])
}
