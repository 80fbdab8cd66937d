package function

import "github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"

// The AWS operations that this kind calls, by the names that the quota package uses.
const (
	opCreate         = "CreateFunction"
	opDelete         = "DeleteFunction"
	opGet            = "GetFunction"
	opGetCodeSigning = "GetFunctionCodeSigningConfig"
	opGetRecursion   = "GetFunctionRecursionConfig"
	opGetScaling     = "GetFunctionScalingConfig"
)

// A call is a mutating call to AWS on an existing function.
type call string

// The mutating calls, named after their AWS operations.
const (
	opNone                call = ""
	opUpdateConfiguration call = "UpdateFunctionConfiguration"
	opUpdateCode          call = "UpdateFunctionCode"
	opPublish             call = "PublishVersion"
	opPutConcurrency      call = "PutFunctionConcurrency"
	opDeleteConcurrency   call = "DeleteFunctionConcurrency"
	opTag                 call = tagging.OpTag
	opUntag               call = tagging.OpUntag
	opPutCodeSigning      call = "PutFunctionCodeSigningConfig"
	opDeleteCodeSigning   call = "DeleteFunctionCodeSigningConfig"
	opPutRecursion        call = "PutFunctionRecursionConfig"
	opPutScaling          call = "PutFunctionScalingConfig"
)
