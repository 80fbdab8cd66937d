package composition

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// observed returns an existing composed resource with a status.
func observed(t *testing.T, resource, kind, name, status string) *unstructured.Unstructured {
	t.Helper()
	return object(t, fmt.Sprintf(`
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: %s
metadata:
  namespace: default
  name: %s
  annotations: {crossplane.io/composition-resource-name: %s}
status: %s`, kind, name, resource, status))
}

// ready returns a list of conditions with a Ready condition of a reason.
func ready(reason string) string {
	status := "False"
	if reason == "Available" {
		status = "True"
	}
	return fmt.Sprintf(`conditions: [{type: Ready, status: "%s", reason: %s, lastTransitionTime: "2026-01-01T00:00:`+
		`00Z"}]`, status, reason)
}

// condition returns a condition of a composite resource.
func condition(o *unstructured.Unstructured, kind string) string {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range all {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			return m["status"].(string)
		}
	}
	return ""
}

// TestPhases checks that a LambdaFunction reports its Function's state in the terms of its own API.
func TestPhases(t *testing.T) {
	const atProvider = `atProvider: {functionArn: "arn:aws:lambda:eu-central-1:123456789012:function:thumbnails", ` +
		`lastModified: "2026-01-01T00:00:00.000+0000"}`
	known := map[string]any{
		"functionARN":  "arn:aws:lambda:eu-central-1:123456789012:function:thumbnails",
		"lastModified": "2026-01-01T00:00:00.000+0000",
	}
	cases := map[string]struct {
		reason string
		status string
		ready  string
		phase  string
		error  string
		known  bool
	}{
		"New": {reason: "Nothing is there yet.", status: `{phase: Pending}`, phase: "Pending", ready: "False"},
		"Unseen": {reason: "A Function without a status says nothing, and the phase is what the definition " +
			"begins with.", status: `{}`, ready: "False"},
		"Creating": {reason: "AWS is still creating it.", status: `{phase: Creating, ` + ready("Creating") + `, ` +
			atProvider + `}`, phase: "Creating", known: true, ready: "False"},
		"Active": {reason: "AWS runs it.", status: `{phase: Available, ` + ready("Available") + `, ` +
			atProvider + `}`, phase: "Active", known: true, ready: "True"},
		"Updating": {
			reason: "AWS runs what was there before; Ready tells that a change is on its way.",
			status: `{phase: Updating, ` + ready(
				"Updating") + `, ` + atProvider + `}`, phase: "Active", known: true, ready: "False",
		},
		"Refused": {
			reason: "AWS takes no such function.", status: `{phase: Error, message: "create failed: no ` +
				`such bucket", ` + ready("Unavailable") + `}`, phase: "Error", error: "create failed: no such bucket",
			ready: "False",
		},
		"UpdateFailed": {
			reason: "An Active function whose update failed is in error.",
			status: `{phase: Error, message: "update failed: no such role", ` + ready(
				"Unavailable") + `, ` + atProvider + `}`, phase: "Error", error: "update failed: no such role",
			known: true, ready: "False",
		},
		"Differs": {
			reason: "AWS serves something else than the spec asks for, and it may not be changed.",
			status: `{phase: Differs, message: "AWS differs from spec: memorySize", ` + ready(
				"Differs") + `, ` + atProvider + `}`, phase: "Error", error: "AWS differs from spec: memorySize",
			known: true, ready: "False",
		},
		"Deleted": {reason: "Someone deleted the Function: it will be made anew.", status: `{phase: Deleting, ` +
			ready("Deleting") + `}`, phase: "Pending", ready: "False"},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := x.render(t, "lambda-function", x.composite(t, "lambda-function", 0),
				observed(t, "function", "Function", "thumbnails", tc.status))[0]
			want := map[string]any{}
			if tc.phase != "" {
				want["phase"] = tc.phase
			}
			if tc.error != "" {
				want["errorMessage"] = tc.error
			}
			if tc.known {
				want["functionARN"], want["lastModified"] = known["functionARN"], known["lastModified"]
			}
			if diff := cmp.Diff(want, statusOf(t, xr)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := condition(xr, "Ready"); got != tc.ready {
				t.Errorf("%s\nReady is %q, want %q", tc.reason, got, tc.ready)
			}
		})
	}
}

