package reconcile

import (
	"errors"
	"fmt"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// An invalidError is an error that only the user can correct.
type invalidError struct{ error }

// Unwrap returns the wrapped error.
func (e invalidError) Unwrap() error { return e.error }

// Invalid marks an error as one that only the user can correct, by changing spec, like AWS's
// own refusals of input. Its message should name the field of spec. It returns nil for nil.
func Invalid(err error) error {
	if err == nil {
		return nil
	}
	return invalidError{err}
}

// An ambiguousError is an error that only the user can correct, or that goes away by itself.
type ambiguousError struct{ error }

// Unwrap returns the wrapped error.
func (e ambiguousError) Unwrap() error { return e.error }

// Ambiguous marks an error about what spec names, or a config: only the user can correct it, unless what is named is
// applied, uploaded or signed in the next minutes. It returns nil for nil.
func Ambiguous(err error) error {
	if err == nil {
		return nil
	}
	return ambiguousError{err}
}

// IsAmbiguous reports whether an error may go away without the user.
func IsAmbiguous(err error) bool {
	_, ok := errors.AsType[ambiguousError](err)
	return ok
}

// Unchangeable returns the error of an external resource, given by its description, that differs from spec in settings
// that AWS can't change. kind is the kind of the managed resource.
func Unchangeable(description, kind string, fixed diff.Changes) error {
	return Invalid(fmt.Errorf("%s exists with settings that AWS can't change: %s; correct spec.forProvider, or create "+
		"a new %s", description, fixed, kind))
}

// IsInvalid reports whether an error is about a value of spec that only the user can correct.
func IsInvalid(err error) bool {
	_, ok := errors.AsType[invalidError](err)
	return ok
}

// AsType returns the first error of a type in an error's tree. crossplane-runtime's package errors lacks it.
func AsType[E error](err error) (E, bool) { return errors.AsType[E](err) }
