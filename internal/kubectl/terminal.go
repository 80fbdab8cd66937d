package kubectl

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"k8s.io/cli-runtime/pkg/printers"
)

// Escape returns a text that AWS, a function or an author of objects has written, without characters that a terminal
// acts on or that change the order of others: all of Unicode's categories Cc and Cf except newline and tab, and what
// is not UTF-8. They are written as Go writes them, such as \x1b.
func Escape(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, acts) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case acts(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// acts reports whether a character is of the category Cc or Cf, and neither newline nor tab.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}

// OneLine returns a text of others, such as a server's message, as one line that is escaped.
func OneLine(s string) string { return Escape(strings.Join(strings.Fields(s), " ")) }

// style matches what lipgloss adds to a text: colors and weights.
var style = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// EscapeStyled escapes a text that the plugin has styled, and keeps the styles. So what others have written must be
// escaped before: see OneLine and Decode.
func EscapeStyled(s string) string {
	var b strings.Builder
	for at := style.FindStringIndex(s); at != nil; at = style.FindStringIndex(s) {
		b.WriteString(Escape(s[:at[0]]) + s[at[0]:at[1]])
		s = s[at[1]:]
	}
	return b.String() + Escape(s)
}

// A Terminal is a stream to a terminal. All that is written to it is escaped.
type Terminal struct {
	device io.Writer

	mu sync.Mutex
	// begun is the begin of a character whose end was not written yet.
	begun []byte
}

// NewTerminal returns the Terminal of a device.
func NewTerminal(device io.Writer) *Terminal { return &Terminal{device: device} }

// Write writes a text.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := slices.Concat(t.begun, p)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := len(text) - i; utf8.RuneStart(text[last]) {
			if !utf8.FullRune(text[last:]) {
				whole = last
			}
			break
		}
	}
	t.begun = text[whole:]
	if _, err := io.WriteString(t.device, Escape(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes the begin of a character that has no end.
func (t *Terminal) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = io.WriteString(t.device, Escape(string(t.begun)))
	t.begun = nil
}

// asTerminal returns the Terminal of a stream, or the stream if it is none. What is piped is not changed.
func asTerminal(w io.Writer) io.Writer {
	if printers.IsTerminal(w) {
		return NewTerminal(w)
	}
	return w
}

// Device returns the device of a Terminal, for what draws on it, and any other stream as it is.
func Device(w io.Writer) io.Writer {
	if t, ok := w.(*Terminal); ok {
		return t.device
	}
	return w
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	_, ok := stream.(*Terminal)
	return ok || printers.IsTerminal(stream)
}

// PrintStyled prints a text as EscapeStyled returns it, in the colors that the stream has.
func PrintStyled(w io.Writer, text string) error {
	_, err := lipgloss.Fprint(Device(w), EscapeStyled(text))
	return err
}
