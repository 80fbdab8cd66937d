package awserr

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// busyMessages are parts of InvalidParameterValueException's messages that do not say
// that the input is wrong, but that AWS can't do it now.
var busyMessages = []string{
	// terraform-provider-aws, lambda/function.go, which tries for 10 minutes.
	"throttled by ec2",
	"ec2 error code: requestlimitexceeded",
	"sufficient capacity",
	// terraform-provider-aws 15053, aws-cdk 8835: mount targets take minutes.
	"not all are in the available life cycle state yet",
}

// IsTransient says that the same call is likely to succeed in seconds or
// minutes, with nothing changed.
func IsTransient(err error) bool {
	if err == nil {
		return false
	}
	if Code(err) == "" {
		return isTransientConnection(err)
	}
	if IsThrottled(err) || IsPreconditionFailed(err) {
		return true
	}
	if IsConflict(err) {
		return !IsAlreadyExists(err)
	}
	if Code(err) == "InvalidParameterValueException" {
		return contains(Message(err), busyMessages...)
	}
	return isServerFault(err)
}

// isServerFault says that AWS failed, not the request.
func isServerFault(err error) bool {
	if isNotImplemented(err) {
		return false
	}
	switch Code(err) {
	case "ServiceException", "InternalFailure", "InternalError", "InternalServerError", "ServiceUnavailable",
		"ServiceUnavailableException", "RequestTimeout", "RequestTimeoutException", "IDPCommunicationError",
		"EC2ThrottledException", "EC2UnexpectedException":
		return true
	default:
		return StatusCode(err) >= http.StatusInternalServerError
	}
}

// isNotImplemented says that the endpoint does not have the operation, as emulators of
// AWS answer.
func isNotImplemented(err error) bool { return StatusCode(err) == http.StatusNotImplemented }

// isTransientConnection says that a call got no answer, or half of one.
func isTransientConnection(err error) bool {
	if errors.Is(err, context.Canceled) || isUntrusted(err) {
		return false
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return false
	}
	if isRefusedHere(err) {
		return false
	}
	if StatusCode(err) >= http.StatusInternalServerError && !isNotImplemented(err) || IsThrottled(err) {
		return true
	}
	if _, ok := errors.AsType[later](err); ok {
		return true
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return true
	}
	return slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) })
}

// isRefusedHere says that the provider itself does not go on: the host is not allowed, or
// answers with what is of no use. That stays so.
func isRefusedHere(err error) bool {
	if _, ok := errors.AsType[*HostError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*RedirectError](err); ok {
		return true
	}
	_, ok := errors.AsType[*OversizeError](err)
	return ok
}

// A later error says itself when to come back: the call was not sent.
type later interface {
	error
	RetryAfter() time.Duration
}

// broken are what a connection ends with when it ends too soon.
var broken = []error{
	context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF,
	syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE, syscall.ETIMEDOUT,
}

// isUntrusted says that the endpoint's certificate is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// terminal are codes that stay the same until the user changes something.
var terminal = []string{
	"ValidationException", "InvalidParameterValueException", "InvalidParameterCombination", "SerializationException",
	"RequestEntityTooLargeException", "RequestTooLargeException", "SerializedRequestEntityTooLargeException",
	"InvalidRequestContentException", "UnsupportedMediaTypeException", "InvalidZipFileException", "InvalidRuntimeException",
	"CodeVerificationFailedException", "InvalidCodeSignatureException", "CodeSigningConfigNotFoundException",
	"CodeStorageExceededException", "PolicyLengthExceededException", "PublicPolicyException", "AliasLimitExceededException",
	"InvalidSecurityGroupIDException", "InvalidSubnetIDException", "NoPublishedVersionException", "ModeNotSupportedException",
	"CapacityProviderLimitExceededException", "FunctionVersionsPerCapacityProviderLimitExceededException",
	"ServiceQuotaExceededException",
}

// IsTerminal says that the call cannot succeed until the user changes the
// input, or what it names: trying again soon is of no use. It is false where that is
// not known yet: see MayPass.
func IsTerminal(err error) bool {
	if err == nil || IsTransient(err) || IsReplicated(err) {
		return false
	}
	if _, ok := MayPass(err); ok {
		return false
	}
	if _, ok := errors.AsType[smithy.InvalidParamsError](err); ok {
		return true
	}
	if slices.Contains(terminal, Code(err)) || isElsewhere(err) || isNotImplemented(err) {
		return true
	}
	return StatusCode(err) == http.StatusRequestEntityTooLarge
}
