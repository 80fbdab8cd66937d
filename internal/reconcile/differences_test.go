package reconcile

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

func TestDifferences(t *testing.T) {
	f := &v1beta1.Function{
		Spec: v1beta1.FunctionSpec{ForProvider: v1beta1.FunctionParameters{FunctionSettings: v1beta1.FunctionSettings{
			MemorySize: ptr.To(
				int32(128),
			),
			Tags:      map[string]string{"team": "a"},
			LayerRefs: []xpv2.NamespacedReference{{Name: "l"}},
		}}, InitProvider: &v1beta1.FunctionSettings{ReservedConcurrentExecutions: ptr.To[int32](5)}},
	}
	ready := Available(1)
	cases := map[string]struct {
		reason  string
		changes diff.Changes
		ready   xpv2.Condition
		message string
		remark  string
		count   int
	}{
		"Nothing": {reason: "Without differences, Ready has no message.", ready: ready},
		"Asked": {
			reason:  "A field that spec sets is reported with both values.",
			changes: diff.Changes{{Path: "memorySize", Old: "256", New: "128"}},
			message: "memorySize is 256 (want 128)",
			count:   1,
		},
		"Tag": {
			reason:  "A tag that spec lacks differs where spec names tags.",
			changes: diff.Changes{{Path: "tags[cost]", Old: `"1"`}, {Path: "tags[team]", New: `"a"`}},
			message: `tags[cost] is "1" (want none), tags[team] is not set (want "a")`,
			count:   2,
		},
		"OwnTag": {
			reason:  "The ownership tags are not reported.",
			changes: diff.Changes{{Path: "tags[" + ownership.TagUID + "]", New: `"u1"`}},
		},
		"Secret": {
			reason: "Secret values are not reported.",
			changes: diff.Changes{
				{Path: "memorySize", Old: "256", New: "128"},
				{Path: "tags[x]", Old: "(redacted)", New: "(redacted)"},
			},
			message: "(want 128), tags[x];",
			count:   2,
		},
		"Initial": {
			reason:  "So is what initProvider sets and was not applied.",
			changes: diff.Changes{{Path: "reservedConcurrentExecutions", New: "5"}},
			message: "reservedConcurrentExecutions is not set (want 5)",
			count:   1,
		},
		"Layers": {
			reason:  "A reference names its field.",
			changes: diff.Changes{{Path: "layers", Old: `["l:1"]`}},
			message: `layers is ["l:1"] (want none)`,
			count:   1,
		},
		"Beside": {
			reason: "What spec does not name is no difference, and would be reset.",
			changes: diff.Changes{
				{Path: "tracingConfig.mode", Old: `"Active"`, New: `"PassThrough"`},
				{Path: "environment.variables[A]", Old: "(redacted)"},
			},
			remark: "an update would change tracingConfig.mode, environment.variables[A], which spec does not set",
			count:  2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := split(f, tc.changes)
			if !strings.Contains(c.message(), tc.message) || (tc.message == "") != (c.message() == "") ||
				c.remark() != tc.remark ||
				len(c.list()) != tc.count {
				t.Errorf("%s\nmessage %q, remark %q, list %+v", tc.reason, c.message(), c.remark(), c.list())
			}
		})
	}
}

// TestFollowedVersion checks that the version that an Alias follows is a difference, and not said to be reset.
func TestFollowedVersion(t *testing.T) {
	a := &v1beta1.Alias{}
	a.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "checkout"}
	c := split(a, diff.Changes{{Path: "functionVersion", Old: `"3"`, New: `"4"`}})
	if want := `functionVersion is "3" (want "4")`; !strings.Contains(c.message(), want) || c.remark() != "" {
		t.Errorf("message %q, remark %q, want %q", c.message(), c.remark(), want)
	}
}

func TestDifferencesAreBounded(t *testing.T) {
	var cs diff.Changes
	for i := range 100 {
		cs = append(
			cs,
			diff.Change{
				Path: fmt.Sprintf("tags[%03d]", i),
				Old:  strings.Repeat("ä", 1000),
				New:  strings.Repeat("b", 1000),
			},
		)
	}
	f := &v1beta1.Function{}
	f.Spec.ForProvider.Tags = map[string]string{"team": "a"}
	c := split(f, cs)
	if len(c.list()) != maxDifferences || len(c.message()) > 1000 || !strings.Contains(c.message(), "and 94 more") {
		t.Errorf("%d differences, message %q", len(c.list()), c.message())
	}
	for _, d := range c.list() {
		if len(d.Desired) > maxValue || len(d.Observed) > maxValue || len(d.Field) > maxValue {
			t.Errorf("%+v is too long", d)
		}
	}
}

// A resource that names little is served as it asks for, and says what managing it would
// change.
func TestRemarkOnFieldsThatSpecOmits(t *testing.T) {
	_, got := reportDifferences(
		&v1beta1.Function{},
		diff.Changes{{Path: "layers", Old: `["l:1"]`}},
		false,
		Available(1).WithMessage("AWS does not return its tags"),
	)
	if got.Status != corev1.ConditionTrue ||
		got.Message != "an update would change layers, which spec does not set; AWS does not return its tags" {
		t.Errorf("got %+v", got)
	}
}
