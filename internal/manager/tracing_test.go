package manager

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

// traced returns the traces that have an outcome.
func traced(rec *tracingtest.Recorder, outcome string) string {
	var found []string
	for _, tree := range rec.Traces() {
		if strings.Contains(tree, "crossplane.outcome="+outcome) {
			found = append(found, tree)
		}
	}
	return strings.Join(found, "\n")
}

// TestTracesOfAFunction checks the traces of a function with secrets in its variables and in its code: they show what
// was done, and no secret.
func TestTracesOfAFunction(t *testing.T) {
	t.Parallel()
	const inManifest, inSecret, inCode = "tr0ub4dor-and-3", "correct-horse-battery-staple", "the code is nobody's business"
	rec := tracingtest.New(t)
	e := newEnv(t, awsdouble.Options{}, func(o *Options) { o.Tracer = rec.Tracer })
	e.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: e.ns},
		StringData: map[string]string{"password": inSecret},
	})
	pc := &v1beta1.ProviderConfig{}
	e.until("the ProviderConfig has asked STS", func() bool {
		return e.kube.Get(t.Context(), client.ObjectKey{Namespace: e.ns, Name: "default"}, pc) == nil &&
			pc.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	})
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": inCode}}
		f.Spec.ForProvider.Environment = &v1beta1.Environment{
			Variables: map[string]string{"TOKEN": inManifest},
			VariablesFrom: []v1beta1.EnvironmentVariable{{Name: "PASSWORD", ValueFrom: v1beta1.ValueSource{
				SecretKeyRef: &v1beta1.KeySelector{Name: "db", Key: "password"},
			}}},
		}
	})
	e.create(f)
	e.ready(f)
	e.edit(f, func(f *v1beta1.Function) {
		f.Spec.ForProvider.MemorySize = ptr.To[int32](256)
		f.Spec.ForProvider.Environment.Variables["TOKEN"] = inManifest + "!"
	})
	e.ready(f)
	e.remove(f)
	e.gone(f)
	e.until("the last reconcile has ended", func() bool { return traced(rec, "gone") != "" })

	root := func(generation, outcome string) string {
		return "Reconcile Function crossplane.generation=" + generation + " crossplane.kind=Function " +
			"crossplane.name=f crossplane.outcome=" + outcome +
			" crossplane.requeue_after=... k8s.namespace.name=" + e.ns + "\n"
	}
	call := func(operation, answer string) string {
		return "    Lambda." + operation + " aws.request_id=... cloud.region=eu-central-1" + answer + " rpc.method=" + operation + " rpc.service=Lambda rpc.system=aws-api\n"
	}
	for outcome, want := range map[string]string{
		"created": root("1", "created") +
			"  Observe crossplane.exists=false crossplane.up_to_date=false\n" +
			call("GetFunction", " error.type=ResourceNotFoundException http.response.status_code=404") +
			"  Create\n" +
			call("CreateFunction", " http.response.status_code=201"),
		"updated": root("2", "updated") +
			"  Observe crossplane.exists=true crossplane.up_to_date=false\n" +
			call("GetFunction", " http.response.status_code=200") +
			"  Update crossplane.change=spec changed: environment.variables[TOKEN], memorySize: 128 -> 256\n" +
			call("UpdateFunctionConfiguration", " http.response.status_code=200"),
		"deleted": root("3", "deleted") +
			"  Observe crossplane.exists=true crossplane.up_to_date=false\n" +
			call("GetFunction", " http.response.status_code=200") +
			"  Delete\n" +
			call("DeleteFunction", " http.response.status_code=204"),
	} {
		if diff := cmp.Diff(want, traced(rec, outcome)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", outcome, diff)
		}
	}
	all := rec.Everything()
	for _, s := range []string{inManifest, inSecret, inCode, "AKIA"} {
		if strings.Contains(all, s) {
			t.Errorf("spans hold %q", s)
		}
	}
}
