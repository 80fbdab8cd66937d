package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (p *Permission) GetObservedGeneration() int64 { return p.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (p *Permission) SetObservedGeneration(generation int64) {
	p.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (p *Permission) GetLastHandledReconcileAt() string { return p.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt says which reconcile request was handled.
func (p *Permission) SetLastHandledReconcileAt(token string) {
	p.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (p *Permission) SetSummary(s Summary) { p.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (p *Permission) GetSummary() Summary { return p.Status.GetSummary() }
