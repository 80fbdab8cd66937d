package capacityprovider

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoCounterpart lists the fields that are copied nowhere. If it fails for a new member of the SDK, add the field to
// the API type and to settings, or add it here.
func TestNoCounterpart(t *testing.T) {
	unreadSpec, _ := specToSettings.Unpaired()
	unreadFixed, _ := fixedToSettings.Unpaired()
	unsentInCreate, unsetInCreate := settingsToCreate.Unpaired()
	_, unsetInUpdate := settingsToUpdate.Unpaired()
	unreadAnswer, unsetByAnswer := answerToSettings.Unpaired()
	_, unsetByAnswerInStatus := answerToStatus.Unpaired()
	_, unsetInStatus := settingsToStatus.Unpaired()
	unset := slices.DeleteFunc(unsetInStatus, func(s string) bool { return !slices.Contains(unsetByAnswerInStatus, s) })
	blocks := []string{"CapacityProviderScalingConfig", "PropagateTags", "TelemetryConfig"}
	cases := map[string]struct {
		reason    string
		got, want []string
	}{
		"Spec": {reason: "All of it reaches settings.", got: unreadSpec},
		"Fixed": {
			reason: "References are resolved before, and what an update can change is copied by itself.",
			got:    unreadFixed,
			want: []string{
				"VPCConfig.SubnetIDsFrom", "VPCConfig.SecurityGroupIDsFrom",
				"PermissionsConfig.CapacityProviderOperatorRoleArnFrom", "Regional", "KMSKeyArnFrom",
				"CapacityProviderSettings",
			},
		},
		"Settings": {reason: "All of them are sent.", got: unsentInCreate},
		"Create": {
			reason: "The name is set beside the copy.",
			got:    unsetInCreate,
			want:   []string{"CapacityProviderName"},
		},
		"Update": {
			reason: "The name is set beside the copy.",
			got:    unsetInUpdate,
			want:   []string{"CapacityProviderName"},
		},
		"Answer": {
			reason: "Blocks with defaults are copied by hand, and the others reach status.",
			got:    unreadAnswer,
			want: []string{
				"CapacityProviderArn", "State", "CapacityProviderScalingConfig", "LastModified", "PropagateTags",
				"TelemetryConfig",
			},
		},
		"SettingsOfAnswer": {
			reason: "Blocks with defaults are copied by hand, and tags come by another call.",
			got:    unsetByAnswer, want: append(blocks, "Tags"),
		},
		"Status": {
			reason: "Neither settings nor the answer have them.",
			got:    unset, want: []string{"CapacityProviderName", "TagKeys"},
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
