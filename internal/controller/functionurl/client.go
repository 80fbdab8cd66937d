package functionurl

// The AWS operations that this kind calls.
const (
	opGet    = "GetFunctionUrlConfig"
	opCreate = "CreateFunctionUrlConfig"
	opUpdate = "UpdateFunctionUrlConfig"
	opDelete = "DeleteFunctionUrlConfig"
)
