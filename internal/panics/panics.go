// Package panics turns a panic into an error that can be shown to users: it tells where
// the panic occurred, and none of the values that the code worked on, which may be secret.
package panics

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// module is the import path of this provider.
const module = "github.com/crossplane-contrib/provider-lambda/"

// depth is how many frames of a stack are kept.
const depth = 64

// An Error is a panic that was recovered.
type Error struct {
	at    string
	stack []string
}

// New returns the Error of the panic that is being recovered. It has to be called while
// the deferred function that recovers runs, since it takes the stack. What recover has
// returned is not asked for: it may hold anything.
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
			e.stack, e.at = nil, "" // What comes before it is the recovery.
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

// Error is the message for users. It is the same each time that the same code panics.
func (e *Error) Error() string {
	at := e.at
	if at == "" {
		at = "a place that is not known"
	}
	return "a bug of the provider: it panicked at " + at +
		"; please report it with what the provider has logged. It is tried again from time to time, and after each change of the manifest"
}

// Stack of the panic: functions with files and lines, and no values.
func (e *Error) Stack() []string { return e.stack }

// Guard calls a function, and returns a panic of it as an Error.
func Guard[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			var none T
			v, err = none, New()
		}
	}()
	return fn()
}
