package oci

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// maxRetryAfter is the longest delay that a registry may ask for.
	maxRetryAfter = time.Hour

	// maxRedirects is the number of redirects that one request follows.
	maxRedirects = 5
)

// The errors of requests, besides RateLimitError. Each is wrapped with what it says of.
var (
	// ErrNotFound says that the registry has no such artifact, or does not show it to these credentials.
	ErrNotFound = reconcile.Ambiguous(errors.New("the registry does not have it: check the reference; for a private " +
		"repository, check the pull secret"))

	// ErrUnauthorized says that the registry refuses the credentials, or demands some.
	ErrUnauthorized = reconcile.Ambiguous(errors.New("the registry does not allow it with these credentials: check " +
		"the pull secret, or for Amazon ECR the policies of the provider's role and of the repository"))

	// ErrTooLarge says that something is larger than what is read.
	ErrTooLarge = reconcile.Ambiguous(errors.New("it is too large"))
)

// A RateLimitError says that a registry asks to call later.
type RateLimitError struct {
	// Host that answered.
	Host string

	// After is the delay that it asks for, at most an hour. It is 0 if it names none.
	After time.Duration
}

// RetryAfter returns the delay before the next attempt.
func (e *RateLimitError) RetryAfter() time.Duration { return e.After }

// Error does not mention the delay, because it differs each time.
func (e *RateLimitError) Error() string {
	return e.Host + " limits the rate of requests: the provider tries again later; a pull secret may have a higher " +
		"limit"
}

// explain returns an error of a request without what the server has sent, because that may hold anything, and may
// differ each time. The text of unknown errors is left out for the same reason.
func explain(what string, err error) error {
	return fmt.Errorf("cannot %s: %w", what, reason(err))
}

func reason(err error) error {
	for _, known := range []error{errPlain, errRedirects, errBody, errDigest, errSize} {
		if errors.Is(err, known) {
			return known
		}
	}
	if refused, ok := errors.AsType[*egress.HostError](err); ok {
		return refused
	}
	if limit, ok := errors.AsType[*RateLimitError](err); ok {
		return limit
	}
	if response, ok := errors.AsType[*errcode.ErrorResponse](err); ok {
		return ofStatus(response.StatusCode)
	}
	switch {
	case errors.Is(err, errdef.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return ErrUnauthorized
	case errors.Is(err, ErrTooLarge):
		return err
	case errors.Is(err, errdef.ErrSizeExceedsLimit):
		return ErrTooLarge
	}
	return ofConnection(err)
}

func ofStatus(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrUnauthorized
	case http.StatusNotFound:
		return ErrNotFound
	}
	return fmt.Errorf("the registry answers with HTTP %d", status)
}

func ofConnection(err error) error {
	if awserr.IsTimeout(err) {
		return errors.New("the registry does not answer in time")
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errors.New("the certificate of the registry is not trusted, or is for another host")
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the name of the registry cannot be resolved")
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return errors.New("the registry does not accept the connection")
	}
	if isRealm(err) {
		return errors.New("the service that issues the registry's tokens has another name and a private address, or " +
			"is called by plain HTTP")
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return errors.New("the connection to the registry failed")
	}
	return errors.New("the registry does not answer as the OCI specification says")
}

// isTransport reports whether an error is one of sending a request, or of its response's status.
func isTransport(err error) bool {
	_, failed := errors.AsType[*url.Error](err)
	_, limited := errors.AsType[*RateLimitError](err)
	return failed || limited || isRealm(err)
}

// isRealm reports whether the library refuses to send credentials to a service that issues tokens. It has no type for
// that error.
func isRealm(err error) bool { return strings.Contains(err.Error(), "bearer realm") }

// Errors of content that is not what was asked for.
var (
	errDigest = errors.New("the content does not have its digest: it was changed, or damaged on its way")
	errSize   = errors.New("the content does not have the size that its manifest says")
	errEnded  = errors.New("the registry closed the connection, or took too long, before the end of the content")
)

// Errors of requests that are not sent.
var (
	errPlain     = errors.New("it would be called by plain HTTP, which is allowed for loopback addresses only")
	errRedirects = fmt.Errorf("it redirects more than %d times", maxRedirects)
	errBody      = errors.New("it redirects a request with credentials to another host")
)
