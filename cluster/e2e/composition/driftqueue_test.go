package composition

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDriftQueue checks that the rules of a DriftQueue send to its queue, in any partition of AWS.
func TestDriftQueue(t *testing.T) {
	const (
		example = "../driftevents"
		arn     = "arn:aws-cn:sqs:cn-north-1:123456789012:lambda-drift"
	)
	x := theTools(t)
	xr := x.composite(t, example, 0)
	edit(t, xr, `{region: cn-north-1}`)
	queue := observed(t, "queue", "Queue", "lambda-drift", `{`+ready("Available")+`, atProvider: {arn: "`+arn+`"}}`)
	queue.SetAPIVersion("sqs.aws.m.upbound.io/v1beta1")
	queue.SetNamespace(xr.GetNamespace())

	// The first reconcile writes the ARN into the status, and the second one reads it.
	xr.Object["status"] = x.render(t, example, xr, queue)[0].Object["status"]
	got := map[string]int{}
	for _, o := range x.render(t, example, xr, queue)[1:] {
		got[o.GetKind()]++
		to, _, err := unstructured.NestedString(o.Object, "spec", "forProvider", "arn")
		if err != nil || o.GetKind() == "Target" && to != arn {
			t.Errorf("a rule sends to %q, want %q: %v", to, arn, err)
		}
		policy, _, err := unstructured.NestedString(o.Object, "spec", "forProvider", "policy")
		if want := `"Resource":"` + arn + `"`; err != nil ||
			o.GetKind() == "QueuePolicy" && !strings.Contains(policy, want) {
			t.Errorf("the policy is %s, want one with %s: %v", policy, want, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"Queue": 1, "QueuePolicy": 1, "Rule": 2, "Target": 2}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
