package composition

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestReleaseTrigger checks that the number of checks that have to succeed becomes the number that has to fail.
func TestReleaseTrigger(t *testing.T) {
	checks := func(n int) string {
		names := strings.Split("abcde", "")[:n]
		for i, name := range names {
			names[i] = `{name: ` + name +
				`, interval: 1m, successCondition: result == 0, provider: {lambda: {metric: Errors}}}`
		}
		return `[` + strings.Join(names, ", ") + `]`
	}
	cases := map[string]struct {
		reason    string
		readiness string
		want      string
	}{
		"NoChecks": {
			reason: "Without checks, there is no analysis.", readiness: `{timeoutSeconds: 60, mode: All}`,
			want: `null`,
		},
		"All": {
			reason: "One failure is too many.", readiness: `{mode: All, checks: ` + checks(2) + `}`,
			want: `{mode: Any}`,
		},
		"Any": {
			reason: "One success is enough.", readiness: `{mode: Any, checks: ` + checks(2) + `}`,
			want: `{mode: All}`,
		},
		"AllAlarms": {
			reason: "Alarms are checks too.", readiness: `{mode: All, alarms: {names: [a]}}`,
			want: `{mode: Any}`,
		},
		"AnyAlarm": {
			reason: "One alarm that is OK is enough.", readiness: `{mode: Any, alarms: {names: [a, b]}}`,
			want: `{mode: All}`,
		},
		"OneOfTwo": {
			reason: "Both have to fail.", readiness: `{mode: Quorum, quorum: 1, checks: ` + checks(2) + `}`,
			want: `{mode: Quorum, quorum: 2}`,
		},
		"TwoOfTwo": {reason: "One failure is too many.", readiness: `{mode: Quorum, quorum: 2, checks: ` +
			checks(2) + `}`, want: `{mode: Quorum, quorum: 1}`},
		"OneOfThree": {
			reason: "Two may fail.", readiness: `{mode: Quorum, quorum: 1, checks: ` + checks(3) + `}`,
			want: `{mode: Quorum, quorum: 3}`,
		},
		"ThreeOfFour": {
			reason: "One may fail.", readiness: `{mode: Quorum, quorum: 3, checks: ` + checks(4) + `}`,
			want: `{mode: Quorum, quorum: 2}`,
		},
		"FourOfFour": {
			reason: "None may fail.", readiness: `{mode: Quorum, quorum: 4, checks: ` + checks(4) + `}`,
			want: `{mode: Quorum, quorum: 1}`,
		},
		"OneOfFive": {
			reason: "Four may fail.", readiness: `{mode: Quorum, quorum: 1, checks: ` + checks(5) + `}`,
			want: `{mode: Quorum, quorum: 5}`,
		},
		"FourOfFive": {
			reason: "One may fail.", readiness: `{mode: Quorum, quorum: 4, checks: ` + checks(5) + `}`,
			want: `{mode: Quorum, quorum: 2}`,
		},
	}
	x := theTools(t)
	var all []*unstructured.Unstructured
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := x.composite(t, "release", 0)
			edit(t, xr, `{readiness: `+tc.readiness+`}`)
			rendered := x.render(t, "release", xr)
			got, _, err := unstructured.NestedFieldNoCopy(rendered[1].Object, "spec", "rollout", "analysis", "trigger")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plainValue(t, values(t, `v: `+tc.want)["v"]), plainValue(t, got)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			rendered[1].SetName(strings.ToLower(name))
			all = append(all, rendered[1])
		})
	}
	areValid(t, x, all)
}

// areValid reports resources that do not match their schemas.
func areValid(t *testing.T, x tools, all []*unstructured.Unstructured) {
	t.Helper()
	for _, f := range x.validate(t, write(t, all...)) {
		if f.Status != "valid" {
			t.Errorf("%s %s is %s: %v", f.Kind, f.Name, f.Status, f.Errors)
		}
	}
}

