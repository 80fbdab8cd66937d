package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (c *ProvisionedConcurrencyConfig) GetObservedGeneration() int64 {
	return c.Status.GetObservedGeneration()
}

// SetObservedGeneration says which generation was looked at.
func (c *ProvisionedConcurrencyConfig) SetObservedGeneration(generation int64) {
	c.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (c *ProvisionedConcurrencyConfig) GetLastHandledReconcileAt() string {
	return c.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt says which reconcile request was handled.
func (c *ProvisionedConcurrencyConfig) SetLastHandledReconcileAt(token string) {
	c.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (c *ProvisionedConcurrencyConfig) SetSummary(s Summary) { c.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (c *ProvisionedConcurrencyConfig) GetSummary() Summary { return c.Status.GetSummary() }
