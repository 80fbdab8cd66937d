package function

import (
	"slices"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
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
	found := environmentRefs(namespace, s.Environment)
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
