package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (l *LayerVersion) GetObservedGeneration() int64 { return l.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (l *LayerVersion) SetObservedGeneration(generation int64) {
	l.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (l *LayerVersion) GetLastHandledReconcileAt() string {
	return l.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt says which reconcile request was handled.
func (l *LayerVersion) SetLastHandledReconcileAt(token string) {
	l.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (l *LayerVersion) SetSummary(s Summary) { l.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (l *LayerVersion) GetSummary() Summary { return l.Status.GetSummary() }
