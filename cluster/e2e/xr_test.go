package e2e

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/platform"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// serverless is the API of the examples of compositions. These tests activate all kinds, so they are in a file that
// comes after that of TestSafeStart.
const serverless = "serverless.example.com/v1alpha1"

// mostWrites bounds the writes of a WebEndpoint until it is Ready, and those that the provider makes of its resources.
// Crossplane reconciles the WebEndpoint after each of them, and stops if there are too many: by default, its circuit
// breaker allows 50 in a row, and then one in two seconds.
const mostWrites = 35

// The bucket and the archive that the examples reference, and another archive.
const (
	bucket   = "my-code"
	archive  = "app.zip"
	archive2 = "app2.zip"
)

// compose applies the definition and the Composition of an example.
func (e *env) compose(example string) {
	e.Helper()
	e.activate("*")
	e.Double.PutObject(bucket, archive, awsdouble.Zip(map[string]string{"index.py": "one"}))
	e.Double.PutObject(bucket, archive2, awsdouble.Zip(map[string]string{"index.py": "two"}))
	for _, file := range []string{"definition.yaml", "composition.yaml"} {
		e.apply("", e.example(example, file))
	}
}

func (e *env) example(example, file string) string {
	e.Helper()
	b, err := os.ReadFile(filepath.Join(e.Root, "examples", "composition", example, file))
	if err != nil {
		e.Fatal(err)
	}
	return string(b)
}

// composite returns an example's composite resource, in a namespace of the test.
func (e *env) composite(example, namespace string) *unstructured.Unstructured {
	e.Helper()
	all, err := manifests.Parse([]byte(e.example(example, "xr.yaml")))
	if err != nil {
		e.Fatal(err)
	}
	all[0].SetNamespace(namespace)
	return all[0]
}

// submit creates a composite resource, as soon as its kind is served.
func (e *env) submit(xr *unstructured.Unstructured) {
	e.Helper()
	text, err := yaml.Marshal(xr.Object)
	if err != nil {
		e.Fatal(err)
	}
	e.apply(xr.GetNamespace(), string(text))
}

// patch patches the spec of a composite resource; null removes a field.
func (e *env) patch(xr *unstructured.Unstructured, spec string) {
	e.Helper()
	if err := e.Kube.Patch(e.Context(), xr.DeepCopy(),
		client.RawPatch(types.MergePatchType, []byte(`{"spec": `+spec+`}`))); err != nil {
		e.Fatal(err)
	}
}

// composed waits until a composite resource passes a check, and is Synced.
func (e *env) composed(
	xr *unstructured.Unstructured, what string, so func(*unstructured.Unstructured) error,
) *unstructured.Unstructured {
	e.Helper()
	now := xr.DeepCopy()
	e.until(xr.GetKind()+" "+xr.GetName()+" "+what, func(ctx context.Context) error {
		if err := e.Kube.Get(ctx, client.ObjectKeyFromObject(xr), now); err != nil {
			return err
		}
		err := errors.Join(platform.ConditionTrue(now, "Synced"), so(now))
		if err != nil {
			err = fmt.Errorf("%w; status is %v", err, now.Object["status"])
		}
		return err
	})
	return now
}

// has returns a check that fields of status have these values, by their paths; an empty value means that the field is
// not set.
func has(want map[string]string) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		got := map[string]string{}
		for path := range want {
			got[path] = field(u, path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("status: -want +got:\n%s", diff)
		}
		return nil
	}
}

// contains returns a check that a field of status contains a text.
func contains(path, text string) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		if got := field(u, path); !strings.Contains(got, text) {
			return fmt.Errorf("%s is %q", path, got)
		}
		return nil
	}
}

func field(u *unstructured.Unstructured, path string) string {
	s, _, _ := unstructured.NestedString(u.Object, append([]string{"status"}, strings.Split(path, ".")...)...)
	return s
}

func isReady(u *unstructured.Unstructured) error { return platform.ConditionTrue(u, "Ready") }

