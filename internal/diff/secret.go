package diff

import "fmt"

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
