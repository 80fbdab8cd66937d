package memory

// An Action is a change that a reconcile made to the external resource.
type Action int

const (
	// ActionNone means that no call was made.
	ActionNone Action = iota

	// ActionCreated means that AWS has accepted the creation.
	ActionCreated

	// ActionUpdated means that AWS has accepted a change.
	ActionUpdated

	// ActionDeleted means that AWS has accepted the deletion.
	ActionDeleted

	// ActionPending means that a deletion waits for a confirmation.
	ActionPending
)
