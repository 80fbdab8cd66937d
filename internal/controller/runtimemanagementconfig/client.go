package runtimemanagementconfig

// The AWS operations that this kind calls.
const (
	opGet = "GetRuntimeManagementConfig"
	opPut = "PutRuntimeManagementConfig"
)
