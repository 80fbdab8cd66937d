package awserr

import (
	"context"
	"errors"
	"fmt"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// An explained error says in the provider's own words why a call got no usable response. It quotes
// nothing of what the endpoint has sent.
type explained interface {
	error
	explained()
}

// A SilentError says that a host sent nothing for too long.
type SilentError struct {
	// Host is the host that was called.
	Host string
}

func (e *SilentError) Error() string { return "no answer from " + e.Host + " in time" }

func (*SilentError) explained() {}

// Timeout reports true: the error counts as a timeout of the network.
func (*SilentError) Timeout() bool { return true }

// Temporary is part of net.Error.
func (*SilentError) Temporary() bool { return true }

// Is reports whether target is context.DeadlineExceeded.
func (*SilentError) Is(target error) bool { return target == context.DeadlineExceeded }

// RetryableError keeps the SDK from waiting as long again.
func (*SilentError) RetryableError() bool { return false }

// An EndpointError is the error of a call that the provider itself ended: the host must not be called, or its response
// is of no use. A retry would not help.
type EndpointError struct{ message string }

func (e *EndpointError) Error() string { return e.message }

func (*EndpointError) explained() {}

// RetryableError keeps the SDK from trying again.
func (*EndpointError) RetryableError() bool { return false }

// Oversize returns the error of a response that is longer than any of AWS's. The limit is in bytes.
func Oversize(host string, limit int64) error {
	return &EndpointError{fmt.Sprintf("%s answered with more than %d MB, which AWS never does: check the endpoint",
		host, limit>>20)}
}

// Overfull returns the error of a response that has more values than any of AWS's.
func Overfull(host string, limit int) error {
	return &EndpointError{fmt.Sprintf("%s answered with more than %d values, which AWS never does: check the endpoint",
		host, limit)}
}

// Endless returns the error of a list that is longer than any of AWS's.
func Endless(list, length string) error {
	return &EndpointError{fmt.Sprintf("the list of %s %s: check that the endpoint is AWS's", list, length)}
}

// Redirect returns the error of a host that answered with a redirect.
func Redirect(host string, status int) error {
	return &EndpointError{fmt.Sprintf("%s redirects calls (HTTP %d), which the provider does not follow: set "+
		"endpoint.url to the final address", host, status)}
}

// NotAllowed returns the error of an endpoint whose host must not be called, which has advice for the user, for an
// egress.HostError. It returns other errors as they are.
func NotAllowed(err error) error {
	if refused, ok := errors.AsType[*egress.HostError](err); ok {
		return &EndpointError{"the endpoint of a namespaced config cannot be called: " + refused.Error()}
	}
	return err
}

// A StrangeError says that an endpoint did not answer as AWS does.
type StrangeError struct {
	// Status is the HTTP status, 0 without a response.
	Status int
}

func (e *StrangeError) Error() string {
	const m = "the endpoint did not answer as AWS does"
	if e.Status == 0 {
		return m
	}
	return fmt.Sprintf("%s: HTTP %d", m, e.Status)
}

func (*StrangeError) explained() {}
