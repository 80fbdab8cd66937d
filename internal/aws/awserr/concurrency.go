package awserr

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

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
