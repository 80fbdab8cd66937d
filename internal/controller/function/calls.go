package function

import (
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

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

// calls names the operations that create and delete a function. Plan names those that update it.
var calls = reconcile.Calls{Create: opCreate, Delete: opDelete}

// asynchronous reports whether AWS applies the call asynchronously and rejects other calls until it is done.
func (c call) asynchronous() bool { return c == opUpdateConfiguration || c == opUpdateCode }

// dependsOn reports whether a call must wait while an earlier one is rejected: AWS
// validates code against its code signing, and a version includes code and configuration.
func (c call) dependsOn(other call) bool {
	switch c {
	case opUpdateCode:
		return other == opPutCodeSigning || other == opDeleteCodeSigning
	case opPublish:
		return other == opUpdateConfiguration || other == opUpdateCode
	default:
		return false
	}
}
