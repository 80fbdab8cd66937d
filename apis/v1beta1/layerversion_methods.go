package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (l *LayerVersion) GetObservedGeneration() int64 { return l.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (l *LayerVersion) SetObservedGeneration(generation int64) {
	l.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (l *LayerVersion) GetLastHandledReconcileAt() string {
	return l.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (l *LayerVersion) SetLastHandledReconcileAt(token string) {
	l.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (l *LayerVersion) SetSummary(s Summary) { l.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (l *LayerVersion) GetSummary() Summary { return l.Status.GetSummary() }
