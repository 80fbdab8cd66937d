package refs

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// A MissingError is the error of an object, or of a key of it, that does not exist. It never contains a value.
type MissingError struct {
	Ref ObjectRef

	// Key is the missing key. It is empty if the object itself is missing.
	Key string

	// has lists the keys that the object has.
	has string
}

const (
	// maxKeys is the maximum number of keys in an error.
	maxKeys = 10

	// maxKey is the maximum length of a key in an error, in characters.
	maxKey = 64
)

// NoKey returns the error for an object without a key. It lists the keys that the object has.
func NoKey(ref ObjectRef, key string, d ObjectData) *MissingError {
	return &MissingError{Ref: ref, Key: key, has: Keys(d)}
}

// Keys returns some of the keys of a map for an error, in order and in quotes. It is empty if there are none.
func Keys[V any](m map[string]V) string {
	names := slices.Sorted(maps.Keys(m))
	for i, name := range names {
		names[i] = fmt.Sprintf("%.*q", maxKey, name)
	}
	return diff.List(names, maxKeys)
}

// Error returns what is missing, and the existing keys.
func (e *MissingError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s does not exist", e.Ref)
	}
	if e.has == "" {
		return fmt.Sprintf("%s has no key %q: it is empty", e.Ref, e.Key)
	}
	return fmt.Sprintf("%s has no key %q: it has %s", e.Ref, e.Key, e.has)
}

// IsMissing reports whether an error says that an object or a key of it does not exist.
func IsMissing(err error) bool {
	var m *MissingError
	return errors.As(err, &m)
}
