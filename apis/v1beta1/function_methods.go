package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (f *Function) GetObservedGeneration() int64 { return f.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (f *Function) SetObservedGeneration(generation int64) {
	f.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (f *Function) GetLastHandledReconcileAt() string { return f.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt says which reconcile request was handled.
func (f *Function) SetLastHandledReconcileAt(token string) {
	f.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (f *Function) SetSummary(s Summary) { f.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (f *Function) GetSummary() Summary { return f.Status.GetSummary() }
