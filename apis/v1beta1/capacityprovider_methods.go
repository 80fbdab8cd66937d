package v1beta1

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// GetObservedGeneration returns the generation that was last reconciled.
func (c *CapacityProvider) GetObservedGeneration() int64 { return c.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (c *CapacityProvider) SetObservedGeneration(generation int64) {
	c.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (c *CapacityProvider) GetLastHandledReconcileAt() string {
	return c.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (c *CapacityProvider) SetLastHandledReconcileAt(token string) {
	c.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (c *CapacityProvider) SetSummary(s Summary) { c.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (c *CapacityProvider) GetSummary() Summary { return c.Status.GetSummary() }

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

// Referred returns the values to which references to a capacity provider can resolve.
func (c *CapacityProvider) Referred() []string {
	return []string{ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")}
}
