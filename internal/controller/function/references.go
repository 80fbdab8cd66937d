package function

import (
	"cmp"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// objectRefs returns the Secrets and ConfigMaps that a function's spec refers to. A change
// of one of them triggers a reconcile of the function.
func objectRefs(f *v1beta1.Function) []refs.ObjectRef {
	all := settingsRefs(f.GetNamespace(), f.Spec.ForProvider.FunctionSettings)
	if f.Spec.InitProvider != nil {
		all = append(all, settingsRefs(f.GetNamespace(), *f.Spec.InitProvider)...)
	}
	var once []refs.ObjectRef
	for _, ref := range all {
		if !slices.Contains(once, ref) {
			once = append(once, ref)
		}
	}
	return once
}

func settingsRefs(namespace string, s v1beta1.FunctionSettings) []refs.ObjectRef {
	found := environmentRefs(namespace, s)
	if c := s.Code; c != nil {
		found = append(found, source(*c).Refs(namespace)...)
	}
	return found
}

// uses returns what a function uses and others may own, whether spec names it by ARN or by reference.
func uses(f *v1beta1.Function) []tenancy.Target {
	all := usesOf(f.Spec.ForProvider.FunctionSettings)
	if f.Spec.InitProvider != nil {
		all = append(all, usesOf(*f.Spec.InitProvider)...)
	}
	return all
}

func usesOf(s v1beta1.FunctionSettings) []tenancy.Target {
	arns := []*string{s.CodeSigningConfigArn, s.ResolvedCodeSigningConfigArn}
	for _, layers := range [][]string{s.Layers, s.ResolvedLayers} {
		for i := range layers {
			arns = append(arns, &layers[i])
		}
	}
	if c := s.CapacityProviderConfig; c != nil {
		arns = append(arns, c.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn)
	}
	return tenancy.Named(arns...)
}

// fieldSelectors returns the fields of other objects that spec refers to, and the sources of its code.
func fieldSelectors(f *v1beta1.Function) []v1beta1.FieldSelector {
	all := refs.In(f.Spec)
	if c, _ := codeOf(f); c != nil {
		all = append(all, source(*c).Fields()...)
	}
	return all
}

// functionName returns the external name, also if the user has removed the annotation, or the object's own name if it
// has none. AWS accepts either form of external name: a name, or an ARN, which can identify a function of another
// account.
func functionName(f *v1beta1.Function) string {
	return cmp.Or(reconcile.ExternalName(f), f.GetName())
}

// checkName returns an error if the external name is invalid, is in another region than
// spec, or identifies another function than status: that function would be left behind.
func checkName(f *v1beta1.Function) error {
	name, region := functionName(f), f.Spec.ForProvider.Region
	r, ok := functionname.ParseReference(name)
	switch {
	case !ok:
		return reconcile.Invalid(
			errors.Errorf(
				"%q is neither the name nor the ARN of a function: use a name of at most 64 letters, digits, "+
					"hyphens and underscores, or an ARN such as "+
					"arn:aws:lambda:%s:123456789012:function:my-function, in the annotation %s",
				name, region, meta.AnnotationKeyExternalName,
			),
		)
	case r.Qualifier != "":
		return reconcile.Invalid(
			errors.Errorf(
				"%q names a version or an alias: remove %q from the annotation %s, and use a Version or an Alias "+
					"for it",
				name, ":"+r.Qualifier, meta.AnnotationKeyExternalName,
			),
		)
	case r.Region != "" && r.Region != region:
		return reconcile.Invalid(errors.Errorf(
			"%q is in region %s, but spec.forProvider.region is %s: correct one of the two", name, r.Region, region,
		))
	}
	s := f.Status.AtProvider
	was := cmp.Or(ptr.Deref(s.FunctionName, ""), r.Function)
	known, _ := functionname.ParseReference(ptr.Deref(s.FunctionArn, ""))
	if was == r.Function && (r.Account == "" || known.Account == "" || r.Account == known.Account) {
		return nil
	}
	if was == r.Function {
		was = *s.FunctionArn
	}
	return reconcile.Invalid(
		errors.Errorf(
			"the external name was changed from %q to %q, which would leave function %q behind: change the "+
				"annotation %s back, and create another Function for %q",
			was, name, was, meta.AnnotationKeyExternalName, name,
		),
	)
}

// named reports whether the resource identifies this function: the user set the name, or
// the provider did and the function it observed as its own only lost its tags. If the
// provider stopped before it wrote the ARN to status, the name alone decides.
func named(f *v1beta1.Function, o observed) bool {
	arn := ptr.Deref(o.config().FunctionArn, "")
	return ownership.UserSetName(f) || ownership.WroteName(f) && ptr.Deref(f.Status.AtProvider.FunctionArn, arn) == arn
}
