package resourcepolicy

// The AWS operations that this kind calls.
const (
	opRead   = "GetResourcePolicy"
	opPut    = "PutResourcePolicy"
	opDelete = "DeleteResourcePolicy"
)
