package kubectl

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
)

func TestOneLine(t *testing.T) {
	cases := map[string]struct{ reason, args, want string }{
		"Plain": {reason: "A line is itself.", args: "error-rate: 0.2 % ✔", want: "error-rate: 0.2 % ✔"},
		"Lines": {reason: "Lines are joined.", args: "a\n  b\r\nc\t", want: "a b c"},
		"Escape": {
			reason: "A server's text doesn't move the cursor.",
			args:   "a\x1b[2Jb\u009b1m\x07",
			want:   `a\x1b[2Jb\u009b1m\a`,
		},
		"Bidi": {
			reason: "A server's text does not reverse the order of characters.",
			args:   "a\u202eb",
			want:   `a\u202eb`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := OneLine(tc.args); got != tc.want {
				t.Errorf("%s: OneLine(%q) = %q, want %q", tc.reason, tc.args, got, tc.want)
			}
		})
	}
}

// TestEscapeRunes escapes each character of Unicode.
func TestEscapeRunes(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		s := string(r)
		got, want := Escape(s) != s, (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) && r != '\n' && r != '\t'
		if got != want {
			t.Errorf("%U is escaped: %t, want %t", r, got, want)
		}
	}
}

// TestTerminal writes texts to a terminal, in one piece and byte by byte.
func TestTerminal(t *testing.T) {
	cases := map[string]struct{ reason, args, want string }{
		"Plain": {reason: "A text is itself.", args: "größer ✔ 🚀\n\tb", want: "größer ✔ 🚀\n\tb"},
		"ESC":   {reason: "The screen is not cleared.", args: "\x1b[2J", want: `\x1b[2J`},
		"C1": {
			reason: "C1 controls stand for sequences that begin with ESC.",
			args:   "\u009b2J\u009d0;title\u009c",
			want:   `\u009b2J\u009d0;title\u009c`,
		},
		"RawC1":     {reason: "Some terminals take them as single bytes.", args: "\x9b2J", want: `\x9b2J`},
		"Backspace": {reason: "Nothing is written over.", args: "ok\b\b\bevil", want: `ok\b\b\bevil`},
		"CR":        {reason: "A line is not written over.", args: "good\revil\r\n", want: `good\revil\r` + "\n"},
		"Bell":      {reason: "The bell does not ring.", args: "\a", want: `\a`},
		"DEL":       {reason: "Nothing is deleted.", args: "\x7f", want: `\x7f`},
		"Bidi": {
			reason: "The order of characters is kept.",
			args:   "\u202egnp.exe\u2066",
			want:   `\u202egnp.exe\u2066`,
		},
		"Invisible": {
			reason: "Nothing is hidden.",
			args:   "a\u200bb\ufeff\U000e0041",
			want:   `a\u200bb\ufeff\U000e0041`,
		},
		"Feeds":      {reason: "The cursor stays.", args: "\v\f", want: `\v\f`},
		"Incomplete": {reason: "What is no character is shown as bytes.", args: "a\xf0\x9f", want: `a\xf0\x9f`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{len(tc.args), 1} {
				var b bytes.Buffer
				w := NewTerminal(&b)
				for rest := tc.args; rest != ""; rest = rest[size:] {
					if n, err := w.Write([]byte(rest[:size])); n != size || err != nil {
						t.Fatalf("%d bytes are written: %v", n, err)
					}
				}
				w.flush()
				if b.String() != tc.want {
					t.Errorf("%s: %q is written as %q, want %q", tc.reason, tc.args, b.String(), tc.want)
				}
			}
		})
	}
}

// TestEscapeStyled checks that styles are all that is kept.
func TestEscapeStyled(t *testing.T) {
	got := EscapeStyled("\x1b[1;31mFailed\x1b[m \x1b[2J\x1b]0;t\a\u009b31m" + strings.Repeat("x", 3) + "\x1b[0m\b")
	if want := "\x1b[1;31mFailed\x1b[m " + `\x1b[2J\x1b]0;t\a\u009b31mxxx` + "\x1b[0m" + `\b`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
