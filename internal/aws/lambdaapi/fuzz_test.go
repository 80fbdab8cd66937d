package lambdaapi

import (
	"strings"
	"testing"
)

// FuzzARN checks that the URI contains exactly the ARN that was given.
func FuzzARN(f *testing.F) {
	for _, s := range []string{
		"", "cart", "arn:aws:lambda:eu-central-1:123456789012:function:cart:live",
		"arn:aws-cn:lambda:cn-north-1:123456789012:function:cart", "::::",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := InvokeARN(s)
		if got == "" {
			return
		}
		if of := strings.TrimSuffix(got[strings.Index(got, "/functions/")+len("/functions/"):],
			"/invocations"); of != s {
			t.Errorf("%q is invoked by %q", s, got)
		}
	})
}
