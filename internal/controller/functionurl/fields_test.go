package functionurl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoCounterpart lists the fields that are copied nowhere. If it fails for a new member of the SDK, add the field to
// the API type, or add it here.
func TestNoCounterpart(t *testing.T) {
	unsentInCreate, unsetInCreate := settingsToCreate.Unpaired()
	unsentInUpdate, unsetInUpdate := settingsToUpdate.Unpaired()
	_, unsetByAnswer := answerToSettings.Unpaired()
	unreadForStatus, unsetInStatus := answerToStatus.Unpaired()
	_, unsetByCreation := createdToAnswer.Unpaired()
	for name, tc := range map[string]struct{ got, want []string }{
		"SettingsNotCreated": {got: unsentInCreate},
		"Create":             {got: unsetInCreate, want: []string{"FunctionName", "Qualifier"}},
		"SettingsNotUpdated": {got: unsentInUpdate},
		"Update":             {got: unsetInUpdate, want: []string{"FunctionName", "Qualifier"}},
		"SettingsOfAnswer":   {got: unsetByAnswer},
		"Answer":             {got: unreadForStatus, want: []string{"ResultMetadata"}},
		"Status":             {got: unsetInStatus, want: []string{"FunctionName", "Qualifier", "URLID"}},
		"Created":            {got: unsetByCreation, want: []string{"LastModifiedTime"}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}
