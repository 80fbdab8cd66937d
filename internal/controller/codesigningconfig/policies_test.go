package codesigningconfig

import (
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestPublishersOfNoSpec checks that a resource that may not create a configuration needs no publishers.
func TestPublishersOfNoSpec(t *testing.T) {
	e := newEnv(t)
	c := testConfig()
	e.Converge(c)
	edit(c, func(p *v1beta1.CodeSigningConfigParameters) { p.AllowedPublishers = nil })
	c.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate}
	if got := e.Observe(c); got.Err != "" || !got.UpToDate {
		t.Errorf("publishers that spec does not name stay as they are: %+v of %s", got, meta.GetExternalName(c))
	}
}
