package alias

// The AWS operations that this kind calls.
const (
	opGet    = "GetAlias"
	opList   = "ListAliases"
	opCreate = "CreateAlias"
	opUpdate = "UpdateAlias"
	opDelete = "DeleteAlias"

	opGetConfiguration = "GetFunctionConfiguration"
	opInvoke           = "Invoke"
)
