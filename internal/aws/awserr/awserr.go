// Package awserr says what an error of the AWS SDK means: whether a thing is
// absent, busy or in conflict, whether trying again will help, which field of
// spec is at fault, and how to say so in one line. It is the only place that
// knows AWS's error codes and messages.
package awserr

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Code of the AWS error in err's chain, such as ResourceNotFoundException.
// Empty if there is none.
func Code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// Message of the AWS error in err's chain as AWS wrote it. It may quote what
// the request held, secrets included: show Clean's instead.
func Message(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorMessage()
	}
	return ""
}

// StatusCode of the HTTP answer in err's chain. Zero if there was no answer.
func StatusCode(err error) int {
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && e.Response != nil && e.Response.Response != nil {
		return e.HTTPStatusCode()
	}
	return 0
}

// IsNotFound says that the thing asked for does not exist. A function of
// another region is not among these, though AWS's code is the same: it exists,
// only not here.
func IsNotFound(err error) bool {
	switch Code(err) {
	case "ResourceNotFoundException":
		return !isElsewhere(err)
	case "ProvisionedConcurrencyConfigNotFoundException", "NotFound", "NoSuchKey", "NoSuchBucket":
		return true
	default:
		return false
	}
}

// isElsewhere says that a function was named by an ARN of another region.
func isElsewhere(err error) bool {
	return contains(Message(err), "not reachable in this region")
}

// IsConflict says that the call does not go with the state of the thing: it
// exists already, or it is being changed.
func IsConflict(err error) bool {
	switch Code(err) {
	case "ResourceConflictException", "ResourceInUseException", "ResourceNotReadyException":
		return true
	case "":
		return false
	default:
		return StatusCode(err) == http.StatusConflict
	}
}

// IsAlreadyExists says that a create found the thing there. Whose it is only
// its tags can tell.
func IsAlreadyExists(err error) bool {
	return IsConflict(err) && contains(Message(err), "already exist", "exists for this lambda function")
}

// IsInProgress says that an earlier change is still under way: the call may be
// made again when that has settled, which takes seconds to minutes.
func IsInProgress(err error) bool {
	if !IsConflict(err) || IsAlreadyExists(err) {
		return false
	}
	if code := Code(err); code == "ResourceInUseException" || code == "ResourceNotReadyException" {
		return true
	}
	return contains(Message(err),
		"cannot be performed at this time", "in progress", "currently in the following state", "concurrent update")
}

// IsPreconditionFailed says that the thing changed since it was read: the
// revision id that the call carried is not the latest.
func IsPreconditionFailed(err error) bool {
	return Code(err) == "PreconditionFailedException" || StatusCode(err) == http.StatusPreconditionFailed
}

// IsThrottled says that AWS refused the call for the rate of calls.
func IsThrottled(err error) bool {
	switch Code(err) {
	case "TooManyRequestsException", "ThrottlingException", "Throttling", "ThrottledException", "RequestLimitExceeded",
		"RequestThrottled", "RequestThrottledException", "SlowDown", "PriorRequestNotComplete":
		return true
	default:
		return StatusCode(err) == http.StatusTooManyRequests
	}
}

// RetryAfter is how long AWS asked to be left alone, at most a minute, or how
// long a call that was not sent has to wait. It is false where nobody said.
func RetryAfter(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[later](err); ok {
		return e.RetryAfter(), true
	}
	after := ""
	if e, ok := errors.AsType[*types.TooManyRequestsException](err); ok && e.RetryAfterSeconds != nil {
		after = *e.RetryAfterSeconds
	}
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && after == "" && e.Response != nil && e.Response.Response != nil {
		after = e.Response.Header.Get("Retry-After")
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(after), 64)
	if err != nil || !(seconds > 0) {
		return 0, false
	}
	return min(time.Duration(min(seconds, 60)*float64(time.Second)), time.Minute), true
}

// IsAccessDenied says that the identity may not do this. Clean says which
// action is missing.
func IsAccessDenied(err error) bool {
	switch Code(err) {
	case "AccessDeniedException", "AccessDenied", "UnauthorizedOperation", "Forbidden":
		return true
	default:
		return false
	}
}

// IsUnauthenticated says that AWS does not accept the credentials: they are
// unknown, expired or wrong.
func IsUnauthenticated(err error) bool {
	return slices.Contains(unauthenticated, Code(err))
}

// unauthenticated are codes by which services refuse credentials.
var unauthenticated = []string{
	"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "InvalidAccessKeyId", "UnrecognizedClientException",
	"SignatureDoesNotMatch", "InvalidSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException",
	"IncompleteSignature", "InvalidIdentityToken", "IDPRejectedClaim", "AuthFailure",
}

// IsReplicated says that a delete has to wait until Lambda@Edge has taken away
// the function's replicas, which takes hours.
func IsReplicated(err error) bool {
	return contains(Message(err), "because it is a replicated function")
}

// contains says whether s holds one of the parts, whatever the case. The parts
// are lower case.
func contains(s string, parts ...string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}
