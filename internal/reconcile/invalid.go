package reconcile

import "errors"

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

// IsInvalid reports whether an error is about a value of spec that only the user can correct.
func IsInvalid(err error) bool {
	_, ok := errors.AsType[invalidError](err)
	return ok
}

// AsType returns the first error of a type in an error's tree. crossplane-runtime's package errors lacks it.
func AsType[E error](err error) (E, bool) { return errors.AsType[E](err) }
