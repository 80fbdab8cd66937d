package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (v *Version) GetObservedGeneration() int64 { return v.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (v *Version) SetObservedGeneration(generation int64) {
	v.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (v *Version) GetLastHandledReconcileAt() string { return v.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (v *Version) SetLastHandledReconcileAt(token string) {
	v.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (v *Version) SetSummary(s Summary) { v.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (v *Version) GetSummary() Summary { return v.Status.GetSummary() }
