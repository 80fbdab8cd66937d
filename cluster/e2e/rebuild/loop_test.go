package rebuild

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fake records the steps in their order.
type fake struct {
	done     []string
	generate func() error
	install  func() error
	run      func() (bool, error)
}

func (f *fake) Generate(context.Context) error {
	f.done = append(f.done, "generate")
	return f.generate()
}

func (f *fake) Install(context.Context) error {
	f.done = append(f.done, "install")
	return f.install()
}

func (f *fake) Run(context.Context) (bool, error) {
	f.done = append(f.done, "run")
	return f.run()
}

// loopEnv is a loop over sources that a test edits.
type loopEnv struct {
	*fake

	loop   *Loop
	files  Snapshot
	output bytes.Buffer
}

func newLoopEnv() *loopEnv {
	nothing := func() error { return nil }
	b := &loopEnv{
		fake:  &fake{generate: nothing, install: nothing, run: func() (bool, error) { return true, nil }},
		files: Snapshot{},
	}
	now := time.Unix(0, 0)
	b.loop = &Loop{Steps: b.fake, Out: &b.output, Now: func() time.Time { now = now.Add(time.Second); return now }}
	b.loop.Start(Snapshot{})
	return b
}

// edit changes a file to a content that it never had.
func (b *loopEnv) edit(name string) {
	c := b.files[name]
	c.sum[0]++
	b.files[name] = c
}

// poll polls some times, and returns the steps and the output.
func (b *loopEnv) poll(t *testing.T, times int) (done []string, output string) {
	t.Helper()
	b.done = nil
	b.output.Reset()
	for range times {
		b.loop.Poll(t.Context(), maps.Clone(b.files))
	}
	return b.done, b.output.String()
}

const (
	code       = "internal/diff/diff.go"
	types      = "apis/v1beta1/function_types.go"
	definition = "package/crds/functions.yaml"
)

func TestLoop(t *testing.T) {
	cases := map[string]struct {
		reason string
		edits  []string
		polls  int
		fix    func(b *loopEnv)
		want   []string
		output string
	}{
		"Nothing":  {reason: "Nothing has changed.", polls: 5},
		"Unstable": {reason: "The file may be half written.", edits: []string{code}, polls: 1},
		"Code": {
			reason: "A change is built once.", edits: []string{code}, polls: 5, want: []string{"run"},
			output: "the provider runs with that, 1s after",
		},
		"Definition": {
			reason: "The package brings it.", edits: []string{definition}, polls: 5,
			want: []string{"install"}, output: "as the new package has it",
		},
		"Both": {
			reason: "The package brings the program, too.", edits: []string{code, definition}, polls: 5,
			want: []string{"install"},
		},
		"SameProgram": {
			reason: "What was changed is in no program.", edits: []string{code}, polls: 5, want: []string{"run"},
			output: "nothing of that is in the program",
			fix:    func(b *loopEnv) { b.run = func() (bool, error) { return false, nil } },
		},
		"Types": {
			reason: "What was generated is installed.", edits: []string{types}, polls: 5,
			want: []string{"generate", "install"},
			fix:  func(b *loopEnv) { b.generate = func() error { b.edit(definition); return nil } },
		},
		"TypesWithoutDefinitions": {
			reason: "No definition has changed.", edits: []string{types}, polls: 5,
			want: []string{"generate", "run"},
		},
		"TypesThatCannotBeRead": {
			reason: "Nothing is built of them.", edits: []string{types}, polls: 5, want: []string{"generate"},
			output: "    types.go:1\n    wrong",
			fix:    func(b *loopEnv) { b.generate = func() error { return errors.New("types.go:1\nwrong") } },
		},
		"Broken": {
			reason: "The loop does not build again until a file changes.", edits: []string{code}, polls: 5,
			want: []string{"run"}, output: "does not compile",
			fix: func(b *loopEnv) { b.run = func() (bool, error) { return false, errors.New("does not compile") } },
		},
		"Double": {
			reason: "The double runs in this program, which has to be restarted.",
			edits:  []string{"internal/test/awsdouble/server.go"}, polls: 5,
			output: "until you start all of this again",
		},
		"DoubleAndCode": {
			reason: "The rest is built.", edits: []string{"internal/test/awsdouble/server.go", code},
			polls: 5, want: []string{"run"}, output: "internal/test/awsdouble/server.go has changed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newLoopEnv()
			if tc.fix != nil {
				tc.fix(b)
			}
			for _, file := range tc.edits {
				b.edit(file)
			}
			done, output := b.poll(t, tc.polls)
			if diff := cmp.Diff(tc.want, done); diff != "" {
				t.Errorf("%s Steps: -want, +got:\n%s", tc.reason, diff)
			}
			if !strings.Contains(output, tc.output) || tc.output == "" && tc.want == nil && output != "" {
				t.Errorf("%s It said %q, want %q in it", tc.reason, output, tc.output)
			}
		})
	}
}

// TestLoopRecovers fails to install a package with broken code, which is then fixed.
func TestLoopRecovers(t *testing.T) {
	b := newLoopEnv()
	b.install = func() error { return errors.New("does not compile") }
	b.edit(definition)
	b.poll(t, 3)

	b.install = func() error { return nil }
	b.edit(code)
	done, output := b.poll(t, 3)
	if diff := cmp.Diff([]string{"install"}, done); diff != "" {
		t.Errorf("the definition that was not installed was forgotten: -want, +got:\n%s", diff)
	}
	if !strings.Contains(output, "1s after") {
		t.Errorf("the time was counted from a change that could not be built: %s", output)
	}
}

// TestLoopEnds cancels a step.
func TestLoopEnds(t *testing.T) {
	b := newLoopEnv()
	ctx, cancel := context.WithCancel(t.Context())
	b.run = func() (bool, error) { cancel(); return false, ctx.Err() }
	b.edit(code)
	for range 2 {
		b.loop.Poll(ctx, maps.Clone(b.files))
	}
	if output := b.output.String(); strings.Contains(output, "canceled") {
		t.Errorf("the end of a step that nobody waits for was told: %s", output)
	}
}
