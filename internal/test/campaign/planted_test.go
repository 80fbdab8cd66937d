package campaign

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A form is a way to write a secret.
type form struct{ name, text string }

// forms has the forms of each secret that was looked for.
var forms sync.Map

// findPlanted returns the name of a form in which a text contains a secret, empty if it contains none: plain, base64 in
// any alignment, hex, and escaped as in a URL, in JSON and in Go. A secret of fewer than 6 bytes is too short to be
// found reliably.
func findPlanted(text, secret string) string {
	all, ok := forms.Load(secret)
	if !ok {
		all, _ = forms.LoadOrStore(secret, formsOf(secret))
	}
	for _, f := range all.([]form) { //nolint:forcetypeassert // Nothing else is stored.
		if strings.Contains(text, f.text) {
			return f.name
		}
	}
	return ""
}

// formsOf returns the forms of a secret, without duplicates.
func formsOf(secret string) []form {
	out := []form{{"plain", secret}}
	add := func(name, text string) {
		for _, f := range out {
			if f.text == text {
				return
			}
		}
		out = append(out, form{name, text})
	}
	for _, e := range []struct {
		name string
		*base64.Encoding
	}{{"base64", base64.StdEncoding}, {"base64 for URLs", base64.URLEncoding}} {
		for before := range 3 {
			once := aligned(e.Encoding, secret, before)
			add(fmt.Sprintf("%s, after %d bytes", e.name, before), once)
			// Kubernetes encodes the data of Secrets, and a log or an error may encode the object.
			for again := range 3 {
				add(fmt.Sprintf("%s twice, after %d and %d bytes", e.name, before, again),
					aligned(e.Encoding, once, again))
			}
		}
	}
	x := hex.EncodeToString([]byte(secret))
	add("hex", x)
	add("upper-case hex", strings.ToUpper(x))
	add("hex with spaces", fmt.Sprintf("% x", secret))
	numbers := strings.Trim(fmt.Sprintf("%d", []byte(secret)), "[]")
	add("bytes", numbers)
	add("JSON's bytes", strings.ReplaceAll(numbers, " ", ","))

	add("URL's query", url.QueryEscape(secret))
	add("URL's path", url.PathEscape(secret))
	var percent, unicode strings.Builder
	for _, b := range []byte(secret) {
		fmt.Fprintf(&percent, "%%%02X", b)
		fmt.Fprintf(&unicode, `\u%04x`, b)
	}
	add("percent-escaped", percent.String())
	add("lower-case percent-escaped", strings.ToLower(percent.String()))
	add("unicode-escaped", unicode.String())

	if quoted, err := json.Marshal(secret); err == nil { // A string always has a JSON form.
		add("JSON", strings.Trim(string(quoted), `"`))
		add("JSON in JSON", strings.Trim(strconv.Quote(strings.Trim(string(quoted), `"`)), `"`))
	}
	add("Go", strings.Trim(strconv.Quote(secret), `"`))
	return out
}

// aligned returns the characters of an encoding that depend only on the secret, if some bytes stand before it and
// others after it. So they are in the encoding of any text with the secret, with and without padding.
func aligned(e *base64.Encoding, secret string, before int) string {
	const bits, perByte = 6, 8
	text := e.WithPadding(base64.NoPadding).EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
	first := (before*perByte + bits - 1) / bits
	end := (before + len(secret)) * perByte / bits
	return text[first:end]
}

func TestFindPlanted(t *testing.T) {
	const secret = `hunter2<"canary">+&%/`
	asJSON := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	cases := map[string]func(text string) string{
		"Plain":       func(s string) string { return s },
		"Std":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"RawStd":      func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
		"URL":         func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
		"RawURL":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"Twice":       func(s string) string { return asJSON([]byte(asJSON([]byte(s)))) },
		"Hex":         func(s string) string { return hex.EncodeToString([]byte(s)) },
		"UpperHex":    func(s string) string { return fmt.Sprintf("%X", s) },
		"SpacedHex":   func(s string) string { return fmt.Sprintf("% x", s) },
		"Bytes":       func(s string) string { return fmt.Sprintf("%d", []byte(s)) },
		"Query":       url.QueryEscape,
		"Path":        url.PathEscape,
		"QueryValues": func(s string) string { return url.Values{"a": {s}}.Encode() },
		"JSON":        func(s string) string { return asJSON(s) },
		"JSONInJSON":  func(s string) string { return asJSON(asJSON(s)) },
		"Quoted":      func(s string) string { return fmt.Sprintf("%q", s) },
	}
	for name, write := range cases {
		t.Run(name, func(t *testing.T) {
			for _, before := range []string{"", "a", "ab", "abc", `{"password":`} {
				for _, after := range []string{"", "z", "yz", "xyz"} {
					if findPlanted(write(before+secret+after), secret) == "" {
						t.Errorf("not found between %q and %q: %s", before, after, write(before+secret+after))
					}
					if form := findPlanted(write(before+"hunter3<\"canary\">+&%/"+after), secret); form != "" {
						t.Errorf("another text is found as %s", form)
					}
				}
			}
		})
	}
}
