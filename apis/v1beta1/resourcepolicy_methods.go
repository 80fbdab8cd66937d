package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (p *ResourcePolicy) GetObservedGeneration() int64 { return p.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (p *ResourcePolicy) SetObservedGeneration(generation int64) {
	p.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (p *ResourcePolicy) GetLastHandledReconcileAt() string {
	return p.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (p *ResourcePolicy) SetLastHandledReconcileAt(token string) {
	p.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (p *ResourcePolicy) SetSummary(s Summary) { p.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (p *ResourcePolicy) GetSummary() Summary { return p.Status.GetSummary() }
