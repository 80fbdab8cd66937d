package function

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestOtherResources(t *testing.T) {
	ref := func(name string) xpv2.NamespacedReference { return xpv2.NamespacedReference{Name: name} }
	selector := &xpv2.NamespacedSelector{MatchLabels: map[string]string{"a": "b"}}
	f := testFunction()
	f.Spec.ForProvider.LayerRefs = []xpv2.NamespacedReference{ref("one"), ref("two")}
	f.Spec.ForProvider.LayerSelector = selector
	f.Spec.ForProvider.CodeSigningConfigArnRef = ptr.To(ref("signing"))
	f.Spec.ForProvider.CapacityProviderConfig = &v1beta1.CapacityProviderConfig{
		LambdaManagedInstancesCapacityProviderConfig: v1beta1.LambdaManagedInstancesCapacityProviderConfig{
			CapacityProviderArnSelector: selector,
		},
	}
	f.Spec.InitProvider = &v1beta1.FunctionSettings{LayerSelector: selector}
	want := []reconcile.Reference{
		{Field: "layers", To: v1beta1.LayerVersionGroupVersionKind, Ref: ptr.To(ref("one"))},
		{Field: "layers", To: v1beta1.LayerVersionGroupVersionKind, Ref: ptr.To(ref("two"))},
		{
			Field: "capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn",
			To:    v1beta1.CapacityProviderGroupVersionKind, Selector: selector,
		},
		{Field: "codeSigningConfigArn", To: v1beta1.CodeSigningConfigGroupVersionKind, Ref: ptr.To(ref("signing"))},
		{Field: "layers", Initial: true, To: v1beta1.LayerVersionGroupVersionKind, Selector: selector},
		{Field: "codeSigningConfigArn", Initial: true, To: v1beta1.CodeSigningConfigGroupVersionKind},
	}
	if diff := cmp.Diff(want, reconcile.References(f)); diff != "" {
		t.Errorf("References(): -want, +got:\n%s", diff)
	}
	always := &xpv2.NamespacedSelector{Policy: &xpv2.Policy{Resolve: ptr.To(xpv2.ResolvePolicyAlways)}}
	f.Spec.InitProvider = &v1beta1.FunctionSettings{
		LayerRefs:     []xpv2.NamespacedReference{ref("three")},
		LayerSelector: always,
	}
	want = append(
		want[:len(want)-2],
		reconcile.Reference{
			Field:   "layers",
			Initial: true,
			To:      v1beta1.LayerVersionGroupVersionKind,
			Ref:     ptr.To(ref("three")),
		},
		reconcile.Reference{Field: "layers", Initial: true, To: v1beta1.LayerVersionGroupVersionKind, Selector: always},
		reconcile.Reference{
			Field:   "codeSigningConfigArn",
			Initial: true,
			To:      v1beta1.CodeSigningConfigGroupVersionKind,
		},
	)
	if diff := cmp.Diff(want, reconcile.References(f)); diff != "" {
		t.Errorf("a selector that is always resolved is used in spite of names: -want, +got:\n%s", diff)
	}
}

func TestResolvedReferences(t *testing.T) {
	own := "arn:aws:lambda:eu-central-1:580247275435:layer:a:1"
	referred := "arn:aws:lambda:eu-central-1:123456789012:layer:b:2"
	cases := map[string]struct {
		reason  string
		p       v1beta1.FunctionSettings
		layers  []string
		signing *string
	}{
		"Nothing": {reason: "What is not set is left to AWS."},
		"Values": {
			reason: "Values are as they were written.",
			p:      v1beta1.FunctionSettings{Layers: []string{own}, CodeSigningConfigArn: ptr.To("c1")},
			layers: []string{own}, signing: ptr.To("c1"),
		},
		"Referred": {
			reason: "References stand for values.",
			p: v1beta1.FunctionSettings{
				ResolvedLayers: []string{referred}, ResolvedCodeSigningConfigArn: ptr.To("c2"),
			},
			layers: []string{referred}, signing: ptr.To("c2"),
		},
		"Both": {
			reason: "Layers add up, the given ones first; of a single field the value wins.",
			p: v1beta1.FunctionSettings{
				Layers: []string{own}, ResolvedLayers: []string{referred}, CodeSigningConfigArn: ptr.To("c1"),
				ResolvedCodeSigningConfigArn: ptr.To("c2"),
			},
			layers: []string{own, referred}, signing: ptr.To("c1"),
		},
		"Optional": {
			reason: "An optional layer that does not exist is left out.",
			p:      v1beta1.FunctionSettings{ResolvedLayers: []string{"", referred}},
			layers: []string{referred},
		},
		"NoneByValue": {
			reason: "An empty string asks for none, whatever is referred to.",
			p:      v1beta1.FunctionSettings{CodeSigningConfigArn: ptr.To("")}, signing: ptr.To(""),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := fromSpec(tc.p, nil)
			if diff := cmp.Diff(tc.layers, s.Layers); diff != "" {
				t.Errorf("%s\nlayers: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.signing, s.CodeSigningConfigArn); diff != "" {
				t.Errorf("%s\ncodeSigningConfigArn: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestACapacityProviderIsTheSameByReference(t *testing.T) {
	arn := ptr.To("arn:aws:lambda:eu-central-1:123456789012:capacity-provider:cp")
	by := func(l v1beta1.LambdaManagedInstancesCapacityProviderConfig) settings {
		return fromSpec(
			v1beta1.FunctionSettings{CapacityProviderConfig: &v1beta1.CapacityProviderConfig{
				LambdaManagedInstancesCapacityProviderConfig: l,
			}},
			nil,
		)
	}
	value := by(v1beta1.LambdaManagedInstancesCapacityProviderConfig{CapacityProviderArn: arn})
	resolved := by(v1beta1.LambdaManagedInstancesCapacityProviderConfig{
		CapacityProviderArn: arn, CapacityProviderArnRef: &xpv2.NamespacedReference{Name: "cp"},
	})
	if diff := cmp.Diff(value.CapacityProviderConfig, resolved.CapacityProviderConfig); diff != "" {
		t.Errorf("by which reference it was found is no difference: -value, +reference:\n%s", diff)
	}
}
