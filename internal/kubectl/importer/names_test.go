package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestAssignNames(t *testing.T) {
	long := strings.Repeat("Long_", 12) + "name" // AWS's limit is 64.
	cases := map[string]struct {
		reason string
		args   []string
		want   map[string]string
	}{
		"Valid": {
			reason: "A valid name stays.",
			args:   []string{"checkout"},
			want:   map[string]string{"checkout": "checkout"},
		},
		"Invalid": {
			reason: "What an object cannot have is replaced.",
			args:   []string{"Shop_API"},
			want:   map[string]string{"Shop_API": "shop-api"},
		},
		"Edges": {
			reason: "A name begins and ends with a letter or a digit.",
			args:   []string{"_a_"},
			want:   map[string]string{"_a_": "a"},
		},
		"Nothing": {
			reason: "A name of which nothing is left has one of its own.",
			args:   []string{"__"},
			want:   map[string]string{"__": "unnamed-" + suffixOf("__")},
		},
		"Collision": {
			reason: "The one that has the name keeps it.",
			args:   []string{"shop-api", "shop_api"},
			want:   map[string]string{"shop-api": "shop-api", "shop_api": "shop-api-" + suffixOf("shop_api")},
		},
		"Both": {
			reason: "If none has it, all get a suffix, whatever their order.",
			args:   []string{"Shop_api", "shop_api"},
			want: map[string]string{
				"Shop_api": "shop-api-" + suffixOf("Shop_api"),
				"shop_api": "shop-api-" + suffixOf("shop_api"),
			},
		},
		"Long": {
			reason: "The longest name of AWS fits.",
			args:   []string{long},
			want:   map[string]string{long: strings.ReplaceAll(strings.ToLower(long), "_", "-")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var all []entry
			for _, n := range tc.args {
				all = append(all, entry{kind: v1beta1.FunctionKind, id: n, parts: []string{n}})
			}
			got := map[string]string{}
			for id, n := range assignNames(all) {
				got[strings.TrimPrefix(id, v1beta1.FunctionKind+"/")] = n
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSelector(t *testing.T) {
	tags := map[string]string{"team": "shop", "aws:cloudformation:stack-name": "s", "empty": ""}
	cases := map[string]struct {
		reason string
		args   []string
		want   bool
		err    bool
	}{
		"None":    {reason: "Without a selector, all match.", want: true},
		"Equal":   {reason: "The value matches.", args: []string{"team=shop"}, want: true},
		"Other":   {reason: "The value differs.", args: []string{"team=cart"}},
		"Any":     {reason: "Any value matches.", args: []string{"empty"}, want: true},
		"Empty":   {reason: "An empty value is a value.", args: []string{"team="}},
		"All":     {reason: "All must match.", args: []string{"team=shop", "cost=7"}},
		"AWS":     {reason: "A key may have colons.", args: []string{"aws:cloudformation:stack-name=s"}, want: true},
		"Invalid": {reason: "A key is required.", args: []string{"=shop"}, err: true},
		"Unequal": {reason: "There is no inequality.", args: []string{"team!=shop"}, err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSelector(tc.args)
			if (err != nil) != tc.err {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if got := s.Matches(tags); err == nil && got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

func TestSourceName(t *testing.T) {
	for arn, want := range map[string]string{
		"arn:aws:sqs:eu-central-1:123456789012:orders":                                              "orders",
		"arn:aws:kinesis:eu-central-1:123456789012:stream/clicks":                                   "clicks",
		"arn:aws:dynamodb:eu-central-1:123456789012:table/carts/stream/2026-01-01T00:00:00.000":     "carts",
		"arn:aws:kafka:eu-central-1:123456789012:cluster/c/01234567-89ab-cdef-0123-456789abcdef-1":  "c",
		"arn:aws:mq:eu-central-1:123456789012:broker:orders:b-01234567-89ab-cdef-0123-456789abcdef": "b-01234567-89ab-cdef-0123-456789abcdef",
		"arn:aws:rds:eu-central-1:123456789012:cluster:docs":                                        "docs",
		"": "kafka",
	} {
		if got := sourceName(arn); got != want {
			t.Errorf("%s: got %q, want %q", arn, got, want)
		}
	}
}
