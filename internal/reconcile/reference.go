package reconcile

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// A Reference is a reference of a spec to another resource of this provider. Ref and Selector may both be nil.
type Reference struct {
	// Field is the field of spec.forProvider that the reference sets, such as functionName.
	Field string

	// Initial is true if it is a field of spec.initProvider instead.
	Initial bool

	// To is the kind of the referenced resource.
	To schema.GroupVersionKind

	// Ref is the name of the resource.
	Ref *xpv2.NamespacedReference

	// Selector selects the resource by labels.
	Selector *xpv2.NamespacedSelector

	// Follows is true if the desired state also depends on what spec is not resolved to: on values of the resource,
	// such as the version that a Function published last, or on its external resource.
	Follows bool
}

// Selects reports whether the selector determines the resource. It takes precedence over Ref if it is always resolved.
func (r Reference) Selects() bool {
	return r.Selector != nil && (r.Ref == nil || r.Selector.Policy.IsResolvePolicyAlways())
}

// SetIn returns the path that names or selects the resource, such as spec.forProvider.functionNameRef.
func (r Reference) SetIn() string {
	one, list := strings.CutSuffix("spec.forProvider."+r.Field, "s")
	if r.Initial {
		one = strings.Replace(one, "forProvider", "initProvider", 1)
	}
	switch {
	case r.Selects():
		return one + "Selector"
	case list:
		return one + "Refs"
	default:
		return one + "Ref"
	}
}

// A ReferenceTarget has more values that references may be resolved to than its external name and its Ready condition.
type ReferenceTarget interface {
	// ReferenceValues returns the values that references to the resource may be resolved to.
	ReferenceValues() []string
}
