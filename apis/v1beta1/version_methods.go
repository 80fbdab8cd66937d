package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (v *Version) GetObservedGeneration() int64 { return v.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (v *Version) SetObservedGeneration(generation int64) {
	v.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (v *Version) GetLastHandledReconcileAt() string { return v.Status.GetLastHandledReconcileAt() }

// SetLastHandledReconcileAt says which reconcile request was handled.
func (v *Version) SetLastHandledReconcileAt(token string) {
	v.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (v *Version) SetSummary(s Summary) { v.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (v *Version) GetSummary() Summary { return v.Status.GetSummary() }
