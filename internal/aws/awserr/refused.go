package awserr

import (
	"net/http"
	"slices"
)

// withoutEffect are codes with which Lambda answers, as its own fault, a call that has had no
// effect: it could not set up what a function runs in.
var withoutEffect = []string{
	"ResourceNotReadyException", "InvalidSecurityGroupIDException", "InvalidSubnetIDException",
	"SubnetIPAddressLimitReachedException", "ENILimitReachedException",
	"EC2ThrottledException", "EC2UnexpectedException", "EC2AccessDeniedException",
	"KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException", "KMSNotFoundException",
	"InvalidRuntimeException", "InvalidZipFileException",
}

// IsRefused says that AWS has answered the call and done nothing of what it asked for.
// It is false where AWS itself failed, for then nobody knows.
func IsRefused(err error) bool {
	if Code(err) == "" {
		return false
	}
	status := StatusCode(err)
	return (status >= http.StatusBadRequest && status < http.StatusInternalServerError) || slices.Contains(withoutEffect, Code(err))
}
