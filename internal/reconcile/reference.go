package reconcile

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// A Reference is a reference of a spec to another resource of this provider. Ref and Selector may both be nil.
type Reference struct {
	// Field is the field of spec.forProvider that the reference sets, such as functionName, or that of
	// spec.initProvider if Initial is true.
	Field   string
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

// References returns the references of a resource's spec, those of forProvider first: of the fields with the tag
// refersTo, which names a kind.
func References(mg Managed) []Reference {
	spec := reflect.ValueOf(mg).Elem().FieldByName("Spec")
	var found []Reference
	for _, f := range referenceFields(spec.Type()) {
		if ref, err := spec.FieldByIndexErr(f.ref); err == nil { // Otherwise its block is nil.
			found = append(found, f.references(ref, spec.FieldByIndex(f.selector))...)
		}
	}
	return found
}

// A referenceField is a field of a spec that refers to other resources.
type referenceField struct {
	// field, initial and to are those of a Reference.
	field   string
	initial bool
	to      schema.GroupVersionKind

	// ref and selector are the indexes of the reference, or the list of them, and of the selector in the spec.
	ref, selector []int
}

// references returns the references of the values of both fields.
func (f referenceField) references(ref, selects reflect.Value) []Reference {
	of := Reference{Field: f.field, Initial: f.initial, To: f.to}
	selector, _ := selects.Interface().(*xpv2.NamespacedSelector)
	refs, ok := ref.Interface().([]xpv2.NamespacedReference)
	if !ok {
		of.Ref, _ = ref.Interface().(*xpv2.NamespacedReference)
		of.Selector = selector
		return []Reference{of}
	}
	var all []Reference
	for i := range refs {
		of.Ref = &refs[i]
		all = append(all, of)
	}
	if selector != nil && (len(refs) == 0 || selector.Policy.IsResolvePolicyAlways()) {
		of.Ref, of.Selector = nil, selector
		all = append(all, of)
	}
	return all
}

var knownFields sync.Map

// referenceFields returns the fields of a type of specs that refer to other resources.
func referenceFields(spec reflect.Type) []referenceField {
	if known, ok := knownFields.Load(spec); ok {
		return known.([]referenceField) //nolint:forcetypeassert // It has nothing else.
	}
	var found []referenceField
	for _, name := range []string{"ForProvider", "InitProvider"} {
		if f, ok := spec.FieldByName(name); ok {
			for _, r := range fieldsIn(f.Type, "", f.Index) {
				r.initial = name == "InitProvider"
				found = append(found, r)
			}
		}
	}
	knownFields.Store(spec, found)
	return found
}

// fieldsIn returns the fields of a block, and of the blocks in it.
func fieldsIn(t reflect.Type, at string, block []int) []referenceField {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var found []referenceField
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(block), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind, refers := f.Tag.Lookup("refersTo")
		switch one, list := strings.CutSuffix(name, "Refs"); {
		case !refers && f.Anonymous:
			found = append(found, fieldsIn(f.Type, at, index)...)
		case !refers:
			found = append(found, fieldsIn(f.Type, at+name+".", index)...)
		default:
			selector, _ := t.FieldByName(strings.TrimSuffix(strings.TrimSuffix(f.Name, "s"), "Ref") + "Selector")
			field := strings.TrimSuffix(one, "Ref")
			if list {
				field += "s"
			}
			found = append(found, referenceField{
				field: at + field, to: v1beta1.SchemeGroupVersion.WithKind(kind),
				ref: index, selector: append(slices.Clone(block), selector.Index...),
			})
		}
	}
	return found
}

// A ReferenceTarget has more values that references may be resolved to than its external name and its Ready condition.
type ReferenceTarget interface {
	// ReferenceValues returns the values that references to the resource may be resolved to.
	ReferenceValues() []string
}

// PlainFunctionName replaces the ARN of a configured function, which a reference to a Function may be resolved to, by
// its plain name, because kinds compare, store and show the plain name. It returns an error if the ARN has another
// account or region than the session, in which the plain name would mean another function. If the resource is being
// deleted, it clears such a name instead, because nothing can have been created for it.
func PlainFunctionName(mg Managed, s *session.Session) error {
	f := part[v1beta1.ConfiguredFunction](mg)
	if f == nil || f.FunctionName == nil {
		return nil
	}
	err := inSession(*f.FunctionName, s)
	if err != nil && meta.WasDeleted(mg) {
		f.FunctionName = nil
		return nil
	}
	if err != nil {
		return Invalid(errors.Wrap(err, "cannot use spec.forProvider.functionName"))
	}
	r, _ := functionname.ParseReference(*f.FunctionName)
	f.FunctionName = ptr.To(r.Function)
	return nil
}

// inSession returns an error if a function name or ARN does not refer to a function of the
// session's account and region.
func inSession(name string, s *session.Session) error {
	r, ok := functionname.ParseReference(name)
	switch {
	case !ok:
		return errors.Errorf("%q is neither the name nor the ARN of a function", name)
	case r.Qualifier != "":
		return errors.Errorf("%q names a version or an alias: remove the qualifier", name)
	case r.Region != "" && r.Region != s.AWS.Region:
		return errors.Errorf("%q is a function in region %s, but spec.forProvider.region is %s", name, r.Region,
			s.AWS.Region)
	case r.Account != "" && s.Identity.AccountID() == "":
		return errors.Errorf("%q is an ARN, but the account of the provider config is not known: use the function's "+
			"plain name", name)
	case r.Account != "" && r.Account != s.Identity.Account:
		return errors.Errorf("%q is a function of account %s, but the provider config uses account %s: use a "+
			"provider config of that account", name, r.Account, s.Identity.Account)
	}
	return nil
}