// isNotReady returns an error if an object is Ready.
func isNotReady(u *unstructured.Unstructured) error {
	if isReady(u) == nil {
		return errors.New("it is Ready")
	}
	return nil
}

// all returns a check that combines several checks.
func all(checks ...func(*unstructured.Unstructured) error) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		var errs []error
		for _, check := range checks {
			errs = append(errs, check(u))
		}
		return errors.Join(errs...)
	}
}

// remove deletes a composite resource, and waits until all of its composed resources are gone.
func (e *env) remove(xr *unstructured.Unstructured) {
	e.Helper()
	if err := e.Kube.Delete(e.Context(), xr.DeepCopy(),
		client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		e.Fatal(err)
	}
	e.until(xr.GetKind()+" "+xr.GetName()+" is gone", func(ctx context.Context) error {
		err := e.Kube.Get(ctx, client.ObjectKeyFromObject(xr), xr.DeepCopy())
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("it is still there"), err)
	})
}

// connection returns the data of a composite resource's connection Secret.
func (e *env) connection(xr *unstructured.Unstructured) map[string]string {
	e.Helper()
	s, err := e.get("v1", "Secret", xr.GetNamespace(), xr.GetName()+"-connection")
	if err != nil {
		e.Fatal(err)
	}
	data, _, _ := unstructured.NestedStringMap(s.Object, "data")
	for key, value := range data {
		text, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			e.Fatal(err)
		}
		data[key] = string(text)
	}
	return data
}

func arn(name string) string {
	return "arn:aws:lambda:" + region + ":" + awsdouble.DefaultAccount + ":function:" + name
}

// invokeARN returns the ARN with which API Gateway invokes a function.
func invokeARN(name string) string {
	return "arn:aws:apigateway:" + region + ":lambda:path/2015-03-31/functions/" + arn(name) + "/invocations"
}

