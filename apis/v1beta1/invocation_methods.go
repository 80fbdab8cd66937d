package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (i *Invocation) GetObservedGeneration() int64 { return i.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (i *Invocation) SetObservedGeneration(generation int64) {
	i.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (i *Invocation) GetLastHandledReconcileAt() string { return i.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt says which reconcile request was handled.
func (i *Invocation) SetLastHandledReconcileAt(token string) {
	i.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (i *Invocation) SetSummary(s Summary) { i.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (i *Invocation) GetSummary() Summary { return i.Status.GetSummary() }
