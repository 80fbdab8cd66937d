package awserr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	smithyhttp "github.com/aws/smithy-go/transport/http"
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
func (*SilentError) explained()      {}

// Timeout reports true: the error counts as a timeout of the network.
func (*SilentError) Timeout() bool { return true }

// Temporary is part of net.Error.
func (*SilentError) Temporary() bool { return true }

// Is reports whether target is context.DeadlineExceeded.
func (*SilentError) Is(target error) bool { return target == context.DeadlineExceeded }

// RetryableError keeps the SDK from waiting as long again.
func (*SilentError) RetryableError() bool { return false }

// An OversizeError says that a response is longer than any of AWS's.
type OversizeError struct {
	// Host is the host that was called.
	Host string
	// Limit is in bytes.
	Limit int64
}

func (e *OversizeError) Error() string {
	return fmt.Sprintf("%s answered with more than %d MB, which AWS never does: check the endpoint", e.Host,
		e.Limit>>20)
}
func (*OversizeError) explained() {}

// RetryableError keeps the SDK from reading as much again.
func (*OversizeError) RetryableError() bool { return false }

// A RedirectError says that a host answered with a redirect.
type RedirectError struct {
	// Host is the host that was called.
	Host string
	// Status is the HTTP status.
	Status int
}

func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s redirects calls (HTTP %d), which the provider does not follow: set endpoint.url to the "+
		"final address", e.Host, e.Status)
}
func (*RedirectError) explained() {}

// RetryableError keeps the SDK from trying again.
func (*RedirectError) RetryableError() bool { return false }

// A HostError says that a host must not be called.
type HostError struct {
	// Host is the host that the config names.
	Host string
	// Reason is the reason, with advice for the user.
	Reason string
}

func (e *HostError) Error() string {
	return fmt.Sprintf("endpoint %s is not allowed in a namespaced config: %s", e.Host, e.Reason)
}
func (*HostError) explained() {}

// RetryableError keeps the SDK from trying again.
func (*HostError) RetryableError() bool { return false }

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

// Foreign returns the error of a call to an endpoint that may not be AWS's, such as one that a tenant names. Anything
// may answer there, and its response could hold what only the provider may read. So the error has only what the
// provider has found out itself, and responses with the form and a code of the service's errors.
func Foreign(service string, err error) error {
	if err == nil || isErrorOf(service, Code(err)) || found(err) {
		return err
	}
	strange := &StrangeError{Status: StatusCode(err)}
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return &smithyhttp.ResponseError{Response: e.Response, Err: strange}
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return &smithyhttp.RequestSendError{Err: strange}
	}
	return strange
}

// found reports whether an error is one that the provider has found out itself.
func found(err error) bool {
	if Code(err) != "" {
		return false
	}
	if _, ok := errors.AsType[explained](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return true
	}
	return isUntrusted(err) || isTimeout(err) || errors.Is(err, context.Canceled)
}
