package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (i *Invocation) GetObservedGeneration() int64 { return i.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (i *Invocation) SetObservedGeneration(generation int64) {
	i.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (i *Invocation) GetLastHandledReconcileAt() string { return i.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (i *Invocation) SetLastHandledReconcileAt(token string) {
	i.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (i *Invocation) SetSummary(s Summary) { i.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (i *Invocation) GetSummary() Summary { return i.Status.GetSummary() }
