package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (p *Permission) GetObservedGeneration() int64 { return p.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (p *Permission) SetObservedGeneration(generation int64) {
	p.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (p *Permission) GetLastHandledReconcileAt() string { return p.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (p *Permission) SetLastHandledReconcileAt(token string) {
	p.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (p *Permission) SetSummary(s Summary) { p.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (p *Permission) GetSummary() Summary { return p.Status.GetSummary() }
