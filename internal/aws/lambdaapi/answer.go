// Package lambdaapi helps kinds to call the Lambda API: it normalizes values of responses, bounds the pages of lists,
// makes calls that must not be made twice, and returns the ARNs by which API Gateway invokes functions.
package lambdaapi

import (
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// NonEmpty returns the text, or nil if it is empty.
func NonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// Text returns a string or an enum as text, or nil if it is empty.
func Text[T ~string](v T) *string {
	s := string(v)
	return NonEmpty(&s)
}

// Referenced returns the object in S3 that AWS refers to instead of a copy, or nil if there is none. An empty block is
// none.
func Referenced(o *types.ResolvedS3Object) *types.ResolvedS3Object {
	if o == nil || NonEmpty(o.S3Key) == nil {
		return nil
	}
	return o
}

// MappingARN returns the ARN of an event source mapping in an answer, or nil if it is one of the mapping's function, as
// some emulators answer: by it, the tags of the function would be read and set.
func MappingARN(arn *string) *string {
	if arn != nil && strings.Contains(*arn, ":function:") {
		return nil
	}
	return arn
}

// Decimal returns a number in its shortest form, so that "2.0" and 2 are equal.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Modified returns the time of a LastModified that is a text, with any fraction of a second. It is zero if the text is
// no time.
func Modified(text *string) time.Time {
	if text == nil {
		return time.Time{}
	}
	t, err := time.Parse("2006-01-02T15:04:05Z0700", *text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// InvokeARN returns the URI with which an integration of API Gateway invokes a function, version or alias
// of the given ARN. It is empty if the ARN is malformed.
func InvokeARN(of string) string {
	parts := strings.SplitN(of, ":", 5)
	if len(parts) < 5 {
		return ""
	}
	return "arn:" + parts[1] + ":apigateway:" + parts[3] + ":lambda:path/2015-03-31/functions/" + of + "/invocations"
}
