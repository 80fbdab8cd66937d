package awserr

import (
	"errors"
	"strings"
)

// A fronted error has what is wrong first. Its chain is that of the original.
type fronted struct {
	// wrong is what is wrong, and context what could not be done for it.
	wrong   string
	context []string

	err error
}

func (e *fronted) Error() string { return e.wrong + " (" + strings.Join(e.context, ": ") + ")" }
func (e *fronted) Unwrap() error { return e.err }

// Front returns err with what is wrong first, and with what could not be done for it, and
// AWS's code, behind it in parentheses: "The role cannot be assumed by Lambda. (cannot
// create function pay: InvalidParameterValueException)". Tables of kubectl and crossplane
// show the beginning of a message only. errors.Is and errors.As find what they found
// before.
func Front(err error) error {
	if err == nil {
		return nil
	}
	f := &fronted{err: err}
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
	f.wrong = cur.Error()
	switch e := cur.(type) { //nolint:errorlint // The chain was followed to here.
	case *fronted:
		f.wrong, f.context = e.wrong, append(f.context, e.context...)
	case *cleaned:
		f.wrong, f.context = e.text, append(f.context, e.context...)
		switch {
		case f.wrong == "":
			f.wrong = e.code
		case e.code != "":
			f.context = append(f.context, e.code)
		}
	}
	if len(f.context) == 0 {
		return err
	}
	return f
}

// isWhole tells whether an error knows what is wrong, so that what it wraps is of no
// interest.
func isWhole(err error) bool {
	switch err.(type) { //nolint:errorlint // This very error is meant.
	case *fronted, *cleaned:
		return true
	}
	return false
}

// isContext tells whether the beginning of a message only says what could not be done.
func isContext(s string) bool {
	return strings.HasPrefix(s, "cannot ") || strings.HasPrefix(s, "AWS does not accept ")
}
