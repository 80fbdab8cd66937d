package functionname

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   Name
		ok     bool
	}{
		"Function":       {"A function alone.", "cart", Name{Function: "cart"}, true},
		"Alias":          {"An alias of it.", "cart:live", Name{"cart", "live"}, true},
		"Latest":         {"The function itself, named.", "cart:$LATEST", Name{"cart", Latest}, true},
		"Empty":          {"Nothing is no name.", "", Name{}, false},
		"NoFunction":     {"A qualifier is one of something.", ":live", Name{Qualifier: "live"}, false},
		"EmptyQualifier": {"A colon announces a qualifier.", "cart:", Name{Function: "cart"}, false},
		"ARN": {
			"An ARN is no name.", "arn:aws:lambda:eu-central-1:123456789012:function:cart",
			Name{"arn", "aws:lambda:eu-central-1:123456789012:function:cart"},
			false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := Parse(tc.text)
			if got != tc.want || ok != tc.ok {
				t.Errorf("%s\ngot %+v, %t, want %+v, %t", tc.reason, got, ok, tc.want, tc.ok)
			}
			if ok && got.String() != tc.text {
				t.Errorf("%s\nwritten again it is %q", tc.reason, got)
			}
		})
	}
}

func TestOfARN(t *testing.T) {
	cases := map[string]struct {
		reason string
		arn    string
		want   Name
	}{
		"Function": {
			"Of a function.", "arn:aws:lambda:eu-central-1:123456789012:function:cart",
			Name{Function: "cart"},
		},
		"Version": {
			"Of a version.", "arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:cart:3",
			Name{"cart", "3"},
		},
		"Latest": {
			"Of the function itself, named.",
			"arn:aws:lambda:eu-central-1:123456789012:function:cart:$LATEST",
			Name{"cart", Latest},
		},
		"Layer":     {"A layer is no function.", "arn:aws:lambda:eu-central-1:123456789012:layer:cart:1", Name{}},
		"Truncated": {"What ends early names nothing.", "arn:aws:lambda:eu-central-1:123456789012:function", Name{}},
		"Empty":     {"Nor does nothing.", "", Name{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := OfARN(tc.arn); got != tc.want {
				t.Errorf("%s\ngot %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

func TestOr(t *testing.T) {
	if got := (Name{Function: "cart"}).Or(Latest); got.String() != "cart:$LATEST" {
		t.Errorf("got %s, want the qualifier where there is none", got)
	}
	if got := (Name{"cart", "live"}).Or(Latest); got.String() != "cart:live" {
		t.Errorf("got %s, want the qualifier that is there", got)
	}
}

func TestParseReference(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   Reference
		ok     bool
	}{
		"Name":  {"A function's name.", "cart_2-a", Reference{Name: Name{Function: "cart_2-a"}}, true},
		"Alias": {"With an alias.", "cart:live", Reference{Name: Name{"cart", "live"}}, true},
		"ARN": {
			"A function's ARN.", "arn:aws:lambda:eu-central-1:123456789012:function:cart",
			Reference{Name{Function: "cart"}, "eu-central-1", "123456789012"},
			true,
		},
		"China": {
			"Of another partition.", "arn:aws-cn:lambda:cn-north-1:123456789012:function:cart",
			Reference{Name{Function: "cart"}, "cn-north-1", "123456789012"},
			true,
		},
		"VersionARN": {
			"A version's ARN.", "arn:aws:lambda:eu-central-1:123456789012:function:cart:3",
			Reference{Name{"cart", "3"}, "eu-central-1", "123456789012"},
			true,
		},
		"PartialARN": {
			"From the account on.", "123456789012:function:cart",
			Reference{Name{Function: "cart"}, "", "123456789012"},
			true,
		},
		"PartialLatest": {
			"With a qualifier.", "123456789012:function:cart:$LATEST",
			Reference{Name{"cart", Latest}, "", "123456789012"},
			true,
		},
		"Published": {
			"What managed instances run.", "cart:$LATEST.PUBLISHED",
			Reference{Name: Name{"cart", "$LATEST.PUBLISHED"}},
			true,
		},
		"OtherARN": {
			"An ARN of something else.", "arn:aws:lambda:eu-central-1:123456789012:layer:cart",
			Reference{},
			false,
		},
		"OtherService": {"Or of another service.", "arn:aws:sqs:eu-central-1:123456789012:cart", Reference{}, false},
		"NoName": {
			"An ARN that ends early.", "arn:aws:lambda:eu-central-1:123456789012:function",
			Reference{},
			false,
		},
		"Space": {"A name has no space.", "my cart", Reference{}, false},
		"Long":  {"Nor more than 64 characters.", strings.Repeat("a", 65), Reference{}, false},
		"Empty": {"Nothing names nothing.", "", Reference{}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, ok := ParseReference(tc.text); got != tc.want || ok != tc.ok {
				t.Errorf("%s\ngot %+v, %t, want %+v, %t", tc.reason, got, ok, tc.want, tc.ok)
			}
		})
	}
}
