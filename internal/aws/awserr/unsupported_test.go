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
		"None": {reason: "Without an error, the operation is supported."},
		"Other": {
			reason: "An error that is not of AWS does not mean that the operation is unsupported.",
			err:    errors.New("boom"),
		},
		"Unknown": {
			reason: "AWS returns this error for an operation that the region lacks.",
			err:    answer("Lambda", "ListTags", 404, "UnknownOperationException", ""), want: true,
		},
		"Undetermined": {reason: "Lambda also returns this one.", err: answer("Lambda", "ListTags", 403,
			"AccessDeniedException", "Unable to determine service/operation name to be authorized"), want: true},
		"NotImplemented": {reason: "Emulators return this error for an operation that they lack.", err: answer("Lambda",
			"ListTags", 501, "InternalFailure", "The API action is not yet implemented"), want: true},
		"NotFound": {
			reason: "The operation is supported, but the resource does not exist.",
			err:    answer("Lambda", "ListTags", 404, "ResourceNotFoundException", ""),
		},
		"Failed": {
			reason: "A server error may be temporary.",
			err:    answer("Lambda", "ListTags", 500, "ServiceException", ""),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsUnsupported(tc.err); got != tc.want || got && IsNotFound(tc.err) {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
