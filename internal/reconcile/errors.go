package reconcile

import (
	"errors"
	"fmt"
	"time"

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

// A NotReadyError is the error of an observation while a temporary state prevents the creation. It is no failure: the
// Ready condition says what the creation waits for, and the resource is requeued.
type NotReadyError struct {
	// Reason describes what the creation waits for.
	Reason string

	// After is the requeue interval. 0 selects the interval at which resources that are not steady are polled.
	After time.Duration
}

// Error returns what the creation waits for.
func (e *NotReadyError) Error() string { return e.Reason }

// LaterError is the error that ends a reconcile without a trace: whatever it has found and set is dropped, and the
// resource is reconciled again later. If Create, Update or Delete returns it, the call counts as not made.
type LaterError struct {
	// After is the delay before the next reconcile of the resource.
	After time.Duration

	// Operations are the AWS operations that it waits for. The next reconcile reserves them in advance.
	Operations []string

	Throttled, Deferred bool
}

// Error says that it is no failure.
func (l *LaterError) Error() string { return fmt.Sprintf("it is reconciled again in %s", l.After) }

// An AwaitedError is the error of a resource that does not exist in AWS yet and waits for something, such as a
// referenced resource. It is not treated as a failure, because both were probably applied together.
type AwaitedError struct{ Err error }

// Error returns what the resource waits for.
func (e *AwaitedError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *AwaitedError) Unwrap() error { return e.Err }

// IsLater reports whether an error is a LaterError.
func IsLater(err error) bool {
	_, ok := AsType[*LaterError](err)
	return ok
}

// WaitFor returns a LaterError.
func WaitFor(after time.Duration) error { return &LaterError{After: max(after, AtOnce)} }

// AsType returns the first error of a type in an error's tree. crossplane-runtime's package errors lacks it.
func AsType[E error](err error) (E, bool) { return errors.AsType[E](err) }
