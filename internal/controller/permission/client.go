package permission

// The AWS operations that this kind calls.
const (
	opRead   = "GetPolicy"
	opAdd    = "AddPermission"
	opRemove = "RemovePermission"
)
