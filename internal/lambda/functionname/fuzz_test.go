package functionname

import (
	"strings"
	"testing"
)

// FuzzNames checks that every name, plain or in an ARN, is printed and parsed again without a change.
func FuzzNames(f *testing.F) {
	for _, s := range []string{
		"cart", "cart:live", "cart:$LATEST", "", ":", "cart:", "cart:live:2", "123456789012:function:cart:live",
		"arn:aws:lambda:eu-central-1:123456789012:function:cart", "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:cart:$LATEST.PUBLISHED",
		"arn:aws:lambda:eu-central-1:123456789012:function:cart:live:2", "arn:aws:lambda:eu-central-1:123456789012:layer:base:1",
		"arn:aws:lambda:eu-central-1:123456789012:function:", "arn:aws:lambda:eu-central-1:123456789012:function:cart:",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := Parse(s)
		if ok {
			if n.String() != s {
				t.Errorf("%q is written as %q", s, n)
			}
			if got := OfARN("arn:aws:lambda:eu-central-1:123456789012:function:" + s); got != n {
				t.Errorf("in an ARN, %q is %+v", s, got)
			}
			if n.Or(Latest).Or("other") != n.Or(Latest) {
				t.Errorf("%q has two qualifiers", s)
			}
		}
		if n := OfARN(s); n != (Name{}) {
			if again, ok := Parse(n.String()); !ok || again != n || !strings.HasSuffix(s, n.String()) {
				t.Errorf("ARN %q has name %+v, read again as %+v", s, n, again)
			}
		}
		r, ok := ParseReference(s)
		if !ok {
			return
		}
		if strings.Trim(r.Function, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" ||
			!strings.HasSuffix(s, r.String()) {
			t.Errorf("%q refers to function %q, qualifier %q", s, r.Function, r.Qualifier)
		}
		if again, ok := ParseReference(r.String()); !ok || again.Name != r.Name {
			t.Errorf("%q refers to %+v, read again as %+v", s, r.Name, again.Name)
		}
		if r.Region != "" && OfARN(s) != r.Name {
			t.Errorf("%q refers to %+v, by its ARN to %+v", s, r.Name, OfARN(s))
		}
	})
}
