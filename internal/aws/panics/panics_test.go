package panics

import (
	"errors"
	"strings"
	"testing"
)

const secret = "hunter2"

func TestGuard(t *testing.T) {
	boom := errors.New("boom")
	var none map[string]int
	cases := map[string]struct {
		reason string
		fn     func() (string, error)
		value  string
		err    error
		panics bool
	}{
		"Value": {
			reason: "What does not panic is left as it is.", fn: func() (string, error) { return "v", nil },
			value: "v",
		},
		"Error": {
			reason: "An error is returned unchanged.", fn: func() (string, error) { return "v", boom },
			value: "v", err: boom,
		},
		"Panic": {
			reason: "The value of the panic is not shown.", fn: func() (string, error) { panic(secret) },
			panics: true,
		},
		"Nested": {
			reason: "A panic while panicking is one.",
			fn:     func() (string, error) { defer panic(secret); panic("first") }, panics: true,
		},
		"Runtime": {
			reason: "The runtime's own panics are panics.",
			fn:     func() (string, error) { none[secret] = 1; return "", nil }, panics: true,
		},
		"Nil": {reason: "A nil pointer dereference is a panic.", fn: func() (string, error) {
			return noError().at,
				nil
		}, panics: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v, err := Guard(tc.fn)
			if v != tc.value {
				t.Errorf("%s: got value %q", tc.reason, v)
			}
			if !tc.panics {
				if !errors.Is(err, tc.err) {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			p, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			message := p.Error() + strings.Join(p.Stack(), "\n")
			if strings.Contains(message, secret) || !strings.Contains(p.Error(), "panics.TestGuard") ||
				!strings.Contains(p.Stack()[0], "panics_test.go:") {
				t.Errorf("%s: got %s", tc.reason, message)
			}
		})
	}
}

func noError() *Error { return nil }
