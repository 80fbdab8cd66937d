package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (a *Alias) GetObservedGeneration() int64 { return a.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (a *Alias) SetObservedGeneration(generation int64) {
	a.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (a *Alias) GetLastHandledReconcileAt() string { return a.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt says which reconcile request was handled.
func (a *Alias) SetLastHandledReconcileAt(token string) {
	a.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (a *Alias) SetSummary(s Summary) { a.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (a *Alias) GetSummary() Summary { return a.Status.GetSummary() }
