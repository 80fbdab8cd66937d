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

// bench is a loop over sources that a test edits.
type bench struct {
	*fake

	loop  *Loop
	files Snapshot
	said  bytes.Buffer
}

func newBench() *bench {
	nothing := func() error { return nil }
	b := &bench{fake: &fake{generate: nothing, install: nothing, run: func() (bool, error) { return true, nil }}, files: Snapshot{}}
	now := time.Unix(0, 0)
	b.loop = &Loop{Steps: b.fake, Out: &b.said, Now: func() time.Time { now = now.Add(time.Second); return now }}
	b.loop.Start(Snapshot{})
	return b
}

// edit changes a file to a content that it never had.
func (b *bench) edit(name string) {
	c := b.files[name]
	c.sum[0]++
	b.files[name] = c
}

// look polls some times, and returns the steps and the output.
func (b *bench) look(t *testing.T, times int) (done []string, said string) {
	t.Helper()
	b.done = nil
	b.said.Reset()
	for range times {
		b.loop.Look(t.Context(), maps.Clone(b.files))
	}
	return b.done, b.said.String()
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
		looks  int
		mend   func(b *bench)
		want   []string
		said   string
	}{
		"Nothing":    {reason: "Nothing has changed.", looks: 5},
		"Unsettled":  {reason: "The file may be half written.", edits: []string{code}, looks: 1},
		"Code":       {reason: "A change is built once.", edits: []string{code}, looks: 5, want: []string{"run"}, said: "the provider runs with that, 1s after"},
		"Definition": {reason: "The package brings it.", edits: []string{definition}, looks: 5, want: []string{"install"}, said: "as the new package has it"},
		"Both":       {reason: "The package brings the program, too.", edits: []string{code, definition}, looks: 5, want: []string{"install"}},
		"SameProgram": {
			reason: "What was changed is in no program.", edits: []string{code}, looks: 5, want: []string{"run"}, said: "nothing of that is in the program",
			mend: func(b *bench) { b.run = func() (bool, error) { return false, nil } },
		},
		"Types": {
			reason: "What was generated is installed.", edits: []string{types}, looks: 5, want: []string{"generate", "install"},
			mend: func(b *bench) { b.generate = func() error { b.edit(definition); return nil } },
		},
		"TypesWithoutDefinitions": {reason: "No definition has changed.", edits: []string{types}, looks: 5, want: []string{"generate", "run"}},
		"TypesThatCannotBeRead": {
			reason: "Nothing is built of them.", edits: []string{types}, looks: 5, want: []string{"generate"}, said: "    types.go:1\n    wrong",
			mend: func(b *bench) { b.generate = func() error { return errors.New("types.go:1\nwrong") } },
		},
		"Broken": {
			reason: "It stays broken until something changes.", edits: []string{code}, looks: 5, want: []string{"run"}, said: "does not compile",
			mend: func(b *bench) { b.run = func() (bool, error) { return false, errors.New("does not compile") } },
		},
		"Double":        {reason: "It runs in this program.", edits: []string{"internal/test/awsdouble/server.go"}, looks: 5, said: "until you start all of this again"},
		"DoubleAndCode": {reason: "The rest is built.", edits: []string{"internal/test/awsdouble/server.go", code}, looks: 5, want: []string{"run"}, said: "internal/test/awsdouble/server.go has changed"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			if tc.mend != nil {
				tc.mend(b)
			}
			for _, file := range tc.edits {
				b.edit(file)
			}
			done, said := b.look(t, tc.looks)
			if diff := cmp.Diff(tc.want, done); diff != "" {
				t.Errorf("%s Steps: -want, +got:\n%s", tc.reason, diff)
			}
			if !strings.Contains(said, tc.said) || tc.said == "" && tc.want == nil && said != "" {
				t.Errorf("%s It said %q, want %q in it", tc.reason, said, tc.said)
			}
		})
	}
}

// TestLoopMends fails to install a package with broken code, which is then fixed.
func TestLoopMends(t *testing.T) {
	b := newBench()
	b.install = func() error { return errors.New("does not compile") }
	b.edit(definition)
	b.look(t, 3)

	b.install = func() error { return nil }
	b.edit(code)
	done, said := b.look(t, 3)
	if diff := cmp.Diff([]string{"install"}, done); diff != "" {
		t.Errorf("the definition that was not installed was forgotten: -want, +got:\n%s", diff)
	}
	if !strings.Contains(said, "1s after") {
		t.Errorf("the time was counted from a change that could not be built: %s", said)
	}
}

// TestLoopEnds cancels a step.
func TestLoopEnds(t *testing.T) {
	b := newBench()
	ctx, cancel := context.WithCancel(t.Context())
	b.run = func() (bool, error) { cancel(); return false, ctx.Err() }
	b.edit(code)
	for range 2 {
		b.loop.Look(ctx, maps.Clone(b.files))
	}
	if said := b.said.String(); strings.Contains(said, "canceled") {
		t.Errorf("the end of a step that nobody waits for was told: %s", said)
	}
}
