package v1beta1

// GetObservedGeneration returns the generation that was last reconciled.
func (u *FunctionURL) GetObservedGeneration() int64 { return u.Status.GetObservedGeneration() }

// SetObservedGeneration sets the generation that was last reconciled.
func (u *FunctionURL) SetObservedGeneration(generation int64) {
	u.Status.SetObservedGeneration(generation)
}

// GetLastHandledReconcileAt returns the token of the last handled reconcile request.
func (u *FunctionURL) GetLastHandledReconcileAt() string {
	return u.Status.GetLastHandledReconcileAt()
}

// SetLastHandledReconcileAt sets the token of the last handled reconcile request.
func (u *FunctionURL) SetLastHandledReconcileAt(token string) {
	u.Status.SetLastHandledReconcileAt(token)
}

// SetSummary sets the plain fields that summarize the conditions.
func (u *FunctionURL) SetSummary(s Summary) { u.Status.SetSummary(s) }

// GetSummary returns the plain fields that summarize the conditions.
func (u *FunctionURL) GetSummary() Summary { return u.Status.GetSummary() }
