package awserr

import (
	"errors"
	"testing"
)

func TestIsUnsupported(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   bool
	}{
		"None":           {reason: "No error says nothing."},
		"Other":          {reason: "What is not of AWS says nothing.", err: errors.New("boom")},
		"Unknown":        {reason: "So AWS answers an operation that a region lacks.", err: answer("Lambda", "ListTags", 404, "UnknownOperationException", ""), want: true},
		"NotImplemented": {reason: "So emulators do.", err: answer("Lambda", "ListTags", 501, "InternalFailure", "The API action is not yet implemented"), want: true},
		"NotFound":       {reason: "The operation is there, and the thing is not.", err: answer("Lambda", "ListTags", 404, "ResourceNotFoundException", "")},
		"Failed":         {reason: "It may work the next time.", err: answer("Lambda", "ListTags", 500, "ServiceException", "")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsUnsupported(tc.err); got != tc.want || got && IsNotFound(tc.err) {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
