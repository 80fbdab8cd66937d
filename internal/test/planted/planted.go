// Package planted finds secrets that a test has planted, in the forms in which a program may write them.
package planted

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// A form is a way to write a secret.
type form struct{ name, text string }

// forms has the forms of each secret that was looked for.
var forms sync.Map

// Find returns the name of a form in which a text contains a secret, empty if it contains none: plain, base64 in any
// alignment, hex, and escaped as in a URL, in JSON and in Go. A secret of fewer than 6 bytes is too short to be found
// reliably.
func Find(text, secret string) string {
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
			for again := range 3 { // Kubernetes encodes the data of Secrets, and a log or an error may encode the object.
				add(fmt.Sprintf("%s twice, after %d and %d bytes", e.name, before, again), aligned(e.Encoding, once, again))
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
