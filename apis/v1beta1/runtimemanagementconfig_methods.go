package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (c *RuntimeManagementConfig) GetObservedGeneration() int64 {
	return c.Status.GetObservedGeneration()
}

// SetObservedGeneration sets the generation that was last reconciled.
func (c *RuntimeManagementConfig) SetObservedGeneration(generation int64) {
	c.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (c *RuntimeManagementConfig) GetLastHandledReconcileAt() string {
	return c.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (c *RuntimeManagementConfig) SetLastHandledReconcileAt(token string) {
	c.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (c *RuntimeManagementConfig) SetSummary(s Summary) { c.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (c *RuntimeManagementConfig) GetSummary() Summary { return c.Status.GetSummary() }
