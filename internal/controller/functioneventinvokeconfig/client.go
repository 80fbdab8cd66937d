package functioneventinvokeconfig

// The AWS operations that this kind calls.
const (
	opGet    = "GetFunctionEventInvokeConfig"
	opPut    = "PutFunctionEventInvokeConfig"
	opDelete = "DeleteFunctionEventInvokeConfig"
)
