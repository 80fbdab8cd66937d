package awserr

import (
	"errors"
	"net"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// IsUnanswered reports whether a call got no response: its endpoint could not be reached, did not answer in time, or
// broke off. It is false for any response of AWS, and for calls that were not sent.
func IsUnanswered(err error) bool {
	if err == nil || Code(err) != "" || isRefusedHere(err) {
		return false
	}
	if _, ok := errors.AsType[later](err); ok {
		return false
	}
	if slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) }) {
		return true
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return true
	}
	if _, ok := errors.AsType[*aws.RequestCanceledError](err); ok {
		return true
	}
	_, unsent := errors.AsType[*smithyhttp.RequestSendError](err)
	return unsent
}
