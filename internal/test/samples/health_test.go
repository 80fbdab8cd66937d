package samples

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestArgo runs the health check of examples/argocd on statuses as users see them.
func TestArgo(t *testing.T) {
	cases := map[string]struct {
		reason, object, want string
	}{
		"Applied": {
			reason: "An object without status was not observed.",
			object: `{kind: Function, metadata: {generation: 1}}`, want: ArgoProgressing,
		},
		"Empty": {
			reason: "An object with an empty status was not observed.",
			object: `{kind: Function, metadata: {generation: 1}, status: {}}`, want: ArgoProgressing,
		},
		"Ready": {
			reason: "AWS serves the spec.", want: ArgoHealthy,
			object: `{kind: Function, metadata: {generation: 2}, status: {observedGeneration: 2, conditions: [{type: ` +
				`Synced, status: "True"}, {type: Ready, status: "True"}]}}`,
		},
		"Changed": {
			reason: "Ready is about the generation before the last change.", want: ArgoProgressing,
			object: `{kind: Function, metadata: {generation: 3}, status: {observedGeneration: 2, conditions: [{type: ` +
				`Ready, status: "True"}]}}`,
		},
		"Failed": {
			reason: "AWS rejects the spec.", want: ArgoDegraded,
			object: `{kind: Function, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: ` +
				`Ready, status: "False", reason: Creating}, {type: Synced, status: "False", message: no role}]}}`,
		},
		"RolledBack": {
			reason: "The last rollout failed, and only the user can go on.", want: ArgoDegraded,
			object: `{kind: Alias, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: ` +
				`Synced, status: "True"}, {type: Ready, status: "False", reason: RolledBack, message: version 5 ` +
				`failed}]}}`,
		},
		"RollingOut": {
			reason: "A rollout takes its time.", want: ArgoProgressing,
			object: `{kind: Alias, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: ` +
				`Synced, status: "True"}, {type: Ready, status: "False", reason: Updating}]}}`,
		},
		"Paused": {
			reason: "The user has paused the resource.", want: ArgoSuspended,
			object: `{kind: Function, metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: ` +
				`Synced, status: "False", reason: ReconcilePaused}, {type: Ready, status: "True"}]}}`,
		},
		"Deleting": {
			reason: "AWS has been asked to delete it.", want: ArgoProgressing,
			object: `{kind: Function, metadata: {generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z"}, status: ` +
				`{observedGeneration: 2, conditions: [{type: Synced, status: "True"}, {type: Ready, status: "False", ` +
				`reason: Deleting}]}}`,
		},
		"Config": {
			reason: "A config without a condition works as far as is known.",
			object: `{kind: ProviderConfig, metadata: {generation: 1}}`, want: ArgoHealthy,
		},
		"InvalidConfig": {
			reason: "AWS rejects the credentials of the config.",
			object: `{kind: ClusterProviderConfig, metadata: {generation: 1}, status: {conditions: [{type: Ready, ` +
				`status: "False", message: denied}]}}`, want: ArgoDegraded,
		},
		"Usage": {
			reason: "A usage is a record without a state.",
			object: `{kind: ProviderConfigUsage, metadata: {generation: 1}}`, want: ArgoHealthy,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(tc.object), &u.Object); err != nil {
				t.Fatal(err)
			}
			got, err := Argo(u)
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("%s\nArgo CD says %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
