package planted

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
)

func TestFind(t *testing.T) {
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
					if Find(write(before+secret+after), secret) == "" {
						t.Errorf("not found between %q and %q: %s", before, after, write(before+secret+after))
					}
					if form := Find(write(before+"hunter3<\"canary\">+&%/"+after), secret); form != "" {
						t.Errorf("another text is found as %s", form)
					}
				}
			}
		})
	}
}
