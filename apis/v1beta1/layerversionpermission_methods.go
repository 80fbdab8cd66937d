package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (p *LayerVersionPermission) GetObservedGeneration() int64 {
	return p.Status.GetObservedGeneration()
}

// SetObservedGeneration sets the generation that was last reconciled.
func (p *LayerVersionPermission) SetObservedGeneration(generation int64) {
	p.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (p *LayerVersionPermission) GetLastHandledReconcileAt() string {
	return p.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (p *LayerVersionPermission) SetLastHandledReconcileAt(token string) {
	p.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (p *LayerVersionPermission) SetSummary(s Summary) { p.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (p *LayerVersionPermission) GetSummary() Summary { return p.Status.GetSummary() }