// TestLambdaFunctions applies fifty LambdaFunctions at once.
func TestLambdaFunctions(t *testing.T) {
	const count = 50
	e := newEnv(t)
	e.compose("lambda-function")
	ns := e.namespace()
	example := e.composite("lambda-function", ns)
	named := func(i int) *unstructured.Unstructured {
		xr, name := example.DeepCopy(), fmt.Sprintf("thumbnails-%d", i)
		xr.SetName(name)
		xr.Object["spec"].(map[string]any)["functionName"] = name
		return xr
	}
	start := time.Now()
	for i := range count {
		e.submit(named(i))
	}
	e.until("all are Active and Ready", func(context.Context) error {
		phases := map[string]int{}
		for _, xr := range e.list(serverless, "LambdaFunction", client.InNamespace(ns)) {
			phase := field(&xr, "phase")
			if phase == "Active" && isReady(&xr) != nil {
				phase = "Active, not Ready"
			}
			phases[strings.TrimSpace(phase+" "+field(&xr, "errorMessage"))]++
		}
		if phases["Active"] != count {
			return fmt.Errorf("%v", phases)
		}
		return nil
	})
	t.Logf("%d LambdaFunctions were Active %s after the first was applied", count, time.Since(start).Round(time.Second))
	created := map[string]int{}
	for _, c := range e.Double.Calls() {
		if c.Operation == "CreateFunction" && c.ErrorCode == "" && strings.HasPrefix(c.Resource, "thumbnails-") {
			created[c.Resource]++
		}
	}
	for i := range count {
		name := named(i).GetName()
		if _, ok := e.Double.Function(name); !ok || created[name] != 1 {
			t.Errorf("%s is in AWS: %t; it was created %d times", name, ok, created[name])
		}
	}
	if len(created) != count {
		t.Errorf("%d functions were created, want %d", len(created), count)
	}

	first := named(0)
	got := e.composed(first, "is Active",
		has(map[string]string{"phase": "Active", "errorMessage": "", "functionARN": arn(first.GetName())}))
	if f, _ := e.Double.Function(first.GetName()); field(got, "lastModified") != f.LastModified {
		t.Errorf("lastModified is %q, in AWS %q", field(got, "lastModified"), f.LastModified)
	}

	if err := e.Kube.DeleteAllOf(t.Context(), object(serverless, "LambdaFunction"),
		client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	e.until("all are gone from AWS", func(context.Context) error {
		left := 0
		for i := range count {
			if _, ok := e.Double.Function(named(i).GetName()); ok {
				left++
			}
		}
		if left > 0 {
			return fmt.Errorf("%d are left", left)
		}
		return nil
	})
}

// TestLambdaFunctionChanges takes one LambdaFunction through changes and errors.
func TestLambdaFunctionChanges(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.compose("lambda-function")
	xr := e.composite("lambda-function", e.namespace())

	t.Log("code that is not there")
	if err := unstructured.SetNestedField(xr.Object, "missing.zip", "spec", "s3Key"); err != nil {
		t.Fatal(err)
	}
	e.submit(xr)
	e.composed(xr, "says what is missing",
		all(has(map[string]string{"phase": "Error"}), contains("errorMessage", "missing.zip")))

	t.Log("put right")
	e.patch(xr, `{"s3Key": "`+archive+`"}`)
	e.composed(xr, "is Active",
		all(isReady, has(map[string]string{"phase": "Active", "errorMessage": "", "functionARN": arn("thumbnails")})))

	t.Log("a change flows down")
	e.patch(xr, `{"memorySizeMB": 512, "environmentVariables": {"LOG_LEVEL": null, "MODE": "fast"}}`)
	e.until("AWS has it", func(context.Context) error {
		f, _ := e.Double.Function("thumbnails")
		if f.MemorySize != 512 || f.Environment == nil ||
			!maps.Equal(f.Environment.Variables, map[string]string{"MODE": "fast"}) {
			return fmt.Errorf("it has %d MB and %v", f.MemorySize, f.Environment)
		}
		return nil
	})

	t.Log("an update that fails in AWS")
	e.Double.FailUpdate("thumbnails", "The role cannot be assumed.", "InvalidConfiguration")
	e.patch(xr, `{"memorySizeMB": 1024}`)
	// Crossplane writes the fields of status first, and the conditions at the end of its reconcile.
	e.composed(xr, "says why, and is not Ready", all(has(map[string]string{"phase": "Error"}),
		contains("errorMessage", "The role cannot be assumed."), isNotReady))

	t.Log("another change helps")
	e.patch(xr, `{"memorySizeMB": 2048}`)
	e.composed(xr, "is Active", all(isReady, has(map[string]string{"phase": "Active", "errorMessage": ""})))

	e.remove(xr)
	if _, ok := e.Double.Function("thumbnails"); ok {
		t.Error("the function is left in AWS")
	}
}

// TestWebEndpoint creates a public endpoint, deploys to it, and deletes it.
func TestWebEndpoint(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.compose("web-endpoint")
	xr := e.composite("web-endpoint", e.namespace())
	kinds := []*unstructured.Unstructured{xr}
	for _, kind := range []string{"Function", "Alias", "FunctionURL", "Permission"} {
		kinds = append(kinds, object(group+"/v1beta1", kind))
	}
	counter := e.countWrites(xr.GetNamespace(), kinds...)
	e.submit(xr)
	now := e.composed(xr, "is Ready", all(isReady, contains("url", "https://"),
		has(map[string]string{"version": "1", "functionArn": arn("storefront"), "message": ""})))
	writes := counter.end()
	written, ours := map[string]int{}, 0
	for kind, by := range writes {
		for writer, n := range by {
			written[kind] += n
			if strings.HasPrefix(writer, "provider") {
				ours += n
			}
		}
	}
	t.Logf("writes until it is Ready: %v, of which the provider made %d: %v", written, ours, writes)
	if n := written[xr.GetKind()]; n == 0 || n >= mostWrites {
		t.Errorf("the WebEndpoint was written %d times, want less than %d", n, mostWrites)
	}
	if ours == 0 || ours >= mostWrites {
		t.Errorf("the provider has written its resources %d times, want less than %d", ours, mostWrites)
	}
	var secret map[string]string
	e.until("the Secret is whole", func(context.Context) error {
		secret = e.connection(xr)
		if len(secret) != 2 {
			return fmt.Errorf("it has %v", slices.Sorted(maps.Keys(secret)))
		}
		return nil
	})
	if diff := cmp.Diff(map[string]string{"url": field(now, "url"), "functionArn": arn("storefront")},
		secret); diff != "" {
		t.Errorf("the Secret: -want +got:\n%s", diff)
	}
	policy := e.Double.Policy(arn("storefront") + ":storefront")
	for _, part := range []string{"lambda:InvokeFunctionUrl", `"lambda:InvokeFunction"`, "NONE"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the alias's policy lacks %s: %s", part, policy)
		}
	}

	e.patch(xr, `{"code": {"key": "`+archive2+`"}}`)
	e.composed(xr, "serves the new code",
		all(isReady, has(map[string]string{"version": "2", "url": field(now, "url")})))
	if a, _ := e.Double.Alias("storefront", "storefront"); a.FunctionVersion != "2" {
		t.Errorf("the alias is at %q", a.FunctionVersion)
	}

	e.patch(xr, `{"callers": "999999999999"}`)
	e.until("the alias's policy names the account alone", func(context.Context) error {
		policy := e.Double.Policy(arn("storefront") + ":storefront")
		if strings.Count(policy, "999999999999") != 2 || strings.Contains(policy, "NONE") {
			return errors.New(policy)
		}
		return nil
	})
	e.composed(xr, "is Ready", isReady)

	e.remove(xr)
	if _, ok := e.Double.Function("storefront"); ok {
		t.Error("the function is left in AWS")
	}
	if _, err := e.get("v1", "Secret", xr.GetNamespace(), "storefront-connection"); !apierrors.IsNotFound(err) {
		t.Errorf("the Secret is left: %v", err)
	}
}

