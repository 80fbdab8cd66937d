package policy

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// longestError is the maximum length of an error of a policy, in bytes.
const longestError = 500

// FuzzCompare checks that Compare is symmetric for policies that leave nothing to AWS, and that errors are short.
func FuzzCompare(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // Seeds are to be the same each time.
	for range 10 {
		wanted, observed := random(r)
		f.Add(wanted, observed)
	}
	for _, s := range []string{
		`{"Version":"2012-10-17","Id":"default","Statement":[{"Sid":"s","Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction","Resource":"arn:aws:lambda:eu-central-1:111111111111:function:f","Condition":{"ArnLike":{"AWS:SourceArn":"arn:aws:s3:::b"}}}]}`,
		`{"Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111111111111:root"},"Action":["a","A"]},{"Effect":"Deny","NotAction":5.0}]}`,
		`{"Statement":{"Effect":"allow"}}`, `{"Statement":`, `null`, `{"Statement":[{"Sid":"a","Effect":"Deny"},{"Sid":"a","Effect":"Allow"}]}`,
	} {
		f.Add(s, `{"Statement":[]}`)
		f.Add(s, s)
	}
	long := strings.Repeat("ü", 1000)
	for _, s := range []string{`{"Statement":{"Effect":"` + long + `"}}`, `{"Statement":{"` + long + `":1}}`, `{"Statement":{"Condition":{"` + long + `":1}}}`, `{"Statement":{"Principal":{"` + long + `":{}}}}`} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := Parse(a)
		y, errY := Parse(b)
		strict, errStrict := Check(a)
		for _, err := range []error{errX, errY, errStrict} {
			if err != nil && (len(err.Error()) > longestError || !utf8.ValidString(err.Error())) {
				t.Errorf("too many words: %v", err)
			}
		}
		if errStrict == nil && (errX != nil || len(Compare(strict, x))+len(Compare(x, strict)) > 0) {
			t.Errorf("%s is wanted otherwise than observed: %v", a, errX)
		}
		if Compact(Compact(a)) != Compact(a) {
			t.Errorf("%q is compact in two ways", a)
		}
		if errX != nil || errY != nil {
			return
		}
		for _, d := range []*Document{&x, &y} {
			d.Version, d.ID = "", ""
			for i := range d.Statements {
				d.Statements[i].Sid = ""
			}
		}
		there, back := Compare(x, y), Compare(y, x)
		if (len(there) == 0) != (len(back) == 0) {
			t.Errorf("there %+v, back %+v", there, back)
		}
		for _, s := range x.Statements {
			g := GrantOf(s, ":function:f")
			if g.Normal() != g || g.Like(g) != g {
				t.Errorf("%s is granted as %+v, which is read as %+v", s.Text(), g, g.Like(g))
			}
		}
	})
}
