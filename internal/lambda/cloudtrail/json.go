package cloudtrail

import (
	"encoding/json"
	"strings"
)

// text is a string of JSON. Any other value is read as an empty string.
type text string

// UnmarshalJSON reads a value.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	}
	return nil
}

// lenient is an object of JSON. Any other value is read as an empty object.
type lenient[T any] struct{ value T }

// UnmarshalJSON reads a value.
func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var v T
	if json.Unmarshal(data, &v) == nil {
		l.value = v
	}
	return nil
}

// literal is a number or a boolean that JSON has as such or as a text.
type literal string

// UnmarshalJSON reads a value.
func (l *literal) UnmarshalJSON(data []byte) error {
	*l = literal(strings.Trim(string(data), `"`))
	return nil
}
