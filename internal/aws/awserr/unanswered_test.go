package awserr

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

func TestIsUnanswered(t *testing.T) {
	answer := func(status int, err error) error {
		return &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
			Err:      err,
		}
	}
	cases := map[string]struct {
		reason string
		err    error
		want   bool
	}{
		"Nil": {reason: "All is well."},
		"Refused": {
			reason: "The connection is refused.",
			err:    &smithyhttp.RequestSendError{Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, want: true,
		},
		"Forbidden": {
			reason: "The provider itself did not call.",
			err:    &smithyhttp.RequestSendError{Err: NotAllowed(egress.Hosts{}.Check("h", "443"))}, want: false,
		},
		"NoSuchHost": {
			reason: "The name of the host does not resolve.",
			err:    &smithyhttp.RequestSendError{Err: &net.DNSError{IsNotFound: true}}, want: true,
		},
		"Deadline": {
			reason: "There was no response before the deadline.",
			err: &smithy.OperationError{
				Err: &smithyhttp.RequestSendError{Err: context.DeadlineExceeded},
			},
			want: true,
		},
		"Timeout": {
			reason: "The connection timed out.", err: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded},
			want: true,
		},
		"HalfABody": {reason: "The answer broke off.", err: answer(200, io.ErrUnexpectedEOF), want: true},
		"API":       {reason: "AWS answered.", err: answer(500, &smithy.GenericAPIError{Code: "ServiceException"})},
		"Page":      {reason: "Something answered.", err: answer(502, errors.New("no JSON"))},
		"Throttled": {
			reason: "AWS answered.",
			err:    answer(429, &smithy.GenericAPIError{Code: "TooManyRequestsException"}),
		},
		"NotSent":     {reason: "The call was not sent, because it waits for its quota.", err: deferredError{}},
		"Unspecified": {reason: "The error is not of the network.", err: errors.New("no credentials")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsUnanswered(tc.err); got != tc.want {
				t.Errorf("%s\ngot %t for %v", tc.reason, got, tc.err)
			}
		})
	}
}

// deferredError is the error of a call that was not sent.
type deferredError struct{}

func (deferredError) Error() string             { return "waits for its turn" }
func (deferredError) RetryAfter() time.Duration { return time.Second }
