// Package answer puts values of AWS's answers in the form that status and comparisons
// have them in: what AWS leaves out and what it answers empty are both absent.
package answer

import "strconv"

// NonEmpty is the text, nil where it is empty.
func NonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// Text of a string or an enum, nil where AWS left it out.
func Text[T ~string](v T) *string {
	s := string(v)
	return NonEmpty(&s)
}

// Decimal is a number in its shortest form, so that "2.0" and 2 are the same.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
