// Package awserr interprets errors of the AWS SDK: whether a resource is absent, busy or in
// conflict, whether a retry will help, which field of spec is at fault, and how to say so in one
// line. It is the only place that knows AWS's error codes and messages.
package awserr

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// IsNotFound reports whether the resource does not exist. It is false for a function of another
// region, although AWS returns the same code: it exists elsewhere.
func IsNotFound(err error) bool {
	switch Code(err) {
	case "ResourceNotFoundException":
		return !isElsewhere(err)
	case "ProvisionedConcurrencyConfigNotFoundException", "NotFound", "NoSuchKey", "NoSuchVersion",
		"NoSuchBucket", "RepositoryNotFoundException":
		return true
	default:
		return false
	}
}

// isElsewhere reports whether a function was named by an ARN of another region.
func isElsewhere(err error) bool { return contains(Message(err), "not reachable in this region") }

// IsOfImage reports whether AWS has refused a call about a setting that functions with container images do not have.
// go-to-k/cdkd 1894 quotes its messages, about the management of runtimes and code signing.
func IsOfImage(err error) bool {
	return Code(err) == "InvalidParameterValueException" && contains(Message(err), "container image")
}

// IsInvalidValue reports whether CloudWatch does not accept a value of the call. Emulators answer with the second code,
// such as fakecloud (2499).
func IsInvalidValue(err error) bool {
	return slices.Contains([]string{"ValidationError", "InvalidParameterValue"}, Code(err))
}

// IsQueueNotFound reports whether a queue of SQS does not exist. SQS has two codes for it.
func IsQueueNotFound(err error) bool {
	switch Code(err) {
	case "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue":
		return true
	default:
		return false
	}
}

// IsConflict reports whether the state of the resource does not allow the call: it exists already,
// or it is being changed.
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

// IsAlreadyExists reports whether a create found an existing resource. Only its tags say who owns it.
func IsAlreadyExists(err error) bool {
	return IsConflict(err) && contains(Message(err), "already exist", "exists for this lambda function")
}

// IsInProgress reports whether an earlier change is under way. The call may be repeated after that,
// in seconds to minutes.
func IsInProgress(err error) bool {
	if !IsConflict(err) || IsAlreadyExists(err) {
		return false
	}
	if code := Code(err); code == "ResourceInUseException" || code == "ResourceNotReadyException" {
		return true
	}
	return contains(Message(err),
		"cannot be performed at this time", "in progress", "currently in the following state", "concurrent update",
		"previous request is being processed")
}

// IsPreconditionFailed reports whether the resource has changed since it was read: the revision ID
// of the call is not the latest.
func IsPreconditionFailed(err error) bool {
	return Code(err) == "PreconditionFailedException" || StatusCode(err) == http.StatusPreconditionFailed
}

// IsThrottled reports whether AWS refused the call because of the rate of requests. It is false for an invocation for
// which there is no concurrency, see LacksConcurrency.
func IsThrottled(err error) bool {
	if LacksConcurrency(err) {
		return false
	}
	switch Code(err) {
	case "TooManyRequestsException", "ThrottlingException", "Throttling", "ThrottledException", "RequestLimitExceeded",
		"RequestThrottled", "RequestThrottledException", "SlowDown", "PriorRequestNotComplete":
		return true
	default:
		return StatusCode(err) == http.StatusTooManyRequests
	}
}

// RetryAfter returns how long AWS asked to wait, at most a minute, or how long a call that was not
// sent must wait. It is false if neither is known.
func RetryAfter(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[later](err); ok {
		return e.RetryAfter(), true
	}
	after := ""
	if e, ok := errors.AsType[*types.TooManyRequestsException](err); ok && e.RetryAfterSeconds != nil {
		after = *e.RetryAfterSeconds
	}
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && after == "" && e.Response != nil &&
		e.Response.Response != nil {
		after = e.Response.Header.Get("Retry-After")
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(after), 64)
	if err != nil || !(seconds > 0) {
		return 0, false
	}
	return min(time.Duration(min(seconds, 60)*float64(time.Second)), time.Minute), true
}

// IsAccessDenied reports whether the identity lacks a permission. Sanitize says which.
func IsAccessDenied(err error) bool {
	switch Code(err) {
	case "AccessDeniedException", "AccessDenied", "UnauthorizedOperation", "Forbidden":
		return true
	default:
		return false
	}
}

// IsExplicitlyDenied reports whether a policy of the identity denies the call, as the one by which IAM revokes sessions
// denies all calls of sessions that are older than it.
func IsExplicitlyDenied(err error) bool {
	return IsAccessDenied(err) && contains(Message(err), "explicit deny in an identity-based policy")
}

// IsUnauthenticated reports whether AWS does not accept the credentials: they are unknown, expired or wrong.
func IsUnauthenticated(err error) bool { return slices.Contains(unauthenticated, Code(err)) }

// unauthenticated has the codes with which services refuse credentials.
var unauthenticated = []string{
	"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "InvalidAccessKeyId",
	"UnrecognizedClientException",
	"SignatureDoesNotMatch", "InvalidSignatureException", "MissingAuthenticationToken",
	"MissingAuthenticationTokenException",
	"IncompleteSignature", "IncompleteSignatureException", "InvalidIdentityToken", "IDPRejectedClaim", "AuthFailure",
}

// IsReplicated reports whether a deletion must wait until Lambda@Edge has removed the function's
// replicas, which takes hours.
func IsReplicated(err error) bool {
	return contains(Message(err), "because it is a replicated function")
}

// A later error says when to call again: the call was not sent.
type later interface {
	error
	RetryAfter() time.Duration
}
