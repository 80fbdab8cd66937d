package permission

// The AWS operations that this kind calls.
const (
	opRead   = "GetPolicy"
	opAdd    = "AddPermission"
	opRemove = "RemovePermission"
)

// policyTooLong is the code of AWS's error for a policy of more than 20 KB.
const policyTooLong = "PolicyLengthExceededException"
