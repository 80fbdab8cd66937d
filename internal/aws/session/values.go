package session

import (
	"math"
	"net/http"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
)

// valuesOf returns a function that counts the values of the response to a request, given the parts of its body. It is
// nil for a body that the SDK does not decode, or that is XML.
//
// The number of values is bounded apart from that of bytes. Of a value of two bytes, the SDK makes a structure of
// hundreds. Its decoders call themselves for each member that they do not know, and that of CBOR for each list in a
// list: the stack of a goroutine is bounded, and the process ends if it needs more.
func valuesOf(r *http.Request, status int) func(part []byte) int {
	ctx := r.Context()
	switch service := awsmiddleware.GetServiceID(ctx); {
	case service == "S3", service == "STS":
		return nil
	case awsmiddleware.GetOperationName(ctx) == "Invoke" && status < http.StatusMultipleChoices:
		return nil // It is what the function has returned.
	case r.Header.Get("Smithy-Protocol") == "rpc-v2-cbor":
		return cborValues()
	}
	return jsonValues()
}

// jsonValues returns a function that counts the values of JSON, at most one too few.
func jsonValues() func(part []byte) int {
	n, quoted, escaped := 0, false, false
	return func(part []byte) int {
		for _, c := range part {
			switch {
			case escaped:
				escaped = false
			case quoted:
				quoted, escaped = c != '"', c == '\\'
			case c == '"':
				quoted = true
			case c == ',', c == '{', c == '[':
				n++
			}
		}
		return n
	}
}

// Parts of the first byte of a value in CBOR (RFC 8949, section 3): its type, and an argument, or the length of an
// argument that follows.
const (
	cborType, cborArgument = 5, 1<<5 - 1
	cborBytes, cborText    = 2, 3
	cborByte, cborEight    = 24, 27
	cborEndless            = 31
	cborSimple             = 7<<cborType | cborByte
)

// cborValues returns a function that counts the values of CBOR. What is not well-formed, and simple values of two
// bytes, which decoders read in different ways and AWS never sends, count as too many.
func cborValues() func(part []byte) int {
	n := 0
	var first byte
	var argument, text uint64 // The argument so far, and how many bytes of a text are left.
	left := 0                 // How many bytes of the argument are.
	return func(part []byte) int {
		for len(part) > 0 {
			if text > 0 {
				skip := min(text, uint64(len(part)))
				part, text = part[skip:], text-skip
				continue
			}
			b := part[0]
			part = part[1:]
			if left > 0 {
				argument, left = argument<<8|uint64(b), left-1
			} else {
				n++
				first, argument = b, uint64(b&cborArgument)
				switch {
				case b == cborSimple, argument > cborEight && argument < cborEndless:
					return math.MaxInt
				case argument >= cborByte && argument <= cborEight:
					argument, left = 0, 1<<(argument-cborByte)
				}
			}
			if kind := first >> cborType; left == 0 && (kind == cborBytes || kind == cborText) &&
				first&cborArgument != cborEndless {
				text = argument
			}
		}
		return n
	}
}
