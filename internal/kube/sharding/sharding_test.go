package sharding

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const lease = "crossplane-leader-election-provider-lambda"

func labelled(kv ...string) *corev1.ConfigMap {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
	for i := 0; i < len(kv); i += 2 {
		o.Labels[kv[i]] = kv[i+1]
	}
	return o
}

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason    string
		selector  string
		err       bool
		canonical string
		lease     string
		has, not  *corev1.ConfigMap
	}{
		"None": {
			reason: "Without a selector, nothing differs from a provider without shards.", lease: lease,
			has: labelled(),
		},
		"Blank": {reason: "A blank one is none.", selector: " ", lease: lease, has: labelled("shard", "a")},
		"Equal": {
			selector: "shard=a", canonical: "shard=a", lease: lease + "-3d8dfb268d",
			has: labelled("shard", "a"), not: labelled("shard", "b"),
		},
		"Absent": {
			selector: "!shard", canonical: "!shard", lease: lease + "-dd0588b848", has: labelled(),
			not: labelled("shard", "a"),
		},
		"Set": {
			reason:   "Values and keys are sorted, so that the same selector always has the same lease.",
			selector: "tier, shard in (b,a)", canonical: "shard in (a,b),tier", lease: lease + "-8ca635ac3a",
			has: labelled("shard", "b", "tier", ""), not: labelled("shard", "b"),
		},
		"Reversed": {selector: "shard in (a, b),tier", canonical: "shard in (a,b),tier", lease: lease + "-8ca635ac3a"},
		"Broken":   {selector: "shard in a", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(tc.selector)
			if (err != nil) != tc.err {
				t.Fatalf("%s\nParse(%q) = %v", tc.reason, tc.selector, err)
			}
			if err != nil {
				return
			}
			if got := s.String(); got != tc.canonical {
				t.Errorf("%s\nString() = %q, want %q", tc.reason, got, tc.canonical)
			}
			if got := s.LeaseName(lease); got != tc.lease {
				t.Errorf("%s\nLeaseName() = %q, want %q", tc.reason, got, tc.lease)
			}
			if tc.has != nil && !s.Has(tc.has) || tc.not != nil && s.Has(tc.not) {
				t.Errorf("%s\nselects the wrong objects", tc.reason)
			}
			if s.IsAll() != (tc.canonical == "") || s.LeaseLabels() != nil {
				t.Errorf("%s\nIsAll() = %t, LeaseLabels() = %v", tc.reason, s.IsAll(), s.LeaseLabels())
			}
		})
	}
}

func TestInRing(t *testing.T) {
	const shard, drain = "shard.alpha.sharding.timebertt.dev/lambda", "drain.alpha.sharding.timebertt.dev/lambda"
	s, err := InRing("lambda", "provider-lambda-0")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.LeaseName(lease); got != "provider-lambda-0" {
		t.Errorf("the sharder expects the lease to have the shard's name, got %q", got)
	}
	if diff := cmp.Diff(map[string]string{"alpha.sharding.timebertt.dev/controllerring": "lambda"},
		s.LeaseLabels()); diff != "" {
		t.Errorf("LeaseLabels(): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{shard: nil, drain: nil}, s.Drained()); diff != "" {
		t.Errorf("Drained(): -want, +got:\n%s", diff)
	}
	cases := map[string]struct {
		object      *corev1.ConfigMap
		has, drains bool
	}{
		"Unassigned": {object: labelled()},
		"Assigned":   {object: labelled(shard, "provider-lambda-0"), has: true},
		"Other":      {object: labelled(shard, "provider-lambda-1")},
		"OtherRing":  {object: labelled("shard.alpha.sharding.timebertt.dev/other", "provider-lambda-0")},
		"Drained":    {object: labelled(shard, "provider-lambda-0", drain, ""), has: true, drains: true},
		"NotOurs":    {object: labelled(shard, "provider-lambda-1", drain, "true")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if s.Has(tc.object) != tc.has || s.Drains(tc.object) != tc.drains {
				t.Errorf("Has() = %t, Drains() = %t", s.Has(tc.object), s.Drains(tc.object))
			}
		})
	}
	if (Shard{}).Drains(labelled("drain.alpha.sharding.timebertt.dev/", "")) {
		t.Error("a provider without a ring drains nothing")
	}
}

func TestInvalidRing(t *testing.T) {
	for name, tc := range map[string][2]string{
		"NoRing":  {"", "a"},
		"BadRing": {"a b", "a"},
		"NoName":  {"lambda", ""},
		"BadName": {"lambda", "Pod_1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := InRing(tc[0], tc[1]); err == nil {
				t.Error("is accepted")
			}
		})
	}
}
