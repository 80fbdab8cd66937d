package capacityprovider

// The AWS operations that this kind calls.
const (
	opGet    = "GetCapacityProvider"
	opTags   = "ListTags"
	opCreate = "CreateCapacityProvider"
	opUpdate = "UpdateCapacityProvider"
	opDelete = "DeleteCapacityProvider"
)
