package version

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
)

func TestPublished(t *testing.T) {
	version := func(name string, memory int32) types.FunctionConfiguration {
		return types.FunctionConfiguration{Version: ptr.To(name), MemorySize: ptr.To(memory)}
	}
	intent := func(before int, memory int32) versions.Intent {
		c := version("", memory)
		return versions.Intent{Before: before, Fingerprint: contentOf(&c).Fingerprint()}
	}
	secret := version("4", 9)
	secret.Environment = &types.EnvironmentResponse{
		Error: &types.EnvironmentError{ErrorCode: ptr.To("AccessDeniedException")},
	}
	there := []types.FunctionConfiguration{version("1", 1), version("2", 2), version("3", 1), secret}
	cases := map[string]struct {
		reason string
		intent versions.Intent
		among  []types.FunctionConfiguration
		want   string
		known  bool
	}{
		"Found": {
			reason: "A later version of the same content.", intent: intent(1, 1), among: there, want: "3", known: true,
		},
		"Before": {reason: "What was there before is not it.", intent: intent(3, 1), among: there[:3], known: true},
		"Other": {
			reason: "A version with other content is not the published one.", intent: intent(0, 9), among: there[:3],
			known: true,
		},
		"Unknown": {
			reason: "A version with unreadable variables may be the published one.", intent: intent(3, 9), among: there,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, known := tc.intent.LedTo(tc.among, contentOf); got != tc.want || known != tc.known {
				t.Errorf("%s\ngot %q, known %t, want %q, %t", tc.reason, got, known, tc.want, tc.known)
			}
		})
	}
}

func TestPreparedVersion(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  types.State
		want   string
	}{
		"Active":    {reason: "Aliases move to a version that AWS has prepared.", state: types.StateActive, want: "2"},
		"Pending":   {reason: "Until then, they stay.", state: types.StatePending, want: "1"},
		"Failed":    {reason: "If AWS cannot prepare it, they stay.", state: types.StateFailed, want: "1"},
		"Unstated":  {reason: "A version without a state is Ready, so aliases move to it.", want: "2"},
		"Instances": {reason: "Nothing is left to wait for.", state: types.StateActiveNonInvocable, want: "2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &types.FunctionConfiguration{Version: ptr.To("2"), State: tc.state}
			got := observation(c, v1beta1.VersionObservation{PreparedVersion: ptr.To("1")})
			if *got.PreparedVersion != tc.want {
				t.Errorf("%s\nwant version %s, got %s", tc.reason, tc.want, *got.PreparedVersion)
			}
		})
	}
}
