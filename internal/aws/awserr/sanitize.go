package awserr

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
)

// A sanitized error has a message for conditions. It unwraps to the original.
type sanitized struct {
	messageParts

	err error
}

func (e *sanitized) Error() string { return e.String() }
func (e *sanitized) Unwrap() error { return e.err }

// messageParts is the message in parts.
type messageParts struct {
	// context has the things that could not be done, the outermost first.
	context []string

	// code is AWS's, empty if there is none.
	code string

	// text is the message of AWS. It is empty if there is only a code.
	text string
}

// String returns the whole message, the context first.
func (s messageParts) String() string {
	parts := append(slices.Clone(s.context), s.code, s.text)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ": ")
}

// Sanitize returns err with a short message that stays the same at each retry. It leaves out request and session IDs,
// counts of attempts, addresses and URLs, and the values that AWS quotes from a request, which may be secret. If an
// action is not allowed, the message says which action on which resource, and what to grant. errors.Is and errors.As
// find what they found before. What wraps the SDK's error stays in front.
func Sanitize(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*sanitized](err); ok {
		return err
	}
	outer, ok := errors.AsType[*smithy.OperationError](err)
	if !ok {
		return cleanOther(err)
	}
	what := describe(outer)
	if prefix, ok := strings.CutSuffix(err.Error(), outer.Error()); ok && prefix != "" {
		what.context = append([]string{strings.TrimSuffix(prefix, ": ")}, what.context...)
	}
	return &sanitized{messageParts: what, err: err}
}

// InAnswer returns, as Sanitize does, an error that AWS has put into an answer that it gives all the same, such as that
// of variables that it cannot decrypt.
func InAnswer(message, code *string) string {
	return scrub(fmt.Sprintf("%s (%s)", aws.ToString(message), aws.ToString(code)))
}

// New returns the error of an operation of Lambda that AWS has put into the answer to another one, such as that of tags
// that it may not list.
func New(operation string, message, code *string) error {
	return &smithy.OperationError{ServiceID: lambda.ServiceID, OperationName: operation, Err: &smithy.GenericAPIError{
		Code: aws.ToString(code), Message: aws.ToString(message),
	}}
}

// cleanOther cleans an error that no operation of the SDK returned.
func cleanOther(err error) error {
	if _, ok := errors.AsType[smithy.APIError](err); ok {
		return &sanitized{messageParts: describeAnswer(err, nil), err: err}
	}
	if m := scrub(err.Error()); m != err.Error() {
		return &sanitized{messageParts: messageParts{text: m}, err: err}
	}
	return err
}

// A ChainError is an error of a source of the default chain: of STS, a file, or an agent on the node.
type ChainError struct{ Err error }

func (e *ChainError) Error() string { return "cannot get AWS credentials: " + e.Err.Error() }

// Unwrap returns the error of the source.
func (e *ChainError) Unwrap() error { return e.Err }

// describe describes the failure of an operation. The operation that failed may be one that fetches credentials for it.
func describe(outer *smithy.OperationError) messageParts {
	const credentials = "cannot get AWS credentials"
	inner := innermost(outer)
	var s messageParts
	switch _, answered := errors.AsType[smithy.APIError](inner); {
	case answered && !isUnreadable(inner):
		s = describeAnswer(inner, inner)
	case inner.Service() == "ec2imds":
		return messageParts{context: []string{credentials}, text: "no source of the default chain has credentials: " +
			"give the provider's pod an IAM role (IRSA, Pod Identity or a node role), or choose another " +
			"credentials.source"}
	default:
		s = messageParts{text: describeConnection(inner.Err)}
	}
	if _, ok := errors.AsType[*ChainError](inner.Err); ok {
		s.context = []string{credentials}
	} else if inner.Service() != outer.Service() {
		s.context = []string{credentials, inner.Service() + " " + inner.Operation()}
	}
	return s
}

// innermost returns the operation that failed first.
func innermost(op *smithy.OperationError) *smithy.OperationError {
	for {
		next, ok := errors.AsType[*smithy.OperationError](op.Err)
		if !ok {
			return op
		}
		op = next
	}
}

// describeAnswer returns AWS's response in one line.
func describeAnswer(err error, op *smithy.OperationError) messageParts {
	s, message := messageParts{code: cut(Code(err), maxPart)}, steady(redact(Message(err)))
	if IsAccessDenied(err) {
		s.text = describeDenied(message, cut(message, maxLength), op)
		return s
	}
	s.text = cmp.Or(hint(s.code), lackOfConcurrency(err), cut(named(message), maxLength)+advice(message))
	return s
}

