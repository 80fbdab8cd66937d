package awserr

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"k8s.io/utils/ptr"
)

func TestReasonsOfThrottledInvocations(t *testing.T) {
	cases := map[types.ThrottleReason]struct {
		reason    string
		throttled bool
		says      string
	}{
		"ReservedFunctionConcurrentInvocationLimitExceeded": {
			reason: "A reservation of 0 does not pass.",
			says:   "reservedConcurrentExecutions are 0 or in use",
		},
		"ReservedFunctionInvocationRateLimitExceeded": {
			reason: "Neither does its rate.",
			says:   "more often than its reservedConcurrentExecutions allow",
		},
		"ConcurrentInvocationLimitExceeded": {
			reason: "Other invocations use what the account has.",
			says:   "the account has no concurrency left",
		},
		"FunctionInvocationRateLimitExceeded": {
			reason: "The function's callers are too many.",
			says:   "more often than the concurrency of the account allows",
		},
		"CallerRateLimitExceeded": {
			reason:    "The provider makes too many requests.",
			throttled: true,
			says:      "Rate Exceeded.",
		},
		"ConcurrentSnapshotCreateLimitExceeded": {
			reason:    "Snapshots are made one after the other.",
			throttled: true,
			says:      "Rate Exceeded.",
		},
		"": {
			reason:    "AWS does not say why.",
			throttled: true,
			says:      "Rate Exceeded.",
		},
	}
	for _, r := range types.ThrottleReason("").Values() {
		if _, ok := cases[r]; !ok {
			t.Errorf("the SDK knows the reason %s", r)
		}
	}
	for r, tc := range cases {
		t.Run(string(r), func(t *testing.T) {
			err := &smithy.OperationError{ServiceID: "Lambda", OperationName: "Invoke", Err: &smithyhttp.ResponseError{
				Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusTooManyRequests}},
				Err:      &types.TooManyRequestsException{Reason: r, Message: ptr.To("Rate Exceeded.")},
			}}
			if IsThrottled(err) != tc.throttled || IsTransient(err) != tc.throttled ||
				LacksConcurrency(err) == tc.throttled {
				t.Errorf(
					"%s throttled %t, transient %t, lacks concurrency %t",
					tc.reason,
					IsThrottled(err),
					IsTransient(err),
					LacksConcurrency(err),
				)
			}
			if !IsRefused(err) || IsTerminal(err) {
				t.Errorf("it did not run, and may run later: refused %t, terminal %t", IsRefused(err), IsTerminal(err))
			}
			if got := Sanitize(err).Error(); !strings.Contains(got, tc.says) {
				t.Errorf("%s got %q, want %q", tc.reason, got, tc.says)
			}
		})
	}
}
