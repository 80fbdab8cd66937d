package resourcepolicy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

func TestChanges(t *testing.T) {
	const one = `{"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow","Action":"x"}]}`
	long := strings.Replace(one, `"x"`, `"`+strings.Repeat("ä", 100)+`"`, 1)
	cases := map[string]struct {
		reason           string
		wanted, observed string
		want             diff.Changes
	}{
		"Same": {reason: "Nothing differs.", wanted: one, observed: one},
		"Version": {
			reason: "The version is named.",
			wanted: one, observed: strings.Replace(one, "2012", "2008", 1),
			want: diff.Changes{{Path: "policy.Version", Old: "2008-10-17", New: "2012-10-17"}},
		},
		"Added": {
			reason: "A statement that is missing is to be added, and one that is not wanted removed.",
			wanted: strings.Replace(one, `"a"`, `"b"`, 1), observed: one,
			want: diff.Changes{
				{Path: "policy.Statement[b]", New: `{"Action":"x","Effect":"Allow","Sid":"b"}`},
				{Path: "policy.Statement[a]", Old: `{"Action":"x","Effect":"Allow","Sid":"a"}`},
			},
		},
		"Long": {
			reason:   "What is long is cut, between characters.",
			wanted:   long,
			observed: one,
			want: diff.Changes{
				{
					Path: "policy.Statement[a]",
					Old:  `{"Action":"x","Effect":"Allow","Sid":"a"}`,
					New:  `{"Action":"` + strings.Repeat("ä", 54) + `...`,
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w, err := policy.Parse(tc.wanted)
			if err != nil {
				t.Fatal(err)
			}
			o, err := policy.Parse(tc.observed)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, policy.Compare(w, o)); diff != "" {
				t.Errorf("\n%s\nCompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
