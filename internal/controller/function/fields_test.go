package function

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

const (
	byReference = "resolved before, into the field that it selects a value for"
	byHand      = "set beside the copy"
)

// referring names the fields in a block of spec, and so of settings, that refer to other objects.
func referring(block string) map[string]string {
	return map[string]string{block + "Ref": byReference, block + "Selector": byReference}
}

var capacityProviderRefs = referring(
	"CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn")

// TestNoCounterpart lists the fields that are copied nowhere, with the reason. If it fails for a new member of the SDK,
// add the field to the API type, to settings and to fields, or add it here.
func TestNoCounterpart(t *testing.T) {
	unreadSpec, unsetBySpec := specToSettings.Unpaired()
	_, unsetInCreate := settingsToCreate.Unpaired()
	_, unsetInUpdate := settingsToUpdate.Unpaired()
	unreadAnswer, unsetByAnswer := answerToSettings.Unpaired()
	unreadForStatus, unsetByAnswerInStatus := answerToStatus.Unpaired()
	_, unsetInStatus := settingsToStatus.Unpaired()
	cases := map[string]struct {
		reason string
		got    []string
		want   map[string]string
	}{
		"Spec": {
			reason: "Each field of spec.forProvider reaches settings.",
			got:    unreadSpec,
			want: with(referring("CodeSigningConfigArn"), map[string]string{
				"Code": byHand, "Environment": byHand,
				"VPCConfig.SubnetIDsFrom": byReference, "VPCConfig.SecurityGroupIDsFrom": byReference,
				"DeadLetterConfig.TargetArnFrom": byReference, "RoleFrom": byReference, "KMSKeyArnFrom": byReference,
				"LayerRefs": byReference, "LayerSelector": byReference, "ResolvedLayers": byReference,
				"ResolvedCodeSigningConfigArn": byReference,
				"Publish":                      "compared with the versions that were published",
				"PublishTo":                    "an argument of the calls that publish",
			}),
		},
		"SettingsOfSpec": {
			reason: "Each field of settings is set from spec.",
			got:    unsetBySpec,
			want:   map[string]string{"Code": byHand, "Environment": byHand, "Publish": byHand},
		},
		"Create": {
			reason: "Each member of CreateFunctionInput is set.",
			got:    unsetInCreate,
			want:   map[string]string{"FunctionName": byHand, "Code": byHand, "Publish": byHand, "PublishTo": byHand},
		},
		"Update": {
			reason: "Each member of UpdateFunctionConfigurationInput is set.",
			got:    unsetInUpdate,
			want:   map[string]string{"FunctionName": byHand, "RevisionId": byHand},
		},
		"Answer": {
			reason: "Each member of FunctionConfiguration reaches settings or status.",
			got:    both(unreadAnswer, unreadForStatus),
			want:   map[string]string{"ConfigSha256": "changes with what CodeSha256 and the settings show"},
		},
		"SettingsOfAnswer": {
			reason: "Each field of settings is set from AWS's answers.",
			got:    unsetByAnswer,
			want: with(capacityProviderRefs, map[string]string{
				"Code": byHand, "Publish": byHand, "Tags": byHand, "ReservedConcurrentExecutions": byHand,
				"CodeSigningConfigArn": byHand, "RecursiveLoop": byHand, "FunctionScalingConfig": byHand,
			}),
		},
		"Status": {
			reason: "Each field of status is set from AWS's answer or from settings.",
			got:    both(unsetInStatus, unsetByAnswerInStatus),
			want: map[string]string{
				"InvokeArn": byHand, "ImageURI": byHand, "ResolvedImageURI": byHand, "SourceKMSKeyArn": byHand,
				"TagKeys": byHand, "DeployedCode": byHand,
				"Initialized": byHand, "Activated": byHand, "VersionHistory": byHand, "Fingerprint": byHand,
				"LatestPublishedVersion": byHand, "PublishingVersion": byHand, "PublishedCode": byHand,
				"PublishedFingerprint":     byHand,
				"PublishedSpecFingerprint": byHand,
				"VPCReleaseAttempts":       "counted while the function is deleted",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := slices.Collect(maps.Keys(tc.want))
			if d := cmp.Diff(want, tc.got, cmpopts.SortSlices(strings.Compare)); d != "" {
				t.Errorf("%s\nfields without a counterpart: -listed +found\n%s", tc.reason, d)
			}
		})
	}
}

func with(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// both returns the texts that are in two lists.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// TestFields compares the rows with the fields of settings and with what the calls accept.
func TestFields(t *testing.T) {
	var want []string
	for f := range reflect.TypeFor[settings]().Fields() {
		path, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want = append(want, path)
	}
	all := paths(func(field) bool { return true })
	if d := cmp.Diff(want, all); d != "" {
		t.Errorf("the rows are not the fields of settings: -settings +rows\n%s", d)
	}
	has := func(names []string, path string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, path) })
	}
	for _, f := range fields {
		updated := slices.Contains(f.by, opUpdateConfiguration)
		if accepted := has(settingsToUpdate.Names(), f.path); accepted != updated {
			t.Errorf("UpdateFunctionConfiguration accepts %s: %t, its row says %t", f.path, accepted, updated)
		}
	}
	notCreated := paths(func(f field) bool { return !has(settingsToCreate.Names(), f.path) })
	want = slices.Concat(afterCreation, []string{"code", publishPath})
	if d := cmp.Diff(want, notCreated, cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Errorf("fields that CreateFunction does not accept: -afterCreation +found\n%s", d)
	}
}

// TestTagsByCall checks that an event about one of the two calls names none of the tags that the other one changes.
func TestTagsByCall(t *testing.T) {
	changes := diff.Changes{{Path: "tags[added]", New: `"1"`}, {Path: "tags[removed]", Old: `"1"`}}
	for c, want := range map[call]string{opTag: `tags[added]: added "1"`, opUntag: "tags[removed]: removed"} {
		if got := c.applies(changes).String(); got != want {
			t.Errorf("%s changes %q, want %q", c, got, want)
		}
	}
}
