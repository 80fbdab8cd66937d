package tenancy

import (
	"regexp"
	"testing"

	"k8s.io/utils/ptr"
)

var functionNames = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// FuzzTargets checks that any string is either the plain name of a function, or invalid, and that none is ignored.
func FuzzTargets(f *testing.F) {
	for _, s := range []string{
		"", "cart", "cart:live", "function:cart", "123456789012:cart", "123456789012:function:cart:live", "arn:aws:lambda:eu-central-1:123456789012:function:cart",
		"arn:aws:lambda:eu-central-1:123456789012:layer:base:1", "arn:aws:lambda:eu-central-1:123456789012:layer:base:", "arn:aws:lambda:eu-central-1:123456789012:cart",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		targets := Functions(ptr.To(s))
		if (s == "") != (len(targets) == 0) {
			t.Errorf("%q names %d functions", s, len(targets))
		}
		for _, target := range targets {
			if !target.invalid && !functionNames.MatchString(target.Name) {
				t.Errorf("%q names the function %q", s, target.Name)
			}
			if again := Functions(ptr.To(target.Name)); !target.invalid &&
				(len(again) != 1 || again[0].Name != target.Name || again[0].invalid) {
				t.Errorf("%q names the function %q, which names %+v", s, target.Name, again)
			}
		}
		if n := len(Named(ptr.To(s))); n > 1 {
			t.Errorf("%q names %d layer versions", s, n)
		}
	})
}
