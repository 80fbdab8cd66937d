package awserr

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// broken has the errors of connections that end too early.
var broken = []error{
	context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF,
	syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE, syscall.ETIMEDOUT,
}

// isRefusedHere reports whether the provider itself ended the call.
func isRefusedHere(err error) bool {
	_, ok := errors.AsType[*EndpointError](err)
	return ok
}

// isUntrusted reports whether the certificate of the endpoint is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// isPlain reports whether the endpoint has answered without TLS, although its URL has https.
func isPlain(err error) bool {
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok
}

func isUnresolved(err error) bool {
	e, ok := errors.AsType[*net.DNSError](err)
	return ok && e.IsNotFound
}

// IsTimeout reports whether an error is that of an answer that takes too long.
func IsTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout() || errors.Is(err, context.DeadlineExceeded)
}
