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

// unsettled are parts of InvalidParameterValueException's messages that do not
// mean that the input is wrong, but that what it names is not ready yet: a role
// that IAM has not spread, a grant that KMS has not made, EC2 being busy.
var unsettled = []string{
	"cannot be assumed by lambda",
	"execution role does not have permissions",
	"ensure the role can perform",
	"throttled by ec2",
	"ec2 error code: requestlimitexceeded",
	"kms key is invalid for creategrant",
	"sufficient capacity",
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
		return contains(Message(err), unsettled...)
	}
	return isServerFault(err)
}

// isServerFault says that AWS failed, not the request.
func isServerFault(err error) bool {
	switch Code(err) {
	case "ServiceException", "InternalFailure", "InternalError", "InternalServerError", "ServiceUnavailable",
		"ServiceUnavailableException", "RequestTimeout", "RequestTimeoutException", "IDPCommunicationError",
		"EC2ThrottledException", "EC2UnexpectedException":
		return true
	default:
		return StatusCode(err) >= http.StatusInternalServerError
	}
}

// isTransientConnection says that a call got no answer, or half of one.
func isTransientConnection(err error) bool {
	if errors.Is(err, context.Canceled) || isUntrusted(err) {
		return false
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return false
	}
	if StatusCode(err) >= http.StatusInternalServerError || IsThrottled(err) {
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
// input, or what it names: trying again soon is of no use.
func IsTerminal(err error) bool {
	if err == nil || IsTransient(err) || IsReplicated(err) {
		return false
	}
	if _, ok := errors.AsType[smithy.InvalidParamsError](err); ok {
		return true
	}
	if slices.Contains(terminal, Code(err)) || isElsewhere(err) {
		return true
	}
	return StatusCode(err) == http.StatusRequestEntityTooLarge
}
