package awserr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/aws/smithy-go"
)

// Lengths in characters.
const (
	// maxLength of a cleaned message of AWS's.
	maxLength = 400

	// maxPart is how long a code is, and each of the names in what IAM says.
	maxPart = 200
)

// A cleaned error reads well in a condition. Its chain is that of the original.
type cleaned struct {
	said

	err error
}

func (e *cleaned) Error() string { return e.String() }
func (e *cleaned) Unwrap() error { return e.err }

// said is what went wrong, in words.
type said struct {
	// context is what could not be done, from the outside to the inside.
	context []string

	// code of AWS's answer, empty if there is none.
	code string

	// text of the error. Empty where there is nothing but a code.
	text string
}

// String has all of it, the context first.
func (s said) String() string {
	parts := append(slices.Clone(s.context), s.code, s.text)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ": ")
}

// Clean returns err with one short message that stays the same at each retry:
// without ids of requests and sessions, counts of attempts, addresses and
// URLs, and without the values that AWS quotes from a request, which may be
// secret. Where an action is not allowed it says which, on what, and what to
// grant. errors.Is and errors.As find what they found before. What wraps the
// SDK's error stays in front.
func Clean(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*cleaned](err); ok {
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
	return &cleaned{said: what, err: err}
}

// cleanOther cleans an error that no operation of the SDK returned.
func cleanOther(err error) error {
	if _, ok := errors.AsType[smithy.APIError](err); ok {
		return &cleaned{said: describeAnswer(err, nil), err: err}
	}
	if m := scrub(err.Error()); m != err.Error() {
		return &cleaned{said: said{text: m}, err: err}
	}
	return err
}

// describe says what went wrong in an operation. The operation that failed may
// be one that fetches credentials for it.
func describe(outer *smithy.OperationError) said {
	const credentials = "cannot get AWS credentials"
	inner := innermost(outer)
	var s said
	switch _, answered := errors.AsType[smithy.APIError](inner); {
	case answered:
		s = describeAnswer(inner, inner)
	case inner.Service() == "ec2imds":
		return said{context: []string{credentials}, text: "no source of the default chain has credentials: " +
			"give the provider's pod an IAM role (IRSA, Pod Identity or a node role), or choose another credentials.source"}
	default:
		s = said{text: describeConnection(inner.Err)}
	}
	if inner.Service() != outer.Service() {
		s.context = []string{credentials, inner.Service() + " " + inner.Operation()}
	}
	return s
}

// innermost is the operation that failed first.
func innermost(op *smithy.OperationError) *smithy.OperationError {
	for {
		next, ok := errors.AsType[*smithy.OperationError](op.Err)
		if !ok {
			return op
		}
		op = next
	}
}

// describeAnswer puts AWS's answer in one line.
func describeAnswer(err error, op *smithy.OperationError) said {
	s, message := said{code: cut(Code(err), maxPart)}, steady(redact(Message(err)))
	if IsAccessDenied(err) {
		s.text = describeDenied(message, cut(message, maxLength), op)
		return s
	}
	if s.text = hint(s.code); s.text == "" {
		s.text = cut(named(message), maxLength)
	}
	return s
}

// functionNotFound is how Lambda says that there is no such function, version or alias.
var functionNotFound = regexp.MustCompile(`^Function not found: arn:[^:\s]+:lambda:([^:\s]+):\d{12}:function:([^:\s]+)(?::([^:\s]+))?$`)

// named says which version or alias of which function does not exist, where AWS calls all of
// them a function.
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

// hint is what to do about credentials that AWS does not accept, and buckets elsewhere.
func hint(code string) string {
	switch code {
	case "ExpiredToken", "ExpiredTokenException":
		return "the credentials or the token have expired: renew them"
	case "InvalidClientTokenId", "InvalidAccessKeyId", "UnrecognizedClientException":
		return "AWS does not know the access key, or the session token does not match it: check the credentials"
	case "SignatureDoesNotMatch", "InvalidSignatureException":
		return "the signature does not match: check the secret access key, the signing region and the clock of the provider's node"
	case "PermanentRedirect", "MovedPermanently":
		return "the bucket is in another region: use a bucket in the region of the resource"
	default:
		return ""
	}
}

// describeConnection says why there was no answer. Addresses and ports vary
// from one try to the next, so they are left out.
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
		return "the certificate of " + host + " is not trusted: add its certificate authority to caBundle of the provider config"
	case isUnresolved(err):
		return "cannot resolve " + host + ": check the region and the endpoint"
	case errors.Is(err, context.Canceled):
		return "the call to " + host + " was canceled"
	case errors.Is(err, syscall.ECONNREFUSED):
		return host + " refused the connection"
	case isTimeout(err):
		return "no answer from " + host + " in time"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return host + " closed the connection before it answered"
	case isUnreadable(err):
		return fmt.Sprintf("the answer with HTTP status %d cannot be read: check that the endpoint is AWS or an emulator that supports the operation, and that no proxy answers instead", StatusCode(err))
	default:
		return scrub(root(err).Error())
	}
}

func isUnresolved(err error) bool {
	e, ok := errors.AsType[*net.DNSError](err)
	return ok && e.IsNotFound
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// isUnreadable says that there was an answer in another format than AWS's, such as a
// page of HTML.
func isUnreadable(err error) bool {
	_, ok := errors.AsType[*smithy.DeserializationError](err)
	return ok && StatusCode(err) > 0
}

// root is the deepest error, which says what happened without the SDK's steps
// in front of it.
func root(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// What varies from one try to the next, or is of no use to a reader.
var (
	javaSuffix     = regexp.MustCompile(`\s*\((?:Service|RequestId|Request ID|Status Code)[:=][^)]*\)`)
	requestIDs     = regexp.MustCompile(`(?i),?\s*\b(?:request ?id|host ?id|extended request ?id)\b\s*[:=]?\s*[A-Za-z0-9+/=_-]+`)
	encodedMessage = regexp.MustCompile(`(?i)\.?\s*Encoded authorization failure message: \S+`)
	urls           = regexp.MustCompile(`https?://[^\s"')]+`)
	sessionName    = regexp.MustCompile(`(assumed-role/[^/\s]+)/[^\s:,)]+`)
	timestamps     = regexp.MustCompile(`\d{8}T\d{6}Z`)
	hostPorts      = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-fA-F]*:[0-9a-fA-F:]*\](?::\d+)?`)
	spaces         = regexp.MustCompile(`\s+`)
)

// scrub takes out of a message what varies, and cuts it to size.
func scrub(m string) string { return cut(steady(m), maxLength) }

// steady takes out of a message what varies.
func steady(m string) string {
	m = javaSuffix.ReplaceAllString(m, "")
	m = encodedMessage.ReplaceAllString(m, "")
	m = requestIDs.ReplaceAllString(m, "")
	m = urls.ReplaceAllString(m, "<url>")
	m = sessionName.ReplaceAllString(m, "$1")
	m = timestamps.ReplaceAllString(m, "<time>")
	m = hostPorts.ReplaceAllString(m, "<address>")
	return strings.TrimSpace(spaces.ReplaceAllString(m, " "))
}

// cut a text to a number of characters. It is UTF-8 then: conditions and events hold
// nothing else.
func cut(m string, most int) string {
	m = strings.ToValidUTF8(m, "\uFFFD")
	if r := []rune(m); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return m
}
