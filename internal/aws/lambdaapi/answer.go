// Package lambdaapi helps kinds to call the Lambda API: it normalizes values of responses, bounds the pages of lists,
// makes calls that must not be made twice, and returns the ARNs by which API Gateway invokes functions.
package lambdaapi

import "strconv"

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

// Decimal returns a number in its shortest form, so that "2.0" and 2 are equal.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