// TestWebEndpointStatus checks that a WebEndpoint reports what is known of its parts, and what blocks the first part
// on which others wait.
func TestWebEndpointStatus(t *testing.T) {
	const waits = `{phase: Pending, message: "Function default/storefront has not published a version yet", `
	cases := map[string]struct {
		reason   string
		observed map[string]string
		want     map[string]any
		ready    string
		secret   map[string]any
	}{
		"Nothing": {reason: "Nothing is known, and no Secret is there.", want: map[string]any{}, ready: "False"},
		"Waiting": {
			reason: "The message names what is awaited.",
			observed: map[string]string{
				"alias Alias storefront": waits + ready("Creating") + `}`,
				"function Function storefront": `{phase: Creating, ` + ready("Creating") +
					`, atProvider: {functionArn: arn:f}}`,
			},
			want: map[string]any{
				"functionArn": "arn:f",
				"message":     "Function default/storefront has not published a version yet",
			},
			ready:  "False",
			secret: map[string]any{"functionArn": "YXJuOmY="},
		},
		"Broken": {
			reason: "The function's own message comes before those of resources that wait for it.",
			observed: map[string]string{
				"alias Alias storefront": waits + ready("Creating") + `}`,
				"function Function storefront": `{phase: Error, message: "create failed: no such bucket", ` +
					ready("Unavailable") + `}`,
			},
			want: map[string]any{"message": "create failed: no such bucket"}, ready: "False",
		},
		"Ready": {
			reason: "Once all resources are ready, status has the URL and the version.",
			observed: map[string]string{
				"function Function storefront": `{phase: Available, ` + ready("Available") +
					`, atProvider: {functionArn: arn:f}}`,
				"alias Alias storefront": `{phase: Available, ` + ready("Available") +
					`, atProvider: {functionVersion: "7"}}`,
				"url FunctionURL storefront": `{phase: Available, ` + ready("Available") +
					`, atProvider: {functionUrl: "https://x"}}`,
				"permission-for-url Permission storefront":          `{phase: Available, ` + ready("Available") + `}`,
				"permission-to-invoke Permission storefront-invoke": `{phase: Available, ` + ready("Available") + `}`,
			},
			want:   map[string]any{"functionArn": "arn:f", "url": "https://x", "version": "7"},
			ready:  "True",
			secret: map[string]any{"functionArn": "YXJuOmY=", "url": "aHR0cHM6Ly94"},
		},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rendered := x.render(t, "web-endpoint", x.composite(t, "web-endpoint", 0), observedOf(t, tc.observed)...)
			if diff := cmp.Diff(tc.want, statusOf(t, rendered[0])); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := condition(rendered[0], "Ready"); got != tc.ready {
				t.Errorf("%s\nReady is %q, want %q", tc.reason, got, tc.ready)
			}
			var secret map[string]any
			for _, o := range rendered {
				if o.GetKind() == "Secret" && o.GetName() == "storefront-connection" && o.GetNamespace() == "default" {
					secret, _, _ = unstructured.NestedMap(o.Object, "data")
				}
			}
			if diff := cmp.Diff(tc.secret, secret); diff != "" {
				t.Errorf("%s\nthe Secret: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestQueueWorkerStatus checks that a QueueWorker reports AWS's state of reading the queue.
func TestQueueWorkerStatus(t *testing.T) {
	cases := map[string]struct {
		reason  string
		mapping string
		want    map[string]any
		ready   string
	}{
		"Creating": {
			reason:  "AWS is still creating it.",
			mapping: `{phase: Creating, ` + ready("Creating") + `, atProvider: {uuid: u, state: Creating}}`,
			want: map[string]any{
				"functionArn": "arn:f",
				"mapping":     map[string]any{"uuid": "u", "state": "Creating"},
			}, ready: "False",
		},
		"Enabled": {
			reason: "The queue is read.",
			mapping: `{phase: Available, ` + ready("Available") +
				`, atProvider: {uuid: u, state: Enabled, lastProcessingResult: OK}}`,
			want: map[string]any{
				"functionArn": "arn:f",
				"mapping":     map[string]any{"uuid": "u", "state": "Enabled", "lastResult": "OK"},
			}, ready: "True",
		},
		"Refused": {
			reason: "The role may not read the queue.",
			mapping: `{phase: Error, message: "create failed: the role may not sqs:ReceiveMessage", ` +
				ready("Unavailable") + `}`,
			want: map[string]any{
				"functionArn": "arn:f",
				"message":     "create failed: the role may not sqs:ReceiveMessage",
			}, ready: "False",
		},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := x.render(t, "queue-worker", x.composite(t, "queue-worker", 0), observedOf(t, map[string]string{
				"function Function invoices": `{phase: Available, ` + ready("Available") +
					`, atProvider: {functionArn: arn:f}}`,
				"mapping EventSourceMapping invoices": tc.mapping,
			})...)[0]
			if diff := cmp.Diff(tc.want, statusOf(t, xr)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := condition(xr, "Ready"); got != tc.ready {
				t.Errorf("%s\nReady is %q, want %q", tc.reason, got, tc.ready)
			}
		})
	}
}

// observedOf returns the observed resources by their name in the Composition, kind and name.
func observedOf(t *testing.T, statuses map[string]string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for which, status := range statuses {
		var resource, kind, name string
		if _, err := fmt.Sscan(which, &resource, &kind, &name); err != nil {
			t.Fatal(err)
		}
		all = append(all, observed(t, resource, kind, name, status))
	}
	return all
}

// statusOf returns the status of a composite resource, without conditions.
func statusOf(t *testing.T, o *unstructured.Unstructured) map[string]any {
	t.Helper()
	status, _, err := unstructured.NestedMap(o.Object, "status")
	if err != nil {
		t.Fatal(err)
	}
	delete(status, "conditions")
	return status
}

// TestVerifiedEndpointStatus checks that a VerifiedEndpoint says which commit serves, which one is rolled out, who has
// signed the deployed code, and why code was rejected.
func TestVerifiedEndpointStatus(t *testing.T) {
	cases := map[string]struct {
		reason   string
		observed map[string]string
		want     map[string]any
		ready    string
	}{
		"Nothing": {reason: "Nothing is known.", want: map[string]any{}, ready: "False"},
		"Unverified": {
			reason: "The provider says why it deploys nothing.",
			observed: map[string]string{
				"alias Alias payment": `{phase: Pending, message: "waits for a version", ` + ready(
					"Creating",
				) + `}`,
				"function Function payment": `{phase: Error, message: "the source is not verified", ` + ready(
					"Creating",
				) + `}`,
			},
			want: map[string]any{"message": "the source is not verified"}, ready: "False",
		},
		"RollingOut": {
			reason: "The commit that serves and the one that is rolled out are told apart.",
			observed: map[string]string{
				"function Function payment": `{phase: Available, ` + ready(
					"Available",
				) + `, atProvider: {functionArn: arn:f,
					deployedCode: {source: s, codeSha256: c, revision: "main@sha1:2", verified: "key 3CB1"}}}`,
				"alias Alias payment": `{phase: Updating, ` + ready(
					"Updating",
				) + `, rollout: {phase: Progressing, observedWeight: 10,
					stable: {functionVersion: "2", codeRevision: "main@sha1:1"},
					target: {functionVersion: "3", codeRevision: "main@sha1:2"}}}`,
				"url FunctionURL payment": `{phase: Available, ` + ready(
					"Available",
				) + `, atProvider: {functionUrl: "https://x"}}`,
			},
			want: map[string]any{
				"functionArn": "arn:f", "url": "https://x", "verified": "key 3CB1",
				"rollout": map[string]any{
					"phase":          "Progressing",
					"weight":         int64(10),
					"stableRevision": "main@sha1:1",
					"targetRevision": "main@sha1:2",
				},
			},
			ready: "False",
		},
	}
	x := theTools(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rendered := x.render(
				t,
				"verified-endpoint",
				x.composite(t, "verified-endpoint", 0),
				observedOf(t, tc.observed)...)
			if diff := cmp.Diff(tc.want, statusOf(t, rendered[0])); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
			if got := condition(rendered[0], "Ready"); got != tc.ready {
				t.Errorf("%s\nReady is %q, want %q", tc.reason, got, tc.ready)
			}
		})
	}
}
