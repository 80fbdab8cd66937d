package version

import (
	"testing"

	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestReported(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1beta1.VersionParameters
		want   bool
	}{
		"Reference": {
			"the Function tells of the provider's own changes",
			v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					FunctionNameRef: &xpv2.NamespacedReference{Name: "prices"},
				},
			},
			true,
		},
		"Selector": {
			"so does the one that is selected",
			v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{FunctionNameSelector: &xpv2.NamespacedSelector{}},
			},
			true,
		},
		"Name": {
			"the function may be that of a Function, whose changes are the provider's own",
			v1beta1.VersionParameters{ConfiguredFunction: v1beta1.ConfiguredFunction{FunctionName: ptr.To("prices")}},
			false,
		},
		"NameOnRequest": {
			"nothing is published when the function changes",
			v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{FunctionName: ptr.To("prices")},
				PublishPolicy:      ptr.To(policyOnRequest),
			},
			true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := &v1beta1.Version{}
			v.Spec.ForProvider = tc.spec
			if got := reported(v); got != tc.want {
				t.Errorf("%s: %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestFollows checks that a Version that publishes changes is enqueued when its Function has changed.
func TestFollows(t *testing.T) {
	v := &v1beta1.Version{}
	if !references(v)[0].Follows {
		t.Error("by default, what changes the function is published")
	}
	if v.Spec.ForProvider.PublishPolicy = ptr.To(policyOnRequest); references(v)[0].Follows {
		t.Error("on request, nothing is published when the function changes")
	}
}
