package awserr

import (
	"errors"
	"strings"
)

// A causeFirstError begins with what is wrong. It unwraps to the original.
type causeFirstError struct {
	// cause is the message of the cause, and context has the things that could not be done because of it.
	cause   string
	context []string

	err error
}

func (e *causeFirstError) Error() string { return e.cause + " (" + strings.Join(e.context, ": ") + ")" }
func (e *causeFirstError) Unwrap() error { return e.err }

// CauseFirst returns err with a message that begins with what is wrong. What could not be done, and
// AWS's code, follow in parentheses: "The role cannot be assumed by Lambda. (cannot create function
// pay: InvalidParameterValueException)". Tables of kubectl and crossplane show only the beginning
// of a message. errors.Is and errors.As find what they found before.
func CauseFirst(err error) error {
	if err == nil {
		return nil
	}
	f := &causeFirstError{err: err}
	cur := err
	for next := errors.Unwrap(cur); next != nil && !isWhole(cur); next = errors.Unwrap(cur) {
		if cur.Error() != next.Error() {
			context, ok := strings.CutSuffix(cur.Error(), ": "+next.Error())
			if !ok || !isContext(context) {
				break
			}
			f.context = append(f.context, context)
		}
		cur = next
	}
	f.cause = cut(cur.Error(), maxCause)
	switch e := cur.(type) { //nolint:errorlint // The chain was followed to here.
	case *causeFirstError:
		f.cause, f.context = e.cause, append(f.context, e.context...)
	case *sanitized:
		f.cause, f.context = e.text, append(f.context, e.context...)
		switch {
		case f.cause == "":
			f.cause = e.code
		case e.code != "":
			f.context = append(f.context, e.code)
		}
	}
	if len(f.context) == 0 {
		return err
	}
	return f
}

// isWhole reports whether an error has the whole message, so that what it wraps adds nothing.
func isWhole(err error) bool {
	switch err.(type) { //nolint:errorlint // This very error is meant.
	case *causeFirstError, *sanitized:
		return true
	}
	return false
}

// isContext reports whether the beginning of a message only says what could not be done.
func isContext(s string) bool {
	return strings.HasPrefix(s, "cannot ") || strings.HasPrefix(s, "AWS does not accept ")
}
