package diff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	cases := map[string]struct {
		reason     string
		base, init sample
		want       sample
		left       Left
	}{
		"Nothing": {
			reason: "Without init, nothing is left alone.",
			base:   named("a"),
			want:   named("a"),
		},
		"Scalar": {
			reason: "What base lacks is init's, and left alone.",
			base:   named("a"),
			init:   sample{Size: new(int32(1)), Kind: new("x"), Plain: "p"},
			want:   sample{Common: Common{Name: new("a")}, Size: new(int32(1)), Kind: new("x"), Plain: "p"},
			left:   Left{"size", "kind", "Plain"},
		},
		"BaseWins": {
			reason: "Values of base are kept.",
			base:   named(""),
			init:   named("b"),
			want:   named(""),
		},
		"MapKeys": {
			reason: "Maps merge by key.",
			base:   sample{Tags: map[string]string{"a": "base"}},
			init: sample{Tags: map[string]string{"a": "init", "b": "init"}, Env: environment{
				Variables: Secrets(map[string]string{"T": "1"}),
			}},
			want: sample{Tags: map[string]string{"a": "base", "b": "init"}, Env: environment{
				Variables: Secrets(map[string]string{"T": "1"}),
			}},
			left: Left{"environment.variables[T]", "tags[b]"},
		},
		"List": {
			reason: "A list is merged as a whole.",
			base:   sample{Layers: []string{"a"}},
			init:   sample{Layers: []string{"b"}, Mounts: []mount{{Path: "m"}}},
			want:   sample{Layers: []string{"a"}, Mounts: []mount{{Path: "m"}}},
			left:   Left{"mounts"},
		},
		"EmptyList": {
			reason: "An empty list is a value.",
			base:   sample{Layers: []string{}},
			init:   sample{Layers: []string{"b"}},
			want:   sample{Layers: []string{}},
		},
		"Block": {
			reason: "A block that base lacks is init's, all of it.",
			init:   sample{Network: &network{Mode: "m"}},
			want:   sample{Network: &network{Mode: "m"}},
			left:   Left{"network"},
		},
		"BlockOfBoth": {
			reason: "Blocks merge by field, at any depth.",
			base:   sample{Network: &network{Mode: "m", Proxy: &proxy{Host: new("h")}}},
			init: sample{
				Network: &network{Mode: "n", Subnets: Set{"a"}, Proxy: &proxy{Host: new("i"), Port: new(int32(1))}},
			},
			want: sample{
				Network: &network{Mode: "m", Subnets: Set{"a"}, Proxy: &proxy{Host: new("h"), Port: new(int32(1))}},
			},
			left: Left{"network.subnets", "network.proxy.port"},
		},
		"Atomic": {
			reason: "An atomic struct comes from init if base has none of its fields.",
			init:   sample{Code: code{Source: "i", Key: new("k")}},
			want:   sample{Code: code{Source: "i", Key: new("k")}},
			left:   Left{"code"},
		},
		"AtomicOfBoth": {
			reason: "Base's source never goes with init's key.",
			base:   sample{Code: code{Source: "b"}},
			init:   sample{Code: code{Source: "i", Key: new("k")}},
			want:   sample{Code: code{Source: "b"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, left := Merge(tc.base, tc.init)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nMerge(): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.left, left); diff != "" {
				t.Errorf("\n%s\nMerge(): left alone: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFill(t *testing.T) {
	observed := sample{
		Common: Common{Name: new("aws")}, Size: new(int32(8)), Kind: new("k"), Plain: "aws",
		Env:    environment{Variables: Secrets(map[string]string{"A": "aws", "B": "aws"})},
		Tags:   map[string]string{"a": "aws", "b": "aws"},
		Layers: []string{"aws"}, Mounts: []mount{{Path: "aws"}},
		Network: &network{Subnets: Set{"aws"}, IPv6: new(true), Mode: "aws", Proxy: &proxy{Port: new(int32(8))}},
		Code:    code{Source: "aws", Key: new("aws")},
	}
	cases := map[string]struct {
		reason            string
		desired, observed sample
		left              Left
		want              sample
	}{
		"Nothing": {
			reason:   "Scalars are left to AWS; lists, maps and blocks are not wanted.",
			observed: observed,
			want: sample{
				Common: Common{Name: new("aws")}, Size: new(int32(8)), Kind: new("k"),
				Env: environment{Variables: map[string]Secret{}}, Tags: map[string]string{},
				Code: code{Key: new("aws")},
			},
		},
		"Wanted": {
			reason:   "What is wanted stays.",
			desired:  sample{Size: new(int32(1)), Layers: []string{"mine"}, Tags: map[string]string{"a": "mine"}},
			observed: observed,
			want: sample{
				Common: Common{Name: new("aws")}, Size: new(int32(1)), Kind: new("k"),
				Env: environment{Variables: map[string]Secret{}}, Tags: map[string]string{"a": "mine"},
				Layers: []string{"mine"}, Code: code{Key: new("aws")},
			},
		},
		"ScalarsOfBlocks": {
			reason:   "Scalars of a block that is wanted are left to AWS, too.",
			desired:  sample{Network: &network{Mode: "mine", Proxy: &proxy{Host: new("mine")}}},
			observed: sample{Network: observed.Network},
			want: sample{
				Env: environment{Variables: map[string]Secret{}}, Tags: map[string]string{},
				Network: &network{Mode: "mine", IPv6: new(true), Proxy: &proxy{Host: new("mine"), Port: new(int32(8))}},
			},
		},
		"Left": {
			reason: "What is left alone is as it is in AWS.",
			desired: sample{
				Plain: "init", Layers: []string{"init"}, Mounts: []mount{{Path: "init"}},
				Tags:    map[string]string{"a": "init", "c": "init"},
				Network: &network{Subnets: Set{"init"}}, Code: code{Source: "init"},
			},
			left:     Left{"Plain", "layers", "mounts", "tags[a]", "tags[c]", "network", "code"},
			observed: observed,
			want: sample{
				Common: Common{Name: new("aws")}, Size: new(int32(8)), Kind: new("k"), Plain: "aws",
				Env:  environment{Variables: map[string]Secret{}},
				Tags: map[string]string{"a": "aws"}, Layers: []string{"aws"}, Mounts: []mount{{Path: "aws"}},
				Network: observed.Network, Code: observed.Code,
			},
		},
		"LeftThatAWSLacks": {
			reason: "What is left alone may be removed by whoever has it.",
			desired: sample{
				Layers: []string{"init"}, Tags: map[string]string{"a": "init", "b": "mine"},
				Network: &network{Mode: "init"},
			},
			left: Left{"layers", "tags[a]", "network"},
			want: sample{Env: environment{Variables: map[string]Secret{}}, Tags: map[string]string{"b": "mine"}},
		},
		"LeftOfABlockThatAWSLacks": {
			reason:  "Nobody has set a block that is to be made anew, and AWS may need all of it.",
			desired: sample{Network: &network{Mode: "mine", Subnets: Set{"init"}, IPv6: new(true)}},
			left:    Left{"network.subnets", "network.ipv6"},
			want: sample{
				Env: environment{Variables: map[string]Secret{}}, Tags: map[string]string{},
				Network: &network{Mode: "mine", Subnets: Set{"init"}, IPv6: new(true)},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Fill(tc.desired, tc.observed, tc.left)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFill(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestLeftCovers(t *testing.T) {
	l := Left{"layers", "tags[a]", "network.proxy"}
	for path, want := range map[string]bool{
		"layers": true, "layers[0]": true, "layersOther": false, "tags": false, "tags[a]": true, "tags[ab]": false,
		"network": false, "network.proxy": true, "network.proxy.host": true, "network.proxyHost": false, "": false,
	} {
		if got := l.Covers(path); got != want {
			t.Errorf("Covers(%q) = %t, want %t", path, got, want)
		}
	}
}