// imageNotSupported is the end of Lambda's message for an image index, among others.
const imageNotSupported = "media type for the source image"

// advice returns advice on a message of AWS that names a cause, but no way out. It is empty for all others.
func advice(message string) string {
	if !strings.Contains(message, imageNotSupported) {
		return ""
	}
	return " Lambda accepts no image index, which docker buildx pushes by default: set code.trackImageTag, so that " +
		"the index's image of the function's architecture is deployed, or push a single image (docker buildx build " +
		"--platform linux/amd64 --provenance=false --sbom=false, or linux/arm64)"
}

// functionNotFound matches Lambda's message for a function, version or alias that does not exist.
var functionNotFound = regexp.MustCompile(
	`^Function not found: arn:[^:\s]+:lambda:([^:\s]+):\d{12}:function:([^:\s]+)(?::([^:\s]+))?$`)

// named describes the function, version or alias that does not exist: AWS calls all of them a function. It returns any
// other message unchanged.
func named(message string) string {
	f := functionNotFound.FindStringSubmatch(message)
	if f == nil {
		return message
	}
	what := "function " + f[2]
	switch qualifier := f[3]; {
	case qualifier == "", qualifier == "$LATEST":
	case strings.Trim(qualifier, "0123456789") == "":
		what = "version " + qualifier + " of " + what
	default:
		what = "alias " + qualifier + " of " + what
	}
	return what + " does not exist in " + f[1]
}

// hint returns advice on credentials that AWS does not accept, and on buckets in another region. AWS's message about a
// signature quotes the access key ID, which is the secret access key if the two are swapped.
func hint(code string) string {
	switch code {
	case "ExpiredToken", "ExpiredTokenException":
		return "the credentials or the token have expired: renew them"
	case "InvalidClientTokenId", "InvalidAccessKeyId", "UnrecognizedClientException":
		return "AWS does not know the access key, or the session token does not match it: check the credentials"
	case "SignatureDoesNotMatch", "InvalidSignatureException":
		return "the signature does not match: check the secret access key, the signing region and the clock of the " +
			"provider's node"
	case "IncompleteSignature", "IncompleteSignatureException":
		return "the access key ID is malformed: check that it is not the secret access key and has no spaces"
	case "PermanentRedirect", "MovedPermanently":
		return "the bucket is in another region: use a bucket in the region of the resource"
	default:
		return ""
	}
}

// describeConnection returns the reason why there was no response. It leaves out addresses and ports, which differ
// between attempts.
func describeConnection(err error) string {
	host := "AWS"
	if e, ok := errors.AsType[*url.Error](err); ok {
		if u, perr := url.Parse(e.URL); perr == nil && u.Hostname() != "" {
			host = u.Hostname()
		}
	}
	if e, ok := errors.AsType[explained](err); ok {
		return e.Error()
	}
	switch {
	case isUntrusted(err):
		return "the certificate of " + host + " is not trusted: add its certificate authority to caBundle of the " +
			"provider config"
	case isPlain(err):
		return host + " does not answer with TLS: correct the scheme or the port of the endpoint"
	case isUnresolved(err):
		return "cannot resolve " + host + ": check the region and the endpoint"
	case errors.Is(err, context.Canceled):
		return "the call to " + host + " was canceled"
	case errors.Is(err, syscall.ECONNREFUSED):
		return host + " refused the connection"
	case IsTimeout(err):
		return "no answer from " + host + " in time"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err,
		io.ErrUnexpectedEOF):
		return host + " closed the connection before it answered"
	case isUnreadable(err):
		return fmt.Sprintf("the answer with HTTP status %d cannot be read: check that the endpoint is AWS or an "+
			"emulator that supports the operation, and that no proxy answers instead", StatusCode(err))
	default:
		return scrub(root(err).Error())
	}
}

// isUnreadable reports whether a response has another format than AWS's, such as a page of HTML.
func isUnreadable(err error) bool {
	_, undecoded := errors.AsType[*smithy.DeserializationError](err)
	_, noXML := errors.AsType[*xml.SyntaxError](err)
	return StatusCode(err) > 0 && (undecoded || noXML || Code(err) == unknown)
}

// root returns the innermost error, which says what happened without the SDK's context.
func root(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
