package v1beta1

// GetObservedGeneration is the generation that was last settled.
func (p *Permission) GetObservedGeneration() int64 { return p.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation is settled.
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
