package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (a *Alias) GetObservedGeneration() int64 { return a.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (a *Alias) SetObservedGeneration(generation int64) {
	a.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (a *Alias) GetLastHandledReconcileAt() string { return a.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (a *Alias) SetLastHandledReconcileAt(token string) {
	a.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (a *Alias) SetSummary(s Summary) { a.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (a *Alias) GetSummary() Summary { return a.Status.GetSummary() }
