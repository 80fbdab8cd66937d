package memory

// An Action is a change that a reconcile made to the external resource.
type Action int

const (
	ActionNone Action = iota
	ActionCreated
	ActionUpdated
	ActionDeleted

	// ActionPending means that a deletion waits for a confirmation.
	ActionPending
)
