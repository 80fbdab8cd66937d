package awserr

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// busyMessages has parts of messages of InvalidParameterValueException that do not mean that the
// input is wrong, but that AWS cannot do it now.
var busyMessages = []string{
	// terraform-provider-aws, lambda/function.go, which tries for 10 minutes.
	"throttled by ec2",
	"ec2 error code: requestlimitexceeded",
	"sufficient capacity",
	// terraform-provider-aws 15053, aws-cdk 8835: mount targets take minutes.
	"not all are in the available life cycle state yet",
}

// IsTransient reports whether the same call is likely to succeed in seconds or minutes without a change.
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

// isServerFault reports whether AWS failed, not the request.
func isServerFault(err error) bool {
	if isNotImplemented(err) {
		return false
	}
	switch Code(err) {
	case "ServiceException", "InternalFailure", "InternalError", "InternalServerError", "InternalServiceError",
		"InternalServiceFault", "ServiceUnavailable",
		"ServiceUnavailableException", "RequestTimeout", "RequestTimeoutException", "IDPCommunicationError",
		"EC2ThrottledException", "EC2UnexpectedException":
		return true
	default:
		return StatusCode(err) >= http.StatusInternalServerError
	}
}

// isNotImplemented reports whether the endpoint lacks the operation, as emulators of AWS answer.
func isNotImplemented(err error) bool { return StatusCode(err) == http.StatusNotImplemented }

// isTransientConnection reports whether a call got no response or an incomplete one.
func isTransientConnection(err error) bool {
	if errors.Is(err, context.Canceled) || isUntrusted(err) || isPlain(err) || isUnresolved(err) {
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

// terminal has the codes that stay the same until the user changes something.
var terminal = []string{
	"ValidationException", "InvalidParameterValueException", "InvalidParameterCombination", "SerializationException",
	"RequestEntityTooLargeException", "RequestTooLargeException", "SerializedRequestEntityTooLargeException",
	"InvalidRequestContentException", "UnsupportedMediaTypeException", "InvalidZipFileException",
	"InvalidRuntimeException",
	"CodeVerificationFailedException", "InvalidCodeSignatureException", "CodeSigningConfigNotFoundException",
	"CodeStorageExceededException", "PolicyLengthExceededException", "PublicPolicyException",
	"AliasLimitExceededException",
	"InvalidSecurityGroupIDException", "InvalidSubnetIDException", "NoPublishedVersionException",
	"ModeNotSupportedException",
	"CapacityProviderLimitExceededException", "FunctionVersionsPerCapacityProviderLimitExceededException",
	"ServiceQuotaExceededException",
}

// IsTerminal reports whether the call cannot succeed until the user changes the input, or what it
// names: retries soon are of no use. It is false for errors that may pass, see MayPass.
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
	if slices.Contains(terminal, Code(err)) || isElsewhere(err) || isNotImplemented(err) || isRefusedHere(err) {
		return true
	}
	return StatusCode(err) == http.StatusRequestEntityTooLarge
}
