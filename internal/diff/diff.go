// Package diff compares a desired value with an observed one, and names each field that differs. It is pure.
//
// Every kind describes itself as one struct, the same type for the desired and the observed state.
// Merge combines forProvider with initProvider, Fill takes from the observed state what the user
// leaves to AWS, and Compare returns the remaining differences.
package diff

import (
	"fmt"
	"slices"
	"strings"
)

// A Change is a field whose desired value differs from the observed one.
type Change struct {
	// Path of the field as users write it below spec.forProvider, such as environment.variables[LOG_LEVEL].
	Path string `json:"path"`

	// Old is the observed value and New the desired one, as short texts. An absent value is empty. A Secret is
	// redacted, and so is a field with the tag `diff:"secret"`, which is a text in JSON.
	Old string `json:"before,omitempty"`
	New string `json:"after,omitempty"`
}

// String returns the change in a few words, for events and conditions.
func (c Change) String() string {
	switch {
	case c.Old == c.New:
		return c.Path
	case c.Old == "":
		return fmt.Sprintf("%s: added %s", c.Path, c.New)
	case c.New == "":
		return fmt.Sprintf("%s: removed", c.Path)
	}
	return fmt.Sprintf("%s: %s -> %s", c.Path, c.Old, c.New)
}

// Changes are the fields that differ, ordered by path.
type Changes []Change

// Any reports whether a change lies at or below one of the paths.
func (cs Changes) Any(paths ...string) bool { return len(cs.In(paths...)) > 0 }

// In returns the changes that lie at or below one of the paths.
func (cs Changes) In(paths ...string) Changes {
	var in Changes
	for _, c := range cs {
		for _, p := range paths {
			if within(c.Path, p) {
				in = append(in, c)
				break
			}
		}
	}
	return in
}

// But returns the changes that lie neither at nor below any of the paths.
func (cs Changes) But(paths ...string) Changes {
	var out Changes
	for _, c := range cs {
		if !(Changes{c}).Any(paths...) {
			out = append(out, c)
		}
	}
	return out
}

// maxNamed bounds how many changes a text names, so that an event stays short.
const maxNamed = 8

// String returns the changes, at most eight of them in full.
func (cs Changes) String() string {
	texts := make([]string, 0, len(cs))
	for _, c := range cs {
		texts = append(texts, c.String())
	}
	return List(texts, maxNamed)
}

// maxPaths bounds how many fields a condition names.
const maxPaths = 5

// Names returns the paths of at most five changes, without values, for a condition such as
// "changing batchSize, tags[team]".
func (cs Changes) Names() string {
	names := make([]string, 0, len(cs))
	for _, c := range cs {
		names = append(names, c.Path)
	}
	slices.Sort(names)
	return List(names, maxPaths)
}

// List returns the first of some texts as one, and says how many more there are.
func List(texts []string, most int) string {
	if more := len(texts) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), more)
	}
	return strings.Join(texts, ", ")
}

// within reports whether path is p or lies below it.
func within(path, p string) bool {
	rest, ok := strings.CutPrefix(path, p)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Redacted stands for a secret value.
const Redacted = "(redacted)"

// A Secret is a confidential text. It is compared like any other, and prints, formats and marshals as "(redacted)".
//
// The text is behind a pointer, because package fmt calls no methods of values in unexported
// fields: it prints an address there.
type Secret struct{ text *string }

// NewSecret returns a Secret of a text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// String returns Redacted.
func (Secret) String() string { return Redacted }

// Format writes Redacted for every verb of package fmt.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Redacted)) }

// MarshalText returns Redacted, for JSON, YAML and structured logs.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// Equal reports whether the texts are equal.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// Reveal returns the text, for the call to AWS that needs it. That of the zero Secret is empty.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Secrets returns a map with the values as Secrets.
func Secrets(m map[string]string) map[string]Secret {
	if m == nil {
		return nil
	}
	out := make(map[string]Secret, len(m))
	for k, v := range m {
		out[k] = NewSecret(v)
	}
	return out
}

// Reveal returns a map with the texts of the Secrets. It is never nil, because AWS reads an absent map as "keep".
func Reveal(m map[string]Secret) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v.Reveal()
	}
	return out
}

// RedactedValues returns a map with the same keys, in which all values are redacted.
func RedactedValues(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k := range m {
		out[k] = Redacted
	}
	return out
}
