package diff

import "fmt"

// Redacted stands for what must not be seen.
const Redacted = "(redacted)"

// A Secret is a text that must not be seen: it is compared like any other, and
// prints, formats and marshals as "(redacted)".
//
// The text lies behind a pointer, since package fmt asks no methods of what it
// reaches through unexported fields: there it shows an address.
type Secret struct{ text *string }

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// String hides the secret.
func (Secret) String() string { return Redacted }

// Format hides the secret from every verb of package fmt.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Redacted)) }

// MarshalText hides the secret from JSON, YAML and structured logs.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// Equal compares the texts.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// Reveal returns the text itself, for the call to AWS that needs it. The zero
// Secret is an empty text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Secrets wraps the values of a map.
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

// Reveal unwraps the values of a map. It is never nil, since AWS reads an
// absent map as "keep".
func Reveal(m map[string]Secret) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v.Reveal()
	}
	return out
}

// RedactedValues is a map with the same keys, of which no value can be seen.
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
