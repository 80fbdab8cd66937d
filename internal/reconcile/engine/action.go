package engine

// An action is what a reconcile did to the external resource.
type action int

const (
	actionNone action = iota
	actionCreated
	actionUpdated
	actionDeleted

	// actionPending means that a deletion waits for a confirmation.
	actionPending
)
