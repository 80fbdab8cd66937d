package eventsourcemapping

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoCounterpart lists the fields that are copied nowhere. If it fails for a new member of the SDK, add the field to
// the API type and to settings, or add it here.
func TestNoCounterpart(t *testing.T) {
	unreadSpec, _ := specToSettings.Unpaired()
	_, unsetInCreate := settingsToCreate.Unpaired()
	_, unsetInUpdate := settingsToUpdate.Unpaired()
	unreadAnswer, unsetByAnswer := answerToSettings.Unpaired()
	unreadForStatus, unsetInStatus := answerToStatus.Unpaired()
	unread := slices.DeleteFunc(unreadAnswer, func(s string) bool { return !slices.Contains(unreadForStatus, s) })
	const modeOfManaged = "AmazonManagedKafkaEventSourceConfig.ConsumptionMode" // Only self-managed Kafka has one.
	cases := map[string]struct {
		reason    string
		got, want []string
	}{
		"Spec": {
			reason: "References are resolved before.",
			got:    unreadSpec, want: []string{"DestinationConfig.OnFailure.DestinationFrom", "KMSKeyArnFrom"},
		},
		"Create": {reason: "The function is named as in spec.", got: unsetInCreate, want: []string{"FunctionName"}},
		"Update": {
			reason: "Mapping and function are named beside the copy. Consumers of Kafka are fixed.", got: unsetInUpdate,
			want: []string{
				"UUID",
				"AmazonManagedKafkaEventSourceConfig.ConsumerGroupId",
				"FunctionName",
				"SelfManagedKafkaEventSourceConfig.ConsumerGroupId",
				"SelfManagedKafkaEventSourceConfig.ConsumptionMode",
			},
		},
		"Answer": {reason: "All of it reaches settings or status.", got: unread, want: []string{"ResultMetadata"}},
		"SettingsOfAnswer": {
			reason: "AWS returns an ARN and a state, and tags by another call.",
			got:    unsetByAnswer, want: []string{"FunctionName", "Enabled", modeOfManaged, "Tags"},
		},
		"Status": {
			reason: "AWS returns an ARN, and tags by another call.",
			got:    unsetInStatus, want: []string{"FunctionName", modeOfManaged, "TagKeys"},
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
