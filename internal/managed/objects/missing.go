package objects

import (
	"errors"
	"fmt"
)

// A MissingError says which object, or which key of it, does not exist. It never
// holds a value.
type MissingError struct {
	Ref Ref

	// Key that the object lacks, empty where the object itself is missing.
	Key string
}

// Error is the message for the user.
func (e *MissingError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s does not exist", e.Ref.words())
	}
	return fmt.Sprintf("%s has no key %q", e.Ref.words(), e.Key)
}

// IsMissing tells whether an object or a key of it does not exist.
func IsMissing(err error) bool {
	var m *MissingError
	return errors.As(err, &m)
}

func (r Ref) words() string { return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name) }
