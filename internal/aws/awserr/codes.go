package awserr

import "slices"

// commonCodes has the codes with which any service of AWS refuses a call, and with which emulators
// say that they lack an operation.
var commonCodes = []string{
	"AccessDenied", "AccessDeniedException", "AuthFailure", "ExpiredToken", "ExpiredTokenException",
	"IncompleteSignature",
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
	"Lambda": {
		"AliasLimitExceededException", "CallbackTimeoutException", "CapacityProviderLimitExceededException",
		"CodeArtifactUserDeletedException", "CodeArtifactUserFailedException", "CodeArtifactUserPendingException",
		"CodeSigningConfigNotFoundException", "CodeStorageExceededException", "CodeVerificationFailedException",
		"DurableExecutionAlreadyStartedException", "EC2AccessDeniedException", "EC2ThrottledException",
		"EC2UnexpectedException",
		"EFSIOException", "EFSMountConnectivityException", "EFSMountFailureException", "EFSMountTimeoutException",
		"ENILimitReachedException", "ENINotReadyException", "FunctionVersionsPerCapacityProviderLimitExceededException",
		"InvalidCodeSignatureException", "InvalidParameterCombination", "InvalidParameterValueException",
		"InvalidRequestContentException", "InvalidRuntimeException", "InvalidSecurityGroupIDException",
		"InvalidSubnetIDException",
		"InvalidZipFileException", "KMSAccessDeniedException", "KMSDisabledException", "KMSInvalidStateException",
		"KMSNotFoundException", "ModeNotSupportedException", "NoPublishedVersionException",
		"PolicyLengthExceededException",
		"PreconditionFailedException", "ProvisionedConcurrencyConfigNotFoundException", "PublicPolicyException",
		"RecursiveInvocationException", "RequestEntityTooLargeException", "RequestTooLargeException",
		"ResourceConflictException",
		"ResourceInUseException", "ResourceNotFoundException", "ResourceNotReadyException",
		"S3FilesMountConnectivityException",
		"S3FilesMountFailureException", "S3FilesMountTimeoutException",
		"SerializedRequestEntityTooLargeException", "ServiceQuotaExceededException", "SnapStartException",
		"SnapStartNotReadyException", "SnapStartRegenerationFailureException", "SnapStartTimeoutException",
		"SubnetIPAddressLimitReachedException", "UnsupportedMediaTypeException",
	},
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
	return code != "" && (slices.Contains(commonCodes, code) || slices.Contains(serviceCodes[service], code))
}
