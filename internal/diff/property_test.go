package diff

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProperties checks what holds for any desired, initial and observed sample.
func TestProperties(t *testing.T) {
	for seed := range uint64(1000) {
		base, init, observed := samples(seed)

		desired, left := Merge(base, init)
		target := Fill(desired, observed, left)
		changes := Compare(target, observed)

		b, i, o := samples(seed)
		if diff := cmp.Diff([]sample{b, i, o}, []sample{base, init, observed}); diff != "" {
			t.Fatalf("seed %d: arguments were changed: -before, +after:\n%s", seed, diff)
		}
		for _, c := range changes {
			if left.Covers(c.Path) {
				t.Errorf("seed %d: %s is left alone by %v", seed, c, left)
			}
			if c.Path == "" {
				t.Errorf("seed %d: a change has no path: %v", seed, c)
			}
		}
		for i := 1; i < len(changes); i++ {
			if changes[i-1].Path > changes[i].Path {
				t.Errorf("seed %d: %s comes after %s", seed, changes[i].Path, changes[i-1].Path)
			}
		}
		if scalar := changes.In("name", "size", "on", "kind"); len(scalar) > 0 && base.Common.Name == nil &&
			base.Size == nil && base.On == nil && base.Kind == nil {
			t.Errorf("seed %d: nothing was said of %s", seed, scalar)
		}
		if again := Compare(target, target); len(again) > 0 {
			t.Errorf("seed %d: a sample differs from itself: %s", seed, again)
		}
		if again := Fill(target, observed, left); len(Compare(again, target)) > 0 {
			t.Errorf("seed %d: filled twice, it differs: %s", seed, Compare(again, target))
		}
		if back := Compare(observed, target); (len(back) == 0) != (len(changes) == 0) {
			t.Errorf("seed %d: there: %s; back: %s", seed, changes, back)
		}
		// Once AWS has the target, nothing is left to do.
		if rest := Compare(Fill(desired, target, left), target); len(rest) > 0 {
			t.Errorf("seed %d: it does not converge: %s", seed, rest)
		}
		if !cmp.Equal(Compare(Fill(base, base, nil), base), Changes(nil)) {
			t.Errorf("seed %d: what is there already differs: %s", seed, Compare(Fill(base, base, nil), base))
		}
	}
}

// samples returns those of a seed: the same each time, and sharing nothing.
func samples(seed uint64) (base, init, observed sample) {
	r := random{rand.New(rand.NewPCG(seed, 1))}
	return r.sample(), r.sample(), r.sample()
}

// random makes samples of few values, so that any two have much in common.
type random struct{ *rand.Rand }

func (r random) sample() sample {
	x := sample{
		Common: Common{Name: maybe(r, r.text)},
		Size:   maybe(r, r.number),
		On:     maybe(r, r.bool),
		Kind:   maybe(r, r.text),
		Env:    environment{Variables: Secrets(r.texts())},
		Tags:   r.texts(),
		Layers: r.list(),
	}
	if r.bool() {
		x.Network = &network{Subnets: r.list(), IPv6: maybe(r, r.bool), Zone: maybe(r, r.text), Mode: r.text()}
		if r.bool() {
			x.Network.Proxy = &proxy{Host: maybe(r, r.text), Port: maybe(r, r.number), Key: maybe(
				r, func() Secret { return NewSecret(r.text()) },
			)}
		}
	}
	for range r.IntN(3) {
		x.Mounts = append(x.Mounts, mount{Path: r.text(), Read: maybe(r, r.bool)})
	}
	if r.bool() {
		x.Code = code{Source: r.text(), Key: maybe(r, r.text)}
	}
	return x
}

func maybe[T any](r random, of func() T) *T {
	if r.bool() {
		return nil
	}
	return new(of())
}

func (r random) bool() bool    { return r.IntN(2) == 0 }
func (r random) text() string  { return string(rune('a' + r.IntN(3))) }
func (r random) number() int32 { return r.Int32N(3) }

// list returns a list that is nil, empty or has elements.
func (r random) list() []string {
	if r.bool() {
		return nil
	}
	l := []string{}
	for range r.IntN(3) {
		l = append(l, r.text())
	}
	return l
}

// texts returns a map that is nil, empty or has entries.
func (r random) texts() map[string]string {
	if r.bool() {
		return nil
	}
	m := map[string]string{}
	for range r.IntN(4) {
		m[r.text()] = r.text()
	}
	return m
}
