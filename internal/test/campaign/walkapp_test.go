package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ktypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	// appName is the name of the Secret and the ConfigMap that the application reads.
	appName = "app"

	// driftQueue receives the events about calls to Lambda.
	driftQueue = "arn:aws:sqs:" + Region + ":" + awsdouble.DefaultAccount + ":drift"

	// mostAppVersions is how many versions of the application AWS has at most: the latest, the one that historyLimit
	// keeps, and one that is published while the latest is.
	mostAppVersions = 3
)

// appKinds returns an application: a layer whose old versions are deleted, a Function that uses it, reads a Secret and
// a ConfigMap, sets what its creation alone sets and keeps one old version, and an Alias that follows its versions.
func appKinds() []Kind {
	source := func(text string) map[string]any { return map[string]any{"inline": map[string]any{"index.py": text}} }
	key := func(kind string) map[string]any {
		return map[string]any{"valueFrom": map[string]any{kind: map[string]any{"name": appName, "key": "value"}}}
	}
	secret, config := key("secretKeyRef"), key("configMapKeyRef")
	secret["name"], config["name"] = "PASSWORD", "LEVEL"
	environment := func(mode string) map[string]any {
		return map[string]any{
			"variables": map[string]any{"MODE": mode}, "variablesFrom": []any{secret, config},
		}
	}
	return []Kind{
		{
			Kind: "LayerVersion", Variant: appName, Creates: "PublishLayerVersion",
			ForProvider: map[string]any{
				"region": Region, "content": source("x = 1"), "oldVersions": v1beta1.OldVersionsDelete,
			},
			Updates: map[string]map[string]any{"1": {"content": source("x = 1")}, "2": {"content": source("x = 2")}},
		},
		{
			Kind: "Function", Variant: appName, Creates: "CreateFunction",
			ForProvider: map[string]any{
				"region": Region, "role": "arn:aws:iam::123456789012:role/r", "runtime": "python3.13",
				"handler": "index.handler", "publish": true, "historyLimit": int64(1), "code": source("x = 1"),
				"environment": environment("a"), "layerRefs": []any{map[string]any{"name": "layerversion-" + appName}},
			},
			InitProvider: map[string]any{
				"memorySize": int64(256), "environment": map[string]any{"variables": map[string]any{"TUNED": "first"}},
			},
			Updates: map[string]map[string]any{
				"code 1": {
					"code": source("x = 1"),
				},
				"code 2": {"code": source("x = 2")},
				"code 3": {"code": source("x = 3")},
				"mode":   {"environment": environment("b")},
			},
		},
		{
			Kind: "Alias", Variant: appName, Creates: "CreateAlias", ForProvider: map[string]any{
				"region": Region, "functionNameRef": map[string]any{"name": "function-" + appName},
			},
		},
	}
}

// appObjects returns the Secret and the ConfigMap that the application reads.
func appObjects(value string) []client.Object {
	named := metav1.ObjectMeta{Namespace: Namespace, Name: appName}
	return []client.Object{
		&corev1.Secret{ObjectMeta: named, Data: map[string][]byte{"value": []byte(value + "-" + Canary)}},
		&corev1.ConfigMap{ObjectMeta: named, Data: map[string]string{"value": value}},
	}
}

// editValue changes, deletes or creates what the application reads.
func (w *walker) editValue(choice int) {
	w.Helper()
	value := fmt.Sprint(choice / 6 % 4) //nolint:mnd // A few.
	o := appObjects(value)[choice%2]
	if choice/2%3 == 0 { //nolint:mnd // Less often.
		_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), o))
		return
	}
	w.write(o)
}

// write creates an object, or replaces it.
func (w *walker) write(o client.Object) {
	w.Helper()
	old, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		w.Fatalf("%T is not an object", o)
	}
	err := w.Kube.Get(w.Context(), client.ObjectKeyFromObject(o), old)
	switch {
	case err == nil:
		o.SetResourceVersion(old.GetResourceVersion())
		err = w.Kube.Update(w.Context(), o)
	case client.IgnoreNotFound(err) == nil:
		err = w.Kube.Create(w.Context(), o)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// restore gives the application what it reads, and polls all resources without events.
func (w *walker) restore() {
	w.Helper()
	for _, o := range appObjects("last") {
		w.write(o)
	}
	w.receive(false)
}

// receive makes the shared config receive events about changes in AWS, or not.
func (w *walker) receive(events bool) {
	w.Helper()
	value := "null"
	if events {
		value = fmt.Sprintf(`{"queueARN": %q}`, driftQueue)
	}
	patch := client.RawPatch(ktypes.MergePatchType, []byte(`{"spec": {"driftEvents": `+value+`}}`))
	config := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: Config}}
	if err := w.Kube.Patch(w.Context(), config, patch); err != nil {
		w.Fatal(err)
	}
}

// editApp changes the application in AWS by hand.
func editApp(_ *walker, p someone) {
	name := p.name("function-" + appName)
	_, _ = p.api.UpdateFunctionConfiguration(p.ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName: name, MemorySize: aws.Int32(512), Layers: []string{},
	})
}

// served checks that AWS has what the application's resources ask for.
func (w *walker) served() {
	w.Helper()
	all := appKinds()
	layer, function, alias := all[0].New(), all[1].New(), all[2].New()
	if w.gone(function) || w.gone(layer) {
		return
	}
	text := func(u *unstructured.Unstructured, fields ...string) string {
		value, _, _ := unstructured.NestedString(u.Object, fields...)
		return value
	}
	got, err := w.Lambda.GetFunctionConfiguration(w.Context(),
		&lambda.GetFunctionConfigurationInput{FunctionName: aws.String(function.GetName())})
	if err != nil {
		w.Errorf("the application: %v", err)
		return
	}
	want := map[string]string{
		"MODE":     text(function, "spec", "forProvider", "environment", "variables", "MODE"),
		"PASSWORD": "last-" + Canary, "LEVEL": "last",
	}
	have := maps.Clone(got.Environment.Variables)
	if delete(have, "TUNED"); !maps.Equal(have, want) {
		w.Errorf("variables of the application: -want, +got:\n%s", cmp.Diff(want, have))
	}
	arn := text(layer, "status", "atProvider", "layerVersionArn")
	if len(got.Layers) != 1 || aws.ToString(got.Layers[0].Arn) != arn {
		w.Errorf("want layer %s of the application, got %v", arn, got.Layers)
	}
	versions := w.versions(function.GetName())
	if len(versions) > mostAppVersions {
		w.Errorf("want at most %d versions of the application, got %v", mostAppVersions, versions)
	}
	if w.gone(alias) {
		return
	}
	if v := text(
		alias,
		"status",
		"atProvider",
		"functionVersion",
	); len(versions) == 0 ||
		v != versions[len(versions)-1] {
		w.Errorf("the alias of the application has version %s of %v", v, versions)
	}
}

// versions returns the published versions of a function, oldest first.
func (w *walker) versions(function string) (out []string) {
	w.Helper()
	for _, r := range w.Double.Resources(awsdouble.DefaultAccount, Region) {
		if v, ok := strings.CutPrefix(
			r.ID,
			"arn:aws:lambda:"+Region+":"+awsdouble.DefaultAccount+":function:"+function+":",
		); ok &&
			r.Kind == "Version" {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out
}
