// Package panics converts a panic to an error that can be shown to users. It has the place of the
// panic, and none of the values that the code worked on, which may be secret.
package panics

import (
	"cmp"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// module is the import path of this provider.
const module = "github.com/crossplane-contrib/provider-lambda/"

// depth is the maximum number of frames of a stack.
const depth = 64

// An Error is a panic that was recovered.
type Error struct {
	at    string
	stack []string
}

// New returns the Error of the panic that is being recovered. Call it in the deferred function that recovers, since it
// records the stack. It does not take the value that recover returned, which may hold anything.
func New() *Error {
	pcs := make([]uintptr, depth)
	e := &Error{}
	panicked := false
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
			e.stack, e.at = nil, "" // The frames before it are those of the recovery.
			continue
		case !panicked, f.Function == "", strings.HasPrefix(f.Function, "runtime."):
			continue
		}
		e.stack = append(e.stack, fmt.Sprintf("%s %s:%d", f.Function, path.Base(f.File), f.Line))
		if e.at == "" && strings.HasPrefix(f.Function, module) {
			e.at = fmt.Sprintf("%s (%s:%d)", path.Base(f.Function), path.Base(f.File), f.Line)
		}
	}
	return e
}

// Error returns the message for users, with the place of the panic. It is the same each time the same code panics.
func (e *Error) Error() string {
	return "a bug of the provider: it panicked at " + cmp.Or(e.at, "a place that is not known") +
		"; please report it with what the provider has logged. It is tried again from time to time, and after each " +
		"change of the manifest"
}

// Stack returns the stack of the panic: functions with files and lines, without values.
func (e *Error) Stack() []string { return e.stack }

// Guard calls a function and returns its panic as an Error.
func Guard[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			var none T
			v, err = none, New()
		}
	}()
	return fn()
}
