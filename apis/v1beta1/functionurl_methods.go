package v1beta1

// GetObservedGeneration is the generation that was last looked at.
func (u *FunctionURL) GetObservedGeneration() int64 { return u.Status.GetObservedGeneration() }

// SetObservedGeneration says which generation was looked at.
func (u *FunctionURL) SetObservedGeneration(generation int64) {
	u.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt is the last reconcile request that was handled.
func (u *FunctionURL) GetLastHandledReconcileAt() string {
	return u.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt says which reconcile request was handled.
func (u *FunctionURL) SetLastHandledReconcileAt(token string) {
	u.Status.SetLastHandledReconcileAt(token)
}

// SetSummary says in plain fields what the conditions come to.
func (u *FunctionURL) SetSummary(s Summary) { u.Status.SetSummary(s) }

// GetSummary is what the conditions come to, in plain fields.
func (u *FunctionURL) GetSummary() Summary { return u.Status.GetSummary() }
