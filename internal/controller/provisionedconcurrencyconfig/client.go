package provisionedconcurrencyconfig

// The AWS operations that this kind calls.
const (
	opGet    = "GetProvisionedConcurrencyConfig"
	opPut    = "PutProvisionedConcurrencyConfig"
	opDelete = "DeleteProvisionedConcurrencyConfig"
)
