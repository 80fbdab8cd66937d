package manager

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestChangeLog checks that each change is sent over the sidecar's socket, without values that only the function may
// know.
func TestChangeLog(t *testing.T) {
	t.Parallel()
	log := newSidecar(t)
	register(t, prometheus.NewRegistry())
	e := newEnv(t, awsdouble.Options{}, measured, log.options)
	config := xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
		Kind: "ProviderConfig",
		Name: "default",
	}}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: e.ns},
		StringData: map[string]string{"password": "hunter2-secret"},
	}
	f := e.function("f", func(f *v1beta1.Function) {
		f.Annotations = map[string]string{
			corev1.LastAppliedConfigAnnotation: `{"spec":{"forProvider":{"environment":{"variables":{"AA":"hunter2-variable"}}}}}`,
		}
		f.Spec.ForProvider.Environment = &v1beta1.Environment{
			Variables: map[string]string{"AA": "hunter2-variable"},
			VariablesFrom: []v1beta1.EnvironmentVariable{{
				Name: "BB", ValueFrom: v1beta1.ValueSource{SecretKeyRef: &v1beta1.KeySelector{
					Name: "db",
					Key:  "password",
				}},
			}},
		}
	})
	p := &v1beta1.Permission{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: e.ns},
		Spec: v1beta1.PermissionSpec{ManagedResourceSpec: config, ForProvider: v1beta1.PermissionParameters{
			ConfiguredFunction: v1beta1.ConfiguredFunction{
				Regional:     v1beta1.Regional{Region: region},
				FunctionName: ptr.To("f"),
			},
			Action: ptr.To("lambda:InvokeFunction"),
			Principal: ptr.To(
				"alexa-appkit.amazon.com"),
			EventSourceToken: ptr.To("hunter2-token"),
		}},
	}
	i := &v1beta1.Invocation{
		ObjectMeta: metav1.ObjectMeta{Name: "i", Namespace: e.ns},
		Spec: v1beta1.InvocationSpec{ManagedResourceSpec: config, ForProvider: v1beta1.InvocationParameters{
			Regional: v1beta1.Regional{Region: region}, FunctionName: ptr.To("f"), Payload: ptr.To(`"hunter2-payload"`),
		}},
	}
	e.create(secret, f)
	e.ready(f)
	e.create(p, i)
	e.ready(p)
	e.ready(i)
	e.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.Environment.Variables["AA"] = "hunter2-other" })
	e.ready(f)
	if got := e.config("f").Configuration.Environment.Variables; got["AA"] != "hunter2-other" ||
		got["BB"] != "hunter2-secret" {
		t.Fatalf("the function must know what the log must not, got %v", got)
	}
	e.remove(p)
	e.gone(p)

	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the change log: %s", log)
		}
	})
	for _, want := range []struct {
		kind, name string
		op         v1alpha1.OperationType
		hidden     string
	}{
		{kind: "Function", name: "f", op: v1alpha1.OperationType_OPERATION_TYPE_CREATE, hidden: "variables"},
		{kind: "Function", name: "f", op: v1alpha1.OperationType_OPERATION_TYPE_UPDATE, hidden: "variables"},
		{kind: "Permission", name: "p", op: v1alpha1.OperationType_OPERATION_TYPE_CREATE, hidden: "eventSourceToken"},
		{kind: "Permission", name: "p", op: v1alpha1.OperationType_OPERATION_TYPE_DELETE, hidden: "eventSourceToken"},
		{kind: "Invocation", name: "i", op: v1alpha1.OperationType_OPERATION_TYPE_CREATE, hidden: "payload"},
	} {
		e.until(fmt.Sprintf("the change log tells of %v", want),
			func() bool { return log.has(want.kind, want.name, want.op, want.hidden) })
	}
	e.stop()
	if all := log.String(); strings.Contains(all, "hunter2") || !strings.Contains(all, diff.Redacted) {
		at := strings.Index(all, "hunter2")
		t.Errorf("the change log must hold no secret, got ...%s", all[max(0, at-300):min(len(all), at+50)])
	}
}
