package managed

import "errors"

// invalidError is an error that only the user can put right.
type invalidError struct{ error }

// Unwrap returns the error.
func (e invalidError) Unwrap() error { return e.error }

// Invalid marks an error as one that only the user can put right, by another spec, as
// AWS's own refusals of input are. Its message should name the field of spec. Nil stays
// nil.
func Invalid(err error) error {
	if err == nil {
		return nil
	}
	return invalidError{err}
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[invalidError](err)
	return ok
}
