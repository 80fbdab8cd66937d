package capacityprovider

import (
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestFixedSettingsOfNoSpec checks that a resource that may not create a capacity provider needs none of the settings
// that are fixed at creation.
func TestFixedSettingsOfNoSpec(t *testing.T) {
	e := newEnv(t)
	c := testProvider()
	e.Converge(c)
	edit(c, func(p *v1beta1.CapacityProviderParameters) { p.VPCConfig, p.PermissionsConfig = nil, nil })
	c.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate}
	if got := e.Observe(c); got.Err != "" || !got.UpToDate {
		t.Errorf("what spec does not name stays as it is: %+v", got)
	}
}