// TestReleaseCommands checks that an annotation of a Release commands the rollout of its Alias, and that others are not
// passed on.
func TestReleaseCommands(t *testing.T) {
	const prefix = "rollout.lambda.aws.m.crossplane.io/"
	x := theTools(t)
	xr := x.composite(t, "release", 0)
	commands := map[string]string{prefix + "abort": "1", prefix + "promote": "2", prefix + "promote-full": "3", prefix +
		"retry": "4", prefix + "rollback-to": "7/5"}
	annotations := map[string]string{"example.com/team": "shop"}
	maps.Copy(annotations, commands)
	xr.SetAnnotations(annotations)
	got := map[string]string{}
	for k, v := range x.render(t, "release", xr)[1].GetAnnotations() {
		if !strings.HasPrefix(k, "crossplane.io/") {
			got[k] = v
		}
	}
	if diff := cmp.Diff(commands, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestReleaseStatus checks that a Release reports the rollout of its Alias, and is ready when the Alias is.
func TestReleaseStatus(t *testing.T) {
	const (
		one = `{functionVersion: "1", fingerprint: a}`
		two = `{functionVersion: "2", fingerprint: b}`

		three = `{functionVersion: "3", fingerprint: c, codeRevision: "main@sha1:c5d4e9f0"}`
	)
	cases := map[string]struct {
		reason string
		status string
		want   string
		ready  string
	}{
		"NoVersion": {
			reason: "The function has not published a version.", status: `{phase: Pending, message: no version yet, ` +
				ready("Creating") + `}`,
			want: `{message: no version yet}`, ready: "False",
		},
		"Progressing": {
			reason: "The target receives a part.",
			status: `{phase: Updating, message: "rollout 2-x: Analyzing", ` + ready("Updating") +
				`, rollout: {phase: Progressing, step: Analyzing, observedWeight: 20, stable: ` + one + `, target: ` +
				two + `}}`,
			want: `{phase: Progressing, step: Analyzing, weight: 20, message: "rollout 2-x: Analyzing", ` +
				`stableVersion: "1", targetVersion: "2"}`, ready: "False",
		},
		"Ready": {
			reason: "The target is stable.",
			status: `{phase: Available, ` + ready("Available") + `, atProvider: {aliasArn: arn:a}, rollout: {phase: ` +
				`Ready, stable: ` + two + `, target: ` + two + `, history: [` + one + `]}}`,
			want:  `{phase: Ready, aliasArn: arn:a, stableVersion: "2", targetVersion: "2", snapshots: [` + one + `]}`,
			ready: "True",
		},
		"Revisions": {
			reason: "The function's code is from a source with revisions, and the history has all that the Alias " +
				"knows of a version.",
			status: `{phase: Available, ` + ready("Available") + `, rollout: {phase: Ready, stable: ` + three +
				`, target: ` + three + `, history: [` + three + `]}}`,
			want:  `{phase: Ready, stableVersion: "3", targetVersion: "3", snapshots: [` + three + `]}`,
			ready: "True",
		},
		"Failed": {
			reason: "The target was rejected, and the status says what serves.",
			status: `{phase: Error, message: "version 1 serves; version 2 was rejected", ` + ready("RolledBack") +
				`, rollout: {phase: Failed, reason: SmokeTestFailed, stable: ` + one + `, target: ` + two + `}}`,
			want: `{phase: Failed, reason: SmokeTestFailed, message: "version 1 serves; version 2 was rejected", ` +
				`stableVersion: "1", targetVersion: "2"}`, ready: "False",
		},
	}
	x := theTools(t)
	var all []*unstructured.Unstructured
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := x.render(t, "release", x.composite(t, "release", 0),
				observed(t, "alias", "Alias", "basket", tc.status))[0]
			if diff := cmp.Diff(values(t, tc.want), plain(t, statusOf(t, xr))); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := condition(xr, "Ready"); got != tc.ready {
				t.Errorf("%s\nReady is %q, want %q", tc.reason, got, tc.ready)
			}
			xr.SetName(strings.ToLower(name))
			all = append(all, xr)
		})
	}
	areValid(t, x, all)
}
