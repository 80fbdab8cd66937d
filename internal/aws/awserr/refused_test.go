package awserr

import (
	"errors"
	"testing"
)

func TestIsRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   bool
	}{
		"None":     {reason: "Nothing was refused."},
		"NoAnswer": {reason: "What became of the call is not known.", err: errors.New("connection reset")},
		"Throttled": {
			reason: "The call was throttled before it had any effect.",
			err:    answer("Lambda", "Invoke", 429, "TooManyRequestsException", ""), want: true,
		},
		"Denied": {
			reason: "The call is not allowed.",
			err:    answer("Lambda", "Invoke", 403, "AccessDeniedException", ""), want: true,
		},
		"NotFound": {
			reason: "The function does not exist.",
			err:    answer("Lambda", "Invoke", 404, "ResourceNotFoundException", ""), want: true,
		},
		"MountTimes": {
			reason: "The function's file system did not come.",
			err:    answer("Lambda", "Invoke", 408, "EFSMountTimeoutException", ""), want: true,
		},
		"KMS": {
			reason: "The function's environment could not be read.",
			err:    answer("Lambda", "Invoke", 502, "KMSAccessDeniedException", ""), want: true,
		},
		"NoAddresses": {
			reason: "The function could not be connected.",
			err:    answer("Lambda", "Invoke", 502, "SubnetIPAddressLimitReachedException", ""), want: true,
		},
		"Page": {
			reason: "The endpoint has no such route.",
			err:    answer("Lambda", "CreateCodeSigningConfig", 404, "", ""), want: true,
		},
		"Unsupported": {
			reason: "The endpoint does not have the operation.",
			err:    answer("Lambda", "CreateCodeSigningConfig", 501, "InternalFailure", ""), want: true,
		},
		"TimedOut": {
			reason: "A proxy has not waited for the answer.",
			err:    answer("Lambda", "CreateCodeSigningConfig", 408, "", ""),
		},
		"Internal": {
			reason: "Lambda itself failed, at whatever point.",
			err:    answer("Lambda", "Invoke", 500, "ServiceException", ""),
		},
		"Gateway": {
			reason: "The service was unavailable, and may have run the function.",
			err:    answer("Lambda", "Invoke", 503, "ServiceUnavailable", ""),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsRefused(tc.err); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
