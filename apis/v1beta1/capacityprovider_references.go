package v1beta1

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// CapacityProviderARN returns an extractor of the ARN in a capacity provider's status.
func CapacityProviderARN() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		c, ok := any(mg).(*CapacityProvider)
		if !ok {
			return ""
		}
		return ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")
	}
}

// ReferenceValues returns the values to which references to a capacity provider can resolve.
func (c *CapacityProvider) ReferenceValues() []string {
	return []string{ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")}
}
