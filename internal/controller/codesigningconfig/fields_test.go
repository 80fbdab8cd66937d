package codesigningconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoCounterpart lists the fields that are copied nowhere. If it fails for a new member of the SDK, add the field to
// the API type and to settings, or add it here.
func TestNoCounterpart(t *testing.T) {
	unreadSpec, _ := specToSettings.Unpaired()
	unsentInCreate, unsetInCreate := settingsToCreate.Unpaired()
	_, unsetInUpdate := settingsToUpdate.Unpaired()
	_, unsetByAnswer := answerToSettings.Unpaired()
	unreadForStatus, unsetInStatus := answerToStatus.Unpaired()
	cases := map[string]struct {
		reason    string
		got, want []string
	}{
		"Spec": {
			reason: "References are resolved beside the copy.",
			got:    unreadSpec, want: []string{"AllowedPublishers.SigningProfileVersionArnsFrom"},
		},
		"Settings": {reason: "All of them are sent.", got: unsentInCreate},
		"Create":   {reason: "All of it is set.", got: unsetInCreate},
		"Update": {
			reason: "The ARN is set beside the copy.",
			got:    unsetInUpdate,
			want:   []string{"CodeSigningConfigArn"},
		},
		"SettingsOfAnswer": {
			reason: "Policies have a default, and tags come by another call.",
			got:    unsetByAnswer, want: []string{"CodeSigningPolicies", "Tags"},
		},
		"Answer": {
			reason: "Policies are copied by hand.",
			got:    unreadForStatus, want: []string{"CodeSigningPolicies"},
		},
		"Status": {
			reason: "Policies are copied by hand, and tags come by another call.",
			got:    unsetInStatus, want: []string{"UntrustedArtifactOnDeployment", "TagKeys"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, tc.got); d != "" {
				t.Errorf("%s\nfields without a counterpart: -listed +found\n%s", tc.reason, d)
			}
		})
	}
}
