package cloudtrail

import (
	"strings"
	"testing"
)

// No message makes Parse panic, and what it returns is bounded and printable.
func FuzzParse(f *testing.F) {
	f.Add(message("UpdateFunctionConfiguration20150331v2", `{"functionName":"cart"}`))
	f.Add(message("TagResource20170331v2", `{"resource":"arn:aws:lambda:eu-central-1:111122223333:layer:base:3"}`))
	f.Add(message("UpdateEventSourceMapping20150331", `{"uUID":"\u0000"}`, `"userIdentity":{"arn":"\ud800"}`))
	f.Add(
		message(
			"UpdateCapacityProvider",
			`{"capacityProviderName":"arn:aws:lambda:eu-central-1:111122223333:capacity-provider:a"}`,
			`"userAgent":"[]"`,
		),
	)
	f.Add(`{"detail-type":"Scheduled Event","source":"aws.events","account":"111122223333","region":"eu-central-1"}`)
	f.Add(strings.Repeat("[", 10000))
	f.Fuzz(func(t *testing.T, body string) {
		e, err := Parse([]byte(body))
		if err != nil {
			if e != (Event{}) {
				t.Errorf("an event beside the error: %+v", e)
			}
			return
		}
		for _, s := range []string{
			e.By.String(), e.By.StringWithSourceIP(), e.Subject.Account, e.Subject.Region,
			e.Subject.Function.String(), e.Subject.Layer, e.Subject.Name,
		} {
			if len(s) > 1024 {
				t.Errorf("%d bytes", len(s))
			}
			if i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
				t.Errorf("%q is not printable", s)
			}
		}
	})
}
