package e2e

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// alarms sets the state of alarms. Their metrics have the highest resolution, so that a rollout waits for their
// evaluation only for 20 seconds.
func (e *env) alarms(state string, names ...string) {
	e.Helper()
	for _, name := range names {
		e.Double.PutAlarm("", region, awsdouble.Alarm{Name: name, State: state, Period: 10})
	}
}

// set sets a field of spec, which is written in YAML.
func (e *env) set(u *unstructured.Unstructured, field, value string) {
	e.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(value), &v); err != nil {
		e.Fatal(err)
	}
	if err := unstructured.SetNestedField(u.Object, v, "spec", field); err != nil {
		e.Fatal(err)
	}
}

// weighs returns a check that an integer of status has a value.
func weighs(want int64, path ...string) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		got, _, err := unstructured.NestedInt64(u.Object, append([]string{"status"}, path...)...)
		if got != want {
			err = errors.Join(err, fmt.Errorf("%v is %d, want %d", path, got, want))
		}
		return err
	}
}

// notReady is a check that a rollout which has failed leaves a composite resource not Ready.
func notReady(u *unstructured.Unstructured) error {
	if isReady(u) == nil {
		return errors.New("it is Ready")
	}
	return nil
}

// invokes fails the test unless an alias in AWS routes all invocations to a version.
func (e *env) invokes(function, alias, version string) {
	e.Helper()
	if a, _ := e.Double.Alias(function, alias); a.FunctionVersion != version || a.RoutingConfig != nil {
		e.Errorf("the alias invokes version %q with the weights %v, want version %s alone", a.FunctionVersion,
			a.RoutingConfig, version)
	}
}

// TestWebEndpointRollout rolls new code out to a WebEndpoint, has it fail, and recovers.
func TestWebEndpointRollout(t *testing.T) {
	t.Parallel()
	const name = "gradual"
	e := newEnv(t)
	e.compose("web-endpoint")
	e.alarms("OK", name)
	xr := e.composite("web-endpoint", e.namespace())
	xr.SetName(name)
	e.set(xr, "rollout", `{percentage: 50, interval: 1s, alarms: [`+name+`]}`)
	e.submit(xr)
	e.composed(xr, "is Ready", all(isReady,
		has(map[string]string{"version": "1", "rollout.phase": "Ready", "rollout.stable": "1", "message": ""})))
	deploy := func(version string) {
		e.Double.PutObject(bucket, version+".zip", awsdouble.Zip(map[string]string{"index.py": version}))
		e.patch(xr, `{"code": {"key": "`+version+`.zip"}}`)
		e.composed(xr, "gives half of the invocations to version "+version,
			all(has(map[string]string{
				"rollout.phase":  "Progressing",
				"rollout.target": version,
			}), weighs(50, "rollout", "weight")))
	}

	t.Log("bad code")
	deploy("2")
	e.alarms("ALARM", name)
	e.composed(xr, "serves the code before",
		all(notReady, contains("message", "version 1 serves; version 2 was rejected"),
			has(map[string]string{
				"version": "1", "rollout.phase": "Failed", "rollout.stable": "1",
				"rollout.target": "2",
			})))
	e.invokes(name, name, "1")

	t.Log("a fix")
	e.alarms("OK", name)
	deploy("3")
	e.composed(xr, "serves the fix", all(isReady,
		has(map[string]string{"version": "3", "rollout.phase": "Ready", "rollout.stable": "3", "message": ""})))
	e.invokes(name, name, "3")
	e.remove(xr)
}

// TestRelease releases a version of a function that fails its smoke test, one that fails its checks, and a good one,
// and returns to an earlier version.
func TestRelease(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.compose("release")
	ns := e.namespace()
	examples, err := manifests.Parse([]byte(e.example("release", "xr.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	xr, basket := examples[0], examples[1]
	xr.SetNamespace(ns)
	basket.SetNamespace(ns)
	e.set(xr, "steps", `[{setWeight: 50}]`)
	e.set(xr, "readiness", `{mode: Any, alarms: {names: [errors, latency], interval: 10s}}`)
	e.alarms("OK", "errors", "latency")
	invoked := func(r awsdouble.Returned) {
		e.Double.OnInvoke("basket", func(awsdouble.Invoked) awsdouble.Returned { return r })
	}
	invoked(awsdouble.Returned{Payload: []byte(`{"pong": true}`)})
	publish := func(version string) {
		e.patch(basket, `{"forProvider": {"code": {"inline": {"index.py": "pass # `+version+`"}}}}`)
	}
	progresses := func(version string) {
		e.composed(xr, "gives half of the invocations to version "+version,
			all(has(map[string]string{"phase": "Progressing", "targetVersion": version}), weighs(50, "weight")))
	}

	t.Log("the first version")
	e.apply(ns, function("payments"))
	e.submit(basket)
	e.submit(xr)
	e.composed(xr, "is Ready", all(isReady, has(map[string]string{
		"phase": "Ready", "stableVersion": "1",
		"aliasArn": arn("basket") + ":basket", "message": "",
	})))

	t.Log("a version that fails its smoke test")
	invoked(awsdouble.Returned{Error: "Unhandled", Payload: []byte(`{"errorMessage": "KeyError"}`)})
	publish("2")
	e.composed(xr, "has rejected it", all(notReady, contains("message", "version 1 serves; version 2 was rejected"),
		has(map[string]string{
			"phase": "Failed", "reason": "SmokeTestFailed", "stableVersion": "1",
			"targetVersion": "2",
		})))
	e.invokes("basket", "basket", "1")

	t.Log("a version that fails its checks")
	invoked(awsdouble.Returned{Payload: []byte(`{"pong": true}`)})
	publish("3")
	progresses("3")
	e.alarms("ALARM", "errors", "latency")
	e.composed(xr, "has rolled back", all(notReady, contains("message", "version 1 serves; version 3 was rejected"),
		has(map[string]string{
			"phase": "Failed", "reason": "AnalysisFailed", "stableVersion": "1",
			"targetVersion": "3",
		})))
	e.invokes("basket", "basket", "1")

	t.Log("a fix, although one of two alarms fires")
	e.alarms("OK", "errors", "latency")
	publish("4")
	progresses("4")
	e.alarms("ALARM", "errors")
	now := e.composed(xr, "is Ready", all(isReady,
		has(map[string]string{"phase": "Ready", "stableVersion": "4", "targetVersion": "4", "message": ""})))
	e.invokes("basket", "basket", "4")
	if diff := cmp.Diff([]string{"1"}, snapshots(now)); diff != "" {
		t.Errorf("snapshots: -want +got:\n%s", diff)
	}

	t.Log("a command returns to the version before")
	command := client.RawPatch(types.MergePatchType,
		[]byte(`{"metadata": {"annotations": {"rollout.lambda.aws.m.crossplane.io/rollback-to": "1/once"}}}`))
	if err := e.Kube.Patch(t.Context(), xr.DeepCopy(), command); err != nil {
		t.Fatal(err)
	}
	e.composed(xr, "has returned",
		all(notReady, has(map[string]string{"phase": "Failed", "reason": "RollbackTo", "stableVersion": "1"})))
	e.invokes("basket", "basket", "1")
	e.remove(xr)
}

// snapshots returns the versions in the status of a Release.
func snapshots(u *unstructured.Unstructured) []string {
	all, _, _ := unstructured.NestedSlice(u.Object, "status", "snapshots")
	versions := make([]string, 0, len(all))
	for _, s := range all {
		version, _, _ := unstructured.NestedString(s.(map[string]any), "functionVersion")
		versions = append(versions, version)
	}
	return versions
}
