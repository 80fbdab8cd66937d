package codesigningconfig

// The AWS operations that this kind calls.
const (
	opGet    = "GetCodeSigningConfig"
	opList   = "ListCodeSigningConfigs"
	opTags   = "ListTags"
	opCreate = "CreateCodeSigningConfig"
	opUpdate = "UpdateCodeSigningConfig"
	opDelete = "DeleteCodeSigningConfig"
)
