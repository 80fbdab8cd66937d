package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (m *EventSourceMapping) GetObservedGeneration() int64 { return m.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (m *EventSourceMapping) SetObservedGeneration(generation int64) {
	m.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (m *EventSourceMapping) GetLastHandledReconcileAt() string {
	return m.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (m *EventSourceMapping) SetLastHandledReconcileAt(token string) {
	m.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (m *EventSourceMapping) SetSummary(s Summary) { m.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (m *EventSourceMapping) GetSummary() Summary { return m.Status.GetSummary() }
