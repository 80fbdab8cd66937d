package awserr

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

// commonCodes has the codes with which any service of AWS refuses a call, and with which emulators
// say that they lack an operation.
var commonCodes = []string{
	"AccessDenied", "AccessDeniedException", "AuthFailure", "ExpiredToken", "ExpiredTokenException",
	"IncompleteSignature", "IncompleteSignatureException",
	"InternalError", "InternalFailure", "InternalServerError", "InvalidAccessKeyId", "InvalidClientTokenId",
	"InvalidSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException", "NotImplemented",
	"NotImplementedException", "OptInRequired", "PriorRequestNotComplete", "RequestExpired", "RequestLimitExceeded",
	"RequestThrottled", "RequestThrottledException", "RequestTimeout", "RequestTimeoutException",
	"SerializationException",
	"ServiceException", "ServiceUnavailable", "ServiceUnavailableException", "SignatureDoesNotMatch",
	"ThrottledException",
	"Throttling", "ThrottlingException", "TooManyRequestsException", "UnauthorizedOperation", "UnknownOperation",
	"UnknownOperationException", "UnrecognizedClientException", "ValidationError", "ValidationException",
}

// serviceCodes has the codes of single services, by the SDK's IDs of services. Those of S3 include
// what the SDK makes of a response without a body.
var serviceCodes = map[string][]string{
	// The SDK models the others, see isErrorOf.
	"Lambda": {"InvalidParameterCombination", "RequestEntityTooLargeException"},
	"STS": {
		"ExpiredTradeInTokenException", "IDPCommunicationError", "IDPRejectedClaim",
		"InvalidAuthorizationMessageException",
		"InvalidIdentityToken", "JWTPayloadSizeExceededException", "MalformedPolicyDocument",
		"OutboundWebIdentityFederationDisabledException", "PackedPolicyTooLarge", "RegionDisabledException",
		"SessionDurationEscalationException",
	},
	"S3": {
		"AuthorizationHeaderMalformed", "BadRequest", "Forbidden", "InvalidObjectState", "InvalidRequest",
		"MovedPermanently",
		"NoSuchBucket", "NoSuchKey", "NoSuchVersion", "NotFound", "PermanentRedirect", "PreconditionFailed", "SlowDown",
		"TemporaryRedirect",
	},
	// The codes with and without Exception or Fault: those of the query protocol are sent, too.
	"CloudWatch": {
		"InternalServiceError", "InternalServiceFault", "InvalidFormat", "InvalidFormatFault", "InvalidNextToken",
		"InvalidParameterCombination", "InvalidParameterCombinationException", "InvalidParameterInput",
		"InvalidParameterValue", "InvalidParameterValueException", "LimitExceeded", "LimitExceededException",
		"LimitExceededFault", "MissingParameter", "MissingRequiredParameterException", "ResourceNotFound",
		"ResourceNotFoundException",
	},
	"ECR": {
		"ImageNotFoundException", "InvalidParameterException", "LimitExceededException", "RepositoryNotFoundException",
		"ServerException", "UnableToGetUpstreamImageException",
	},
}

// isErrorOf reports whether a service of AWS has errors with a code.
func isErrorOf(service, code string) bool {
	return code != "" && (slices.Contains(commonCodes, code) || slices.Contains(serviceCodes[service], code) ||
		service == "Lambda" && isModelled(code))
}

// isModelled reports whether the SDK has a type for the errors of Lambda with a code.
func isModelled(code string) bool {
	e, ok := lambda.TypeRegistry.Entries["com.amazonaws.lambda#"+code]
	if !ok {
		return false
	}
	_, ok = e.New().(smithy.APIError)
	return ok
}

// noConcurrency explains the reasons of a throttled invocation that are about the function or its account. The other
// reasons are about the rate of the caller's requests.
var noConcurrency = map[types.ThrottleReason]string{
	types.ThrottleReasonReservedFunctionConcurrentInvocationLimitExceeded: "the function has no concurrency left: " +
		"its reservedConcurrentExecutions are 0 or in use, or the other functions of the account have reserved all " +
		"of it",
	types.ThrottleReasonConcurrentInvocationLimitExceeded: "the account has no concurrency left in this region: " +
		"other invocations use all of it",
	types.ThrottleReasonReservedFunctionInvocationRateLimitExceeded: "the function is invoked more often than its " +
		"reservedConcurrentExecutions allow, or they are 0",
	types.ThrottleReasonFunctionInvocationRateLimitExceeded: "the function is invoked more often than the " +
		"concurrency of the account allows",
}

// LacksConcurrency reports whether AWS has not run an invocation because the function, or the account, has no
// concurrency left. Fewer requests of the caller do not help, and with a reservation of 0 nothing but another one does.
func LacksConcurrency(err error) bool { return lackOfConcurrency(err) != "" }

// lackOfConcurrency returns why AWS has not run an invocation, empty if it is not for want of concurrency.
func lackOfConcurrency(err error) string {
	if e, ok := errors.AsType[*types.TooManyRequestsException](err); ok {
		return noConcurrency[e.Reason]
	}
	return ""
}
