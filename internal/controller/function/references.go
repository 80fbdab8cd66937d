package function

import (
	"slices"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
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

// references returns the references by which a function's spec names other resources.
func references(f *v1beta1.Function) []reconcile.Reference {
	found := settingsReferences(f.Spec.ForProvider.FunctionSettings)
	if f.Spec.InitProvider != nil {
		for _, r := range settingsReferences(*f.Spec.InitProvider) {
			r.Initial = true
			found = append(found, r)
		}
	}
	return found
}

func settingsReferences(s v1beta1.FunctionSettings) []reconcile.Reference {
	layer, signing := v1beta1.LayerVersionGroupVersionKind, v1beta1.CodeSigningConfigGroupVersionKind
	capacity := v1beta1.CapacityProviderGroupVersionKind
	var found []reconcile.Reference
	for i := range s.LayerRefs {
		found = append(found, reconcile.Reference{Field: "layers", To: layer, Ref: &s.LayerRefs[i]})
	}
	if l := s.LayerSelector; l != nil && (len(s.LayerRefs) == 0 || l.Policy.IsResolvePolicyAlways()) {
		found = append(found, reconcile.Reference{Field: "layers", To: layer, Selector: l})
	}
	if s.CodeSigningConfigArnRef != nil || s.CodeSigningConfigArnSelector != nil {
		found = append(
			found,
			reconcile.Reference{
				Field: "codeSigningConfigArn", To: signing, Ref: s.CodeSigningConfigArnRef,
				Selector: s.CodeSigningConfigArnSelector,
			},
		)
	}
	if c := s.CapacityProviderConfig; c != nil {
		l := c.LambdaManagedInstancesCapacityProviderConfig
		if l.CapacityProviderArnRef != nil || l.CapacityProviderArnSelector != nil {
			found = append(found, reconcile.Reference{
				Field: "capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn",
				To:    capacity, Ref: l.CapacityProviderArnRef, Selector: l.CapacityProviderArnSelector,
			})
		}
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
