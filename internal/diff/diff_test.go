package diff

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	type args struct{ desired, observed sample }
	cases := map[string]struct {
		reason string
		args   args
		want   Changes
	}{
		"Equal": {
			reason: "Equal values behind different pointers are equal.",
			args:   args{desired: named("a"), observed: named("a")},
		},
		"Scalar": {
			reason: "A scalar has its old and its new value.",
			args:   args{desired: sample{Size: new(int32(2))}, observed: sample{Size: new(int32(1))}},
			want:   Changes{{Path: "size", Old: "1", New: "2"}},
		},
		"ScalarAdded": {
			reason: "An absent value is empty.",
			args:   args{desired: sample{On: new(false)}, observed: sample{}},
			want:   Changes{{Path: "on", New: "false"}},
		},
		"ScalarRemoved": {
			reason: "An absent value is empty.",
			args:   args{desired: sample{}, observed: sample{Kind: new("x")}},
			want:   Changes{{Path: "kind", Old: `"x"`}},
		},
		"EmptyIsNotAbsent": {
			reason: "An empty text was set by someone.",
			args:   args{desired: named(""), observed: sample{}},
			want:   Changes{{Path: "name", New: `""`}},
		},
		"InlinedStruct": {
			reason: "An inlined struct has no name of its own.",
			args:   args{desired: named("b"), observed: named("a")},
			want:   Changes{{Path: "name", Old: `"a"`, New: `"b"`}},
		},
		"NoTag": {
			reason: "A field without a JSON name has its name in Go.",
			args:   args{desired: sample{Plain: "b"}, observed: sample{Plain: "a"}},
			want:   Changes{{Path: "Plain", Old: `"a"`, New: `"b"`}},
		},
		"MapKeys": {
			reason: "Each key is a change, ordered by name.",
			args: args{
				desired:  sample{Tags: map[string]string{"a.b/c": "1", "kept": "k", "new": "n"}},
				observed: sample{Tags: map[string]string{"a.b/c": "0", "kept": "k", "old": "o"}},
			},
			want: Changes{{Path: "tags[a.b/c]", Old: `"0"`, New: `"1"`}, {Path: "tags[new]", New: `"n"`}, {
				Path: "tags[old]", Old: `"o"`,
			}},
		},
		"MapOfNil": {
			reason: "The keys are named, be the other map empty or nil.",
			args:   args{desired: sample{Tags: map[string]string{"a": "1", "b": "2"}}},
			want:   Changes{{Path: "tags[a]", New: `"1"`}, {Path: "tags[b]", New: `"2"`}},
		},
		"MapToNil": {
			reason: "The keys are named, be the other map empty or nil.",
			args:   args{observed: sample{Tags: map[string]string{"a": "1", "b": "2"}}},
			want:   Changes{{Path: "tags[a]", Old: `"1"`}, {Path: "tags[b]", Old: `"2"`}},
		},
		"NilAndEmpty": {
			reason: "No elements are no elements.",
			args: args{
				desired: sample{
					Tags: map[string]string{}, Layers: []string{}, Mounts: []mount{}, Network: &network{Subnets: Set{}},
					Env: environment{Variables: map[string]Secret{}},
				},
				observed: sample{Network: &network{}},
			},
		},
		"List": {
			reason: "A list is one value, in its order.",
			args:   args{desired: sample{Layers: []string{"b", "a"}}, observed: sample{Layers: []string{"a", "b"}}},
			want:   Changes{{Path: "layers", Old: `["a" "b"]`, New: `["b" "a"]`}},
		},
		"ListShorter": {
			reason: "A list is one value.",
			args:   args{desired: sample{Layers: []string{"a"}}, observed: sample{Layers: []string{"a", "b"}}},
			want:   Changes{{Path: "layers", Old: `["a" "b"]`, New: `["a"]`}},
		},
		"ListRemoved": {
			reason: "A list that leaves is removed.",
			args:   args{observed: sample{Layers: []string{"a"}}},
			want:   Changes{{Path: "layers", Old: `["a"]`}},
		},
		"SetReordered": {
			reason: "A set has no order.",
			args: args{desired: sample{Network: &network{Subnets: Set{"b", "a"}}}, observed: sample{
				Network: &network{Subnets: Set{"a", "b"}},
			}},
		},
		"SetRepeated": {
			reason: "AWS returns each element once, so a repeated one is a change.",
			args: args{desired: sample{Network: &network{Subnets: Set{"a", "b"}}}, observed: sample{
				Network: &network{Subnets: Set{"a", "a"}},
			}},
			want: Changes{{Path: "network.subnets", Old: `["a" "a"]`, New: `["a" "b"]`}},
		},
		"Set": {
			reason: "A set is one value.",
			args: args{desired: sample{Network: &network{Subnets: Set{"b", "a"}}}, observed: sample{
				Network: &network{Subnets: Set{"a"}},
			}},
			want: Changes{{Path: "network.subnets", Old: `["a"]`, New: `["b" "a"]`}},
		},
		"Nested": {
			reason: "A path leads through blocks.",
			args: args{
				desired:  sample{Network: &network{Proxy: &proxy{Host: new("p"), Port: new(int32(1))}}},
				observed: sample{Network: &network{Proxy: &proxy{Host: new("q")}}},
			},
			want: Changes{{Path: "network.proxy.host", Old: `"q"`, New: `"p"`}, {Path: "network.proxy.port", New: "1"}},
		},
		"BlockAdded": {
			reason: "A block that is absent is one change, with what is set in it.",
			args: args{
				desired: sample{Network: &network{Subnets: Set{"a"}, Mode: "m", Proxy: &proxy{Port: new(int32(1))}}},
			},
			want: Changes{{Path: "network", New: `{subnets:["a"] proxy:{port:1} mode:"m"}`}},
		},
		"BlockRemoved": {
			reason: "A block that leaves is one change.",
			args:   args{observed: sample{Network: &network{IPv6: new(true)}}},
			want:   Changes{{Path: "network", Old: `{ipv6:true}`}},
		},
		"BlockEmpty": {
			reason: "An empty block is there.",
			args:   args{desired: sample{Network: &network{}}},
			want:   Changes{{Path: "network", New: `{}`}},
		},
		"ListOfBlocks": {
			reason: "A field of an element goes by the element's index.",
			args: args{
				desired:  sample{Mounts: []mount{{Path: "a"}, {Path: "b", Read: new(true)}}},
				observed: sample{Mounts: []mount{{Path: "a"}, {Path: "b", Read: new(false)}}},
			},
			want: Changes{{Path: "mounts[1].read", Old: "false", New: "true"}},
		},
		"ListOfBlocksShorter": {
			reason: "An element that leaves is one change.",
			args: args{desired: sample{Mounts: []mount{{Path: "a"}}}, observed: sample{
				Mounts: []mount{{Path: "a"}, {Path: "b", Limits: Secrets(map[string]string{"b": "2", "a": "1"})}},
			}},
			want: Changes{{Path: "mounts[1]", Old: `{path:"b" limits:{a:(redacted) b:(redacted)}}`}},
		},
		"Atomic": {
			reason: "What is merged whole is still compared by field.",
			args:   args{desired: sample{Code: code{Source: "b"}}, observed: sample{Code: code{Source: "a"}}},
			want:   Changes{{Path: "code.source", Old: `"a"`, New: `"b"`}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Compare(tc.args.desired, tc.args.observed)); diff != "" {
				t.Errorf("\n%s\nCompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCompareShortens checks that long values are cut between characters.
func TestCompareShortens(t *testing.T) {
	for pad := range 4 {
		long := strings.Repeat("x", pad) + strings.Repeat("\u65e5", 500)
		changes := Compare(named(long), named("a"))
		got := changes[0].New
		if !strings.HasSuffix(got, "...") || len(got) > maxShown+len("...") || len(got) <= maxShown-utf8.UTFMax ||
			!utf8.ValidString(got) {
			t.Errorf("%d: the value is shown as %q", pad, got)
		}
	}
	if got := Compare(named(strings.Repeat("x", maxShown-2)), named(""))[0].New; strings.HasSuffix(got, "...") {
		t.Errorf("a value that fits is cut: %q", got)
	}
	if got := Compare(named("\xff\n"), named(""))[0].New; got != `"\xff\n"` {
		t.Errorf("what can't be printed is shown as %q", got)
	}
}

func TestChangesString(t *testing.T) {
	many := Changes{}
	for i := range 10 {
		many = append(many, Change{Path: fmt.Sprintf("f%d", i), Old: "1", New: "2"})
	}
	cases := map[string]struct {
		reason  string
		changes Changes
		want    string
	}{
		"None": {reason: "Nothing is nothing.", want: ""},
		"Changed": {
			reason: "A change leads from old to new.", changes: Changes{{Path: "a", Old: "1", New: "2"}},
			want: "a: 1 -> 2",
		},
		"Added": {
			reason: "A value without an old one is reported as added.", changes: Changes{{Path: "a", New: "2"}},
			want: "a: added 2",
		},
		"Removed": {
			reason: "What was there is of no interest.", changes: Changes{{Path: "a", Old: "1"}}, want: "a: removed",
		},
		"SameText": {
			reason:  "Equal texts are left out, because they are redacted or cut.",
			changes: Changes{{Path: "a", Old: "x", New: "x"}}, want: "a",
		},
		"Two": {
			reason: "Changes are listed.", changes: Changes{{Path: "a", New: "2"}, {Path: "b", Old: "1"}},
			want: "a: added 2, b: removed",
		},
		"EightFit": {
			reason: "Eight are named.", changes: many[:8],
			want: "f0: 1 -> 2, f1: 1 -> 2, f2: 1 -> 2, f3: 1 -> 2, f4: 1 -> 2, f5: 1 -> 2, f6: 1 -> 2, f7: 1 -> 2",
		},
		"MoreCount": {reason: "The rest is counted.", changes: many, want: many[:8].String() + " and 2 more"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.changes.String()); diff != "" {
				t.Errorf("\n%s\nString(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestChangesNames(t *testing.T) {
	changes := Changes{{Path: "f", New: "secret"}, {Path: "b"}, {Path: "a"}, {Path: "c"}, {Path: "d"}, {Path: "e"}}
	if got, want := changes.Names(), "a, b, c, d, e and 1 more"; got != want {
		t.Errorf("Names(): %q, want %q", got, want)
	}
	if got, want := changes[:2].Names(), "b, f"; got != want {
		t.Errorf("Names(): %q, want %q", got, want)
	}
}

func TestChangesIn(t *testing.T) {
	changes := Changes{
		{Path: "environment.variables[A]"}, {Path: "environmental"}, {Path: "layers"}, {Path: "tags[environment]"},
	}
	cases := map[string]struct {
		reason string
		paths  []string
		want   Changes
	}{
		"None":  {reason: "No path has no changes.", want: nil},
		"Exact": {reason: "A path matches itself.", paths: []string{"layers"}, want: changes[2:3]},
		"Below": {
			reason: "Fields and keys are below, names that merely begin alike aren't.", paths: []string{"environment"},
			want: changes[0:1],
		},
		"Key": {reason: "A key is below its map.", paths: []string{"environment.variables"}, want: changes[0:1]},
		"Above": {
			reason: "A map is not below its key.", paths: []string{"layers[0]", "environment.variables[A].x"},
			want: nil,
		},
		"Several": {
			reason: "Any of the paths will do, and a change is listed once.",
			paths:  []string{"tags", "layers", "tags[environment]"}, want: changes[2:4],
		},
		"AnyEmpty": {reason: "The empty path matches nothing.", paths: []string{""}, want: nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := changes.In(tc.paths...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nIn(): -want, +got:\n%s", tc.reason, diff)
			}
			if changes.Any(tc.paths...) != (len(tc.want) > 0) {
				t.Errorf("\n%s\nAny() and In() disagree", tc.reason)
			}
		})
	}
}
