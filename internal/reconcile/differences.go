package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

const (
	// maxDifferences is the maximum number of differences in status.
	maxDifferences = 16

	// maxNamed is the maximum number of differences that a message names.
	maxNamed = 6

	// maxValue is the length of a value in status, maxShort that in a message.
	maxValue = 128
	maxShort = 40
)

// PoliciesForbid is the reason given for differences that are not corrected.
const PoliciesForbid = "managementPolicies do not allow changing it"

// splitDifferences is the list of differences between AWS and spec, as reported to users.
type splitDifferences struct {
	// desired are the fields that spec names, beside are those that it does not: an update
	// removes them or resets them to the default of the config or of AWS.
	desired, others []v1beta1.Difference
}

// split splits changes by whether spec names the field. It omits the tags that record ownership.
func split(mg Managed, cs diff.Changes) splitDifferences {
	var c splitDifferences
	if len(cs) == 0 {
		return c
	}
	named := differenceFields(mg)
	for _, change := range cs {
		if slices.ContainsFunc(ownership.Keys(), func(key string) bool { return change.Path == "tags["+key+"]" }) {
			continue
		}
		d := v1beta1.Difference{
			Field: Cut(change.Path, maxValue), Desired: Cut(change.New, maxValue),
			Observed: Cut(change.Old, maxValue),
		}
		if named(change.Path) {
			c.desired = append(c.desired, d)
		} else {
			c.others = append(c.others, d)
		}
	}
	return c
}

// list returns the differences for status: the fields that spec names come first.
func (c splitDifferences) list() []v1beta1.Difference {
	all := slices.Concat(c.desired, c.others)
	return all[:min(len(all), maxDifferences)]
}

// message returns the message of Ready if no changes are allowed. It is empty if AWS has what spec asks for.
func (c splitDifferences) message() string {
	if len(c.desired) == 0 {
		return ""
	}
	parts := make([]string, 0, len(c.desired))
	for _, d := range c.desired {
		parts = append(parts, shortDescription(d))
	}
	return "AWS differs from spec: " + diff.List(parts, maxNamed) + "; " + PoliciesForbid
}

// remark returns the message of Ready about fields that spec does not name. It is empty if there are none.
func (c splitDifferences) remark() string {
	if len(c.others) == 0 {
		return ""
	}
	names := make([]string, 0, len(c.others))
	for _, d := range c.others {
		names = append(names, d.Field)
	}
	return "an update would change " + diff.List(names, maxNamed) + ", which spec does not set"
}

// shortDescription returns a difference in short: the observed and the desired value.
func shortDescription(d v1beta1.Difference) string {
	is, want := Cut(d.Observed, maxShort), Cut(d.Desired, maxShort)
	switch {
	case is == want:
		return d.Field
	case is == "":
		return fmt.Sprintf("%s is not set (want %s)", d.Field, want)
	case want == "":
		return fmt.Sprintf("%s is %s (want none)", d.Field, is)
	}
	return fmt.Sprintf("%s is %s (want %s)", d.Field, is, want)
}

// Cut shortens a text to a number of bytes and ends it with an ellipsis.
func Cut(s string, most int) string {
	const ellipsis = "..."
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-len(ellipsis)], "") + ellipsis
}

// followed are the fields that have their value from what another field refers to, if spec does not set them: an Alias
// serves the version that its Function has published last.
var followed = map[string]string{"functionVersion": "functionNameRef"}

// differenceFields returns a function that reports whether spec.forProvider or spec.initProvider names the
// field of a change's path. A field may be set by a reference or by a From field.
func differenceFields(mg Managed) func(path string) bool {
	var spec map[string]any
	if m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(mg); err == nil {
		spec, _, _ = unstructured.NestedMap(m, "spec", "forProvider")
		initial, _, _ := unstructured.NestedMap(m, "spec", "initProvider")
		maps.Copy(spec, initial)
	}
	return func(path string) bool {
		if spec == nil {
			return true // Test kinds have no such block.
		}
		field := path
		if end := strings.IndexAny(path, ".["); end > 0 {
			field = path[:end]
		}
		for _, name := range []string{field, strings.TrimSuffix(field, "s"), followed[field]} {
			for _, suffix := range []string{"", "Ref", "Refs", "Selector", "From"} {
				if _, ok := spec[name+suffix]; ok {
					return true
				}
			}
		}
		return false
	}
}

// reportDifferences returns how AWS differs from spec, for status, and the Ready condition, which says so too if no
// changes are allowed.
func reportDifferences(
	mg Managed, cs diff.Changes, mayUpdate bool, ready xpv2.Condition,
) (Differences, xpv2.Condition) {
	c := split(mg, cs)
	served := ready.Status == corev1.ConditionTrue
	switch {
	case mayUpdate && served:
		return Differences{}, ready
	case mayUpdate:
		return Differences{List: c.list()}, ready
	case served && c.remark() != "":
		ready = ready.WithMessage(strings.TrimSuffix(c.remark()+"; "+ready.Message, "; "))
	}
	return Differences{Message: c.message(), List: c.list()}, ready
}
