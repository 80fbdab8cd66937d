package awserr

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Code returns the code of the AWS error in err's chain, such as ResourceNotFoundException, or an
// empty string if there is none.
func Code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// unknown is the placeholder that the SDK has for an error without a code, or without a message.
const unknown = "UnknownError"

// Message returns the message of the AWS error in err's chain as AWS wrote it. It may quote the
// request, secrets included: show users the message of Sanitize instead.
func Message(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok && e.ErrorMessage() != unknown {
		return e.ErrorMessage()
	}
	return ""
}

// StatusCode returns the status of the HTTP response in err's chain, 0 if there was no response.
func StatusCode(err error) int {
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && e.Response != nil && e.Response.Response != nil {
		return e.HTTPStatusCode()
	}
	return 0
}

// contains reports whether s contains one of the parts, ignoring case. The parts are in lower case.
func contains(s string, parts ...string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

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

// LacksSnapshots reports whether AWS has throttled a call because the account creates too many snapshots of SnapStart
// at once. Fewer requests do not help. AWS names that reason, or that of the rate of requests with another message.
func LacksSnapshots(err error) bool {
	e, ok := errors.AsType[*types.TooManyRequestsException](err)
	return ok && (e.Reason == types.ThrottleReasonConcurrentSnapshotCreateLimitExceeded ||
		contains(Message(err), "concurrent snapshot creation limit"))
}

// isUndetermined reports whether Lambda denies a call because it does not know the operation.
func isUndetermined(message string) bool {
	return contains(message, "unable to determine service/operation name")
}

// deniedPattern matches IAM's messages: who may not do what, on what, and why.
var deniedPattern = regexp.MustCompile(
	`(?:User|Principal): (\S+) is not authorized to perform: (\S+?)(?: on resource: (\S+?))?(?:\.?$|\s+(with an explicit deny.*|because .*))`)

// actions maps operations to their IAM actions, if those are spelled differently.
var actions = map[string]string{
	"Lambda Invoke":                 "lambda:InvokeFunction",
	"S3 HeadObject":                 "s3:GetObject",
	"STS AssumeRole":                "sts:AssumeRole",
	"STS AssumeRoleWithWebIdentity": "sts:AssumeRoleWithWebIdentity",
}

// describeDenied names the action that is missing, and the way to grant it. message is AWS's own without what differs
// between attempts, and short the same in at most maxLength characters.
func describeDenied(message, short string, op *smithy.OperationError) string {
	f := deniedPattern.FindStringSubmatch(message)
	if f == nil {
		return deniedUnsaid(short, op)
	}
	who, action, on, why := cut(f[1], maxPart), cut(f[2], maxPart), cut(strings.Trim(f[3], `"`), maxPart), f[4]
	what := action
	if on != "" {
		what += " on " + on
	}
	return who + " may not " + what + ": " + grant(action, who, on, why)
}

// otherDenials has advice on denials whose messages, of which part is one in lower case, are not about the operation.
var otherDenials = []struct{ part, advice string }{
	{"cross-account pass role", "use a role of the account of the identity"},
	{"denied by s3", "allow s3:GetObject, or s3:GetObjectVersion of a version, in a policy of the identity, and in " +
		"that of a bucket of another account, and check that the object exists"},
	{"access the ecr image", "allow ecr:BatchGetImage and ecr:GetDownloadUrlForLayer for lambda.amazonaws.com in the " +
		"policy of the repository, or allow the identity ecr:GetRepositoryPolicy and ecr:SetRepositoryPolicy, by " +
		"which Lambda does so"},
}

// deniedUnsaid names the action by the operation, for messages of AWS that do not name it.
func deniedUnsaid(short string, op *smithy.OperationError) string {
	reason := short
	if reason == "" || strings.EqualFold(reason, "forbidden") {
		reason = "AWS gave no reason"
	}
	if op == nil {
		return reason + ": check the account, the region and the policies of the identity"
	}
	if isUndetermined(reason) {
		return reason + ": " + op.Service() + " lacks " + op.Operation() +
			" in this region, or the account has enabled the region only lately"
	}
	action := ActionOf(op.Service(), op.Operation())
	reason = strings.TrimSuffix(reason, ".")
	for _, d := range otherDenials {
		if contains(reason, d.part) {
			return reason + ": " + d.advice
		}
	}
	if strings.HasPrefix(action, "sts:AssumeRole") {
		return reason + ": " + grant(action, "the identity", "the role", "")
	}
	return reason + ": allow " + action + " in a policy of the identity, and check that the resource is in its account"
}

// ActionOf returns the IAM action of an operation of a service, such as lambda:InvokeFunction of Lambda's Invoke.
func ActionOf(service, operation string) string {
	if a, ok := actions[service+" "+operation]; ok {
		return a
	}
	return strings.ToLower(strings.ReplaceAll(service, " ", "")) + ":" + operation
}

func grant(action, who, on, why string) string {
	switch {
	case contains(why, "explicit deny in a service control policy", "no service control policy"):
		return "a service control policy of the organization forbids it: ask its administrator"
	case contains(why, "resource control policy"):
		return "a resource control policy of the organization forbids it: ask its administrator"
	case contains(why, "explicit deny"):
		return "a policy denies it explicitly: remove that statement"
	case contains(why, "permissions boundary"):
		return "allow it in the identity's permissions boundary too"
	case contains(why, "session policy"):
		return "allow it in the session's policy too (policy or policyARNs in assumeRoleChain)"
	case contains(why, "vpc endpoint policy"):
		return "allow it in the VPC endpoint's policy too"
	case action == "sts:AssumeRole", action == "sts:TagSession":
		return "allow " + action + " on " + cmp.Or(on, "*") + " for " + who + " in its policy, and trust " + who +
			" in the role's trust policy, with the external id and tags that it asks for"
	case action == "sts:AssumeRoleWithWebIdentity":
		return "trust the token's issuer, audience and subject in the role's trust policy"
	case contains(why, "resource-based policy"):
		return "allow it in the resource's own policy"
	default:
		return "allow it in a policy of the identity"
	}
}
