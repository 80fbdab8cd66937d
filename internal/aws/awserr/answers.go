package awserr

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Foreign returns the error of a call to an endpoint that may not be AWS's, such as one that a tenant names. Anything
// may answer there, and its response could hold what only the provider may read. So the error has only what the
// provider has found out itself, and responses with the form and a code of the service's errors.
func Foreign(service string, err error) error {
	if err == nil || isErrorOf(service, Code(err)) || found(err) {
		return err
	}
	strange := &StrangeError{Status: StatusCode(err)}
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return &smithyhttp.ResponseError{Response: e.Response, Err: strange}
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return &smithyhttp.RequestSendError{Err: strange}
	}
	return strange
}

// found reports whether an error is one that the provider has found out itself.
func found(err error) bool {
	if Code(err) != "" {
		return false
	}
	if _, ok := errors.AsType[explained](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return true
	}
	return isUntrusted(err) || IsTimeout(err) || errors.Is(err, context.Canceled)
}

// withoutEffect has the codes with which Lambda fails, as its own fault, a call that has had no
// effect: it could not set up the function's environment.
var withoutEffect = []string{
	"ResourceNotReadyException", "InvalidSecurityGroupIDException", "InvalidSubnetIDException",
	"SubnetIPAddressLimitReachedException", "ENILimitReachedException",
	"EC2ThrottledException", "EC2UnexpectedException", "EC2AccessDeniedException",
	"KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException", "KMSNotFoundException",
	"InvalidRuntimeException", "InvalidZipFileException",
}

// IsRefused reports whether AWS, or an endpoint that lacks the operation, has answered the call and done nothing. It is
// false if AWS itself failed, because then that is not known, and for a timeout without a code, which a proxy reports.
func IsRefused(err error) bool {
	code, status := Code(err), StatusCode(err)
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
		(code != "" || status != http.StatusRequestTimeout) ||
		IsUnsupported(err) || slices.Contains(withoutEffect, code)
}

// IsLacking reports whether the endpoint seems to lack the operation: it says so, or answers with a page, as moto and
// kumo do. The page may also be that of a proxy.
func IsLacking(err error) bool {
	if Code(err) != "" {
		return IsUnsupported(err)
	}
	switch StatusCode(err) {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusNotImplemented:
		return true
	}
	return false
}

// IsUnanswered reports whether a call got no response: its endpoint could not be reached, did not answer in time, or
// broke off. It is false for any response of AWS, and for calls that were not sent.
func IsUnanswered(err error) bool {
	if err == nil || Code(err) != "" || isRefusedHere(err) {
		return false
	}
	if _, ok := errors.AsType[later](err); ok {
		return false
	}
	if slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) }) {
		return true
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return true
	}
	if _, ok := errors.AsType[*aws.RequestCanceledError](err); ok {
		return true
	}
	_, unsent := errors.AsType[*smithyhttp.RequestSendError](err)
	return unsent
}

// IsUnsupported reports whether the endpoint lacks the operation: it is an emulator, or a region
// that does not have it yet. It says nothing about the resource of the call.
func IsUnsupported(err error) bool {
	switch Code(err) {
	case "":
		return false
	case "UnknownOperationException", "UnknownOperation", "NotImplemented", "NotImplementedException":
		return true
	default:
		return StatusCode(err) == http.StatusNotImplemented || isUndetermined(Message(err))
	}
}
