package awserr

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
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