// TestQueueWorker creates a worker, pauses it, and deletes it.
func TestQueueWorker(t *testing.T) {
	t.Parallel()
	const missing = "arn:aws:sqs:" + region + ":" + awsdouble.DefaultAccount + ":nowhere"
	e := newEnv(t)
	e.compose("queue-worker")
	ns := e.namespace()
	xr := e.composite("queue-worker", ns)
	e.submit(xr)
	now := e.composed(xr, "is Ready",
		all(isReady, has(map[string]string{"mapping.state": "Enabled", "functionArn": arn("invoices"), "message": ""})))
	if diff := cmp.Diff(map[string]string{
		"functionName": "invoices", "functionArn": arn("invoices"),
		"invokeArn": invokeARN("invoices"), "region": region,
	}, e.connection(xr)); diff != "" {
		t.Errorf("the Secret: -want +got:\n%s", diff)
	}
	uuid := field(now, "mapping.uuid")
	m, ok := e.Double.Mapping(uuid)
	if !ok || *m.BatchSize != 100 {
		t.Errorf("the mapping in AWS: %t %+v", ok, m)
	}

	e.patch(xr, `{"paused": true}`)
	e.composed(xr, "is paused", all(isReady, has(map[string]string{"mapping.state": "Disabled", "mapping.uuid": uuid})))
	e.patch(xr, `{"paused": false, "batchSize": 200}`)
	e.composed(xr, "works again",
		all(isReady, has(map[string]string{"mapping.state": "Enabled", "mapping.uuid": uuid})))

	e.Double.RemoveResources(missing)
	wrong := e.composite("queue-worker", ns)
	wrong.SetName("lost")
	if err := unstructured.SetNestedField(wrong.Object, missing, "spec", "queueARN"); err != nil {
		t.Fatal(err)
	}
	e.submit(wrong)
	e.composed(wrong, "says that there is no such queue", contains("message", "The specified queue does not exist"))

	e.remove(wrong)
	e.remove(xr)
	if left := e.Double.Mappings(); len(left) > 0 {
		t.Errorf("mappings are left in AWS: %+v", left)
	}
	for _, name := range []string{"invoices", "lost"} {
		if _, ok := e.Double.Function(name); ok {
			t.Errorf("function %s is left in AWS", name)
		}
	}
}
