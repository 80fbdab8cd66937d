package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (p *LayerVersionPermission) GetObservedGeneration() int64 {
	return p.Status.GetObservedGeneration()
}

// SetObservedGeneration says which generation was looked at.
func (p *LayerVersionPermission) SetObservedGeneration(generation int64) {
	p.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (p *LayerVersionPermission) GetLastHandledReconcileAt() string {
	return p.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt says which reconcile request was handled.
func (p *LayerVersionPermission) SetLastHandledReconcileAt(token string) {
	p.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (p *LayerVersionPermission) SetSummary(s Summary) { p.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (p *LayerVersionPermission) GetSummary() Summary { return p.Status.GetSummary() }
