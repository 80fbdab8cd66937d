package diff

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// choices are random numbers from the bytes of a fuzzer, and after those from a generator.
type choices struct {
	rest []byte
	then *rand.PCG
}

func (c *choices) Uint64() uint64 {
	if len(c.rest) == 0 {
		return c.then.Uint64()
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return uint64(b) * 0x0101010101010101
}

// FuzzCompare checks that each field that differs is named, and no other one, and that no secret is
// shown.
func FuzzCompare(f *testing.F) {
	f.Add([]byte(nil), "")
	f.Add([]byte("\x01\x80\x40\x20\xff\x03\x07\x81\x93\xa7"), "\xff\xfe")
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"), strings.Repeat("ü", 200))
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		r := random{rand.New(&choices{rest: b, then: rand.NewPCG(1, 2)})} //nolint:gosec // The same each time.
		base, init, observed := secretive(r.sample(), text), secretive(r.sample(), text), secretive(r.sample(), text)
		before := shown(t, base, init, observed)
		desired, left := Merge(base, init)
		target := Fill(desired, observed, left)
		changes := Compare(target, observed)
		if after := shown(t, base, init, observed); after != before {
			t.Errorf("arguments were changed: %s, then %s", before, after)
		}
		for i := range reflect.TypeFor[sample]().NumField() {
			one, path := observed, jsonName(reflect.TypeFor[sample]().Field(i))
			reflect.ValueOf(&one).Elem().Field(i).Set(reflect.ValueOf(target).Field(i))
			if path == "" {
				path = "name"
			}
			alone := Compare(one, observed)
			if fmt.Sprint(alone) != fmt.Sprint(changes.In(path)) {
				t.Errorf("%s: %v, and alone %v", path, changes.In(path), alone)
			}
			if len(alone.But(path)) > 0 {
				t.Errorf("%s: others differ: %v", path, alone)
			}
		}
		if again := Compare(target, target); len(again) > 0 {
			t.Errorf("a sample differs from itself: %s", again)
		}
		if rest := Compare(Fill(desired, target, left), target); len(rest) > 0 {
			t.Errorf("it does not converge: %s", rest)
		}
		if message := changes.String() + changes.Names(); strings.Contains(message, hidden) || utf8.ValidString(text) &&
			!utf8.ValidString(message) {
			t.Errorf("it tells %q", message)
		}
	})
}

// secretive returns a sample with a text in it, and with secret values.
func secretive(x sample, text string) sample {
	for k, v := range x.Env.Variables {
		x.Env.Variables[k] = NewSecret(hidden + v.Reveal())
	}
	if x.Network != nil && x.Network.Proxy != nil && x.Network.Proxy.Key != nil {
		x.Network.Proxy.Key = new(NewSecret(hidden + x.Network.Proxy.Key.Reveal()))
	}
	if x.Kind != nil {
		x.Kind = new(*x.Kind + text)
	}
	if x.Tags["a"] == "b" {
		x.Tags[text] = text
	}
	return x
}

// shown returns samples as text, with the lengths of secret values.
func shown(t *testing.T, samples ...sample) string {
	t.Helper()
	b, err := json.Marshal(samples)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
