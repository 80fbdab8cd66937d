// Package functionconfig is what kinds share that refer to a function, version or alias: above all the name of what
// they configure.
package functionconfig

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// A Target is the function, version or alias that a spec configures, after its references are resolved.
type Target struct {
	// Function is the plain name. Nil if spec names none.
	Function *string

	// Qualifier of the function. Nil if spec names none.
	Qualifier *string

	// Default is the qualifier if spec names none. It may be empty.
	Default string
}

// Name returns the name of what a resource configures. It returns false if the resource is being deleted and has never
// configured anything: its references may no longer exist then, so that spec is not conclusive.
func (t Target) Name(mg resource.Managed) (functionname.Name, bool, error) {
	known, err := t.known(mg)
	if err != nil {
		return known, false, err
	}
	named := known.Function != ""
	switch {
	case meta.WasDeleted(mg):
		return known, named && t.agrees(mg, known), nil
	case t.Function == nil && !named:
		return known, false,
			reconcile.Invalid(errors.Errorf("no function is named: set spec.forProvider.functionName, or the "+
				"annotation %s",
				meta.AnnotationKeyExternalName))
	case t.Function == nil:
		return known, true, nil
	}
	want := t.wanted()
	if named && known != want && !ownership.UserSetName(mg) {
		return want, false, reconcile.Invalid(ownership.NewMovedError(known.String(), want.String()))
	}
	if named && known != want {
		return want, false,
			reconcile.Invalid(errors.Errorf("spec.forProvider names %[3]s, but the annotation %[2]s names %[1]s: "+
				"create another resource for %[3]s", known, meta.AnnotationKeyExternalName, want))
	}
	return want, true, nil
}

func (t Target) wanted() functionname.Name {
	return functionname.Name{Function: ptr.Deref(t.Function, ""), Qualifier: ptr.Deref(t.Qualifier, "")}.Or(t.Default)
}

// known returns the external name, or the name that the resource was about to configure, if it may have done so.
func (t Target) known(mg resource.Managed) (functionname.Name, error) {
	text := reconcile.ExternalName(mg)
	if text == "" && (meta.WasDeleted(mg) || ownership.MayHaveCreated(mg)) {
		text = ownership.Parent(mg)
	}
	if text == "" {
		return functionname.Name{}, nil
	}
	n, ok := functionname.Parse(text)
	if !ok {
		return n,
			reconcile.Invalid(errors.Errorf("the annotation %s is %q, which is not of the form function:qualifier: "+
				"name the function by its plain name", meta.AnnotationKeyExternalName, text))
	}
	return n.Or(t.Default), nil
}

// agrees reports whether spec does not contradict an external name that the user set. A
// resource that never configured what it names deletes nothing.
func (t Target) agrees(mg resource.Managed, known functionname.Name) bool {
	switch {
	case ownership.WrittenName(mg) != "", t.Function == nil, ownership.MayHaveCreated(mg):
		return true
	case ownership.UserSetName(mg):
		return known == t.wanted()
	}
	return *t.Function == known.Function // What it was about to configure, whose qualifier may be gone.
}

// Description returns a description for users, such as "URL of function cart:live".
func Description(kind string, n functionname.Name) string {
	return kind + " of function " + n.String()
}

// StatusQualifier returns a qualifier as status shows it.
func StatusQualifier(n functionname.Name) *string {
	return ptr.To(cmp.Or(n.Qualifier, functionname.Latest))
}
