package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (m *EventSourceMapping) GetObservedGeneration() int64 { return m.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (m *EventSourceMapping) SetObservedGeneration(generation int64) {
	m.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (m *EventSourceMapping) GetLastHandledReconcileAt() string {
	return m.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt says which reconcile request was handled.
func (m *EventSourceMapping) SetLastHandledReconcileAt(token string) {
	m.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (m *EventSourceMapping) SetSummary(s Summary) { m.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (m *EventSourceMapping) GetSummary() Summary { return m.Status.GetSummary() }
