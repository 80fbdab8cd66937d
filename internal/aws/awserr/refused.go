package awserr

import (
	"net/http"
	"slices"
)

// withoutEffect has the codes with which Lambda fails, as its own fault, a call that has had no
// effect: it could not set up the function's environment.
var withoutEffect = []string{
	"ResourceNotReadyException", "InvalidSecurityGroupIDException", "InvalidSubnetIDException",
	"SubnetIPAddressLimitReachedException", "ENILimitReachedException",
	"EC2ThrottledException", "EC2UnexpectedException", "EC2AccessDeniedException",
	"KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException", "KMSNotFoundException",
	"InvalidRuntimeException", "InvalidZipFileException",
}

// IsRefused reports whether AWS has answered the call and done nothing. It is false if AWS itself
// failed, because then that is not known.
func IsRefused(err error) bool {
	if Code(err) == "" {
		return false
	}
	status := StatusCode(err)
	return (status >= http.StatusBadRequest && status < http.StatusInternalServerError) ||
		slices.Contains(withoutEffect, Code(err))
}
