package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (f *Function) GetObservedGeneration() int64 { return f.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (f *Function) SetObservedGeneration(generation int64) {
	f.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (f *Function) GetLastHandledReconcileAt() string { return f.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (f *Function) SetLastHandledReconcileAt(token string) {
	f.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (f *Function) SetSummary(s Summary) { f.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (f *Function) GetSummary() Summary { return f.Status.GetSummary() }
