package v1beta1

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// GetObservedGeneration is the generation that was last looked at.
func (c *CapacityProvider) GetObservedGeneration() int64 { return c.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (c *CapacityProvider) SetObservedGeneration(generation int64) {
	c.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (c *CapacityProvider) GetLastHandledReconcileAt() string {
	return c.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt says which reconcile request was handled.
func (c *CapacityProvider) SetLastHandledReconcileAt(token string) {
	c.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (c *CapacityProvider) SetSummary(s Summary) { c.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (c *CapacityProvider) GetSummary() Summary { return c.Status.GetSummary() }

// CapacityProviderARN has references to a capacity provider resolved to its ARN, which
// is in its status.
func CapacityProviderARN() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		c, ok := any(mg).(*CapacityProvider)
		if !ok {
			return ""
		}
		return ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")
	}
}

// Referred are the values that references to a capacity provider may be resolved to.
func (c *CapacityProvider) Referred() []string {
	return []string{ptr.Deref(c.Status.AtProvider.CapacityProviderArn, "")}
}
