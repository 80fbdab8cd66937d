package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func redactor() *Redactor {
	r := theRun
	r.Account = "210987654321"
	return NewRedactor(r, "team/their-role", "plc-"+r.ID+"-f first 7", `{"batchSize": 10}`)
}

func TestRedactor(t *testing.T) {
	cases := map[string]struct{ reason, in, want string }{
		"Model": {reason: "Words of Lambda's model are shown.", in: `"InProgress"`, want: `"InProgress"`},
		"Message": {
			reason: "A message of AWS is shown.",
			in:     `"Function not found: arn:aws:lambda:eu-central-1:210987654321:function:plc-0a1b2c3d-f"`,
			want:   `"Function not found: arn:aws:lambda:eu-central-1:123456789012:function:plc-00000000-f"`,
		},
		"Role": {
			reason: "The name of a role that was given is not shown.",
			in:     `"arn:aws:iam::210987654321:role/team/their-role"`,
			want:   `"arn:aws:iam::123456789012:role/role"`,
		},
		"Word": {
			reason: "A word that nobody has said is not shown.",
			in:     `"for hunter2canary only"`,
			want:   `"for redacted1 only"`,
		},
		"Same": {
			reason: "The same value has the same placeholder, another one another.",
			in:     `["zork", "zork", "gork"]`,
			want:   `["redacted1", "redacted1", "redacted2"]`,
		},
		"Variables": {
			reason: "No value of a variable is shown, even if it is harmless.",
			in:     `{"Variables": {"MODE": "first"}}`,
			want:   `{"Variables": {"redacted1": "redacted2"}}`,
		},
		"UUID": {
			reason: "Identifiers stay identifiers, so that a replay accepts them.",
			in:     `"arn:aws:lambda:eu-central-1:210987654321:event-source-mapping:0dc2b9c4-9573-4f00-8c22-2f0e6b6e5f9a"`,
			want:   `"arn:aws:lambda:eu-central-1:123456789012:event-source-mapping:00000000-0000-4000-8000-000000000001"`,
		},
		"Card": {
			reason: "Too many digits are no small number.",
			in:     `"4111 1111 1111 1111"`,
			want:   `"redacted1 redacted2 redacted2 redacted2"`,
		},
		"Number": {reason: "Nor are they as a number.", in: `4111111111111111`, want: `0`},
		"Small": {
			reason: "Settings are small numbers.",
			in:     `{"MemorySize": 10240, "Timeout": 0.25}`,
			want:   `{"MemorySize": 10240, "Timeout": 0.25}`,
		},
		"Nested": {
			reason: "Policies are JSON in a text.",
			in:     `"{\"Sid\":\"zork\"}"`,
			want:   `"{\"Sid\":\"redacted1\"}"`,
		},
		"Escaped": {reason: "No other characters are shown.", in: `"first\u0007\u00e9"`, want: `"first??"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var want any
			decode := json.NewDecoder(strings.NewReader(tc.want))
			decode.UseNumber()
			if err := decode.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, redactor().body([]byte(tc.in))); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// planted returns a secret, and its forms.
func planted(r *rand.Rand) (secret string, forms []string) {
	alphabets := []string{
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz", "0123456789",
		"0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
		"abcdefghijklmnopqrstuvwxyz0123456789-", "abcdefghijklmnop/%&=?#\"\\<>+ 0123456789",
	}
	a := alphabets[r.IntN(len(alphabets))]
	b := make([]byte, 12+r.IntN(40))
	for i := range b {
		b[i] = a[r.IntN(len(a))]
	}
	secret = strings.TrimSpace(string(b))
	return secret, []string{
		secret, base64.StdEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b), hex.EncodeToString(b),
		strings.ToUpper(hex.EncodeToString(b)), url.QueryEscape(secret), url.PathEscape(secret),
		strings.Trim(string(encoded(secret)), `"`),
	}
}

// answerWith returns a body with secrets in a form, at all places where an answer may have one.
func answerWith(r *rand.Rand, secrets []string) []byte {
	at := func() string { return secrets[r.IntN(len(secrets))] }
	switch r.IntN(6) {
	case 0:
		return []byte(at()) // No JSON.
	case 1:
		return fmt.Appendf(nil, "<html>%s</html>", at())
	case 2: // Others' functions.
		others := []any{map[string]any{"FunctionName": at(), "Description": at()}}
		return encoded(map[string]any{"Functions": others, "NextMarker": at()})
	}
	v := map[string]any{
		"Message":     "The secret " + at() + " cannot be read: " + at(),
		at():          at(),
		"Code":        map[string]any{"Location": "https://" + at() + "?X=" + at()},
		"Environment": map[string]any{"Variables": map[string]any{"PASSWORD": at(), at(): "x"}},
		"Tags": map[string]any{
			at(): at(),
		},
		"Policy":       `{"Sid":"` + hex.EncodeToString([]byte(at())) + `"}`,
		"List":         []any{at(), []any{at()}},
		"Description":  at(),
		"FunctionName": "plc-0a1b2c3d-f",
		"Role":         "arn:aws:iam::210987654321:role/" + at(),
	}
	if n := at(); strings.Trim(n, "0123456789") == "" && !strings.HasPrefix(n, "0") {
		v["Number"] = json.Number(n)
	}
	return encoded(v)
}

// TestNoSecretIsRecorded plants 10,000 secrets in answers, in all forms and at all places, and looks for them in the
// recording.
func TestNoSecretIsRecorded(t *testing.T) {
	const secrets, each = 10_000, 10
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < secrets; n += each {
		var all []string
		for range each {
			_, forms := planted(r)
			all = append(all, forms...)
		}
		out := bytes.Buffer{}
		rec := NewRecorder(&out, redactor(), func() int64 { return 0 })
		for range 5 {
			c := &call{
				service: serviceLambda, operation: "GetFunction", method: http.MethodGet,
				path:  "/2015-03-31/functions/plc-0a1b2c3d-f/" + url.PathEscape(all[r.IntN(len(all))]),
				query: url.Values{"Marker": {all[r.IntN(len(all))]}}.Encode(), body: answerWith(r, all),
			}
			rsp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{
				"X-Amzn-Errortype":        {all[r.IntN(len(all))]},
				"X-Amz-Executed-Version":  {all[r.IntN(len(all))]},
				"X-Amz-Log-Result":        {all[r.IntN(len(all))]},
				"X-Amz-Function-Error":    {all[r.IntN(len(all))]},
				"X-Amzn-Requestid":        {all[r.IntN(len(all))]},
				"X-Amz-Security-Token":    {all[r.IntN(len(all))]},
				"Etag":                    {all[r.IntN(len(all))]},
				"X-Amz-Durable-Execution": {all[r.IntN(len(all))]},
			}}
			if err := rec.add(c, rsp, answerWith(r, all)); err != nil {
				t.Fatal(err)
			}
		}
		if out.Len() == 0 {
			t.Fatal("nothing was recorded")
		}
		for _, s := range all {
			if bytes.Contains(out.Bytes(), []byte(s)) {
				t.Fatalf("the secret %q is in the recording:\n%s", s, out.String())
			}
		}
	}
}
