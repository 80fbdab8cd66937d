package rollout

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../../../package/crds"}}}

func TestMain(m *testing.M) { suite.Main(m) }

// TestAPIServer sends commands to a real API server, and watches what a provider would make of them.
func TestAPIServer(t *testing.T) {
	cluster := suite.Cluster(t)
	namespace := cluster.Namespace(t)
	client, err := dynamic.NewForConfig(cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	e := newEnv(t)
	e.client = client.Resource(kubectl.Aliases.Resource).Namespace(namespace)
	e.factory.Config.WrapConfigFn = func(*rest.Config) *rest.Config { return rest.CopyConfig(cluster.Config) }
	a := canary(func(a *v1beta1.Alias) {
		a.Namespace = namespace
		a.Spec.ForProvider = v1beta1.AliasParameters{
			ConfiguredFunction: v1beta1.ConfiguredFunction{
				Regional:     v1beta1.Regional{Region: "eu-central-1"},
				FunctionName: ptr.To("checkout"),
			},
			AliasSettings: v1beta1.AliasSettings{FunctionVersion: ptr.To("2")},
		}
		a.Spec.Rollout.Analysis.Metrics[0].Provider.Lambda = &v1beta1.LambdaMetric{Metric: "ErrorRate"}
	})
	e.create(t, a)

	do := func(want int, args ...string) {
		t.Helper()
		if code := e.run(t, append(args, "-n", namespace)...); code != want {
			t.Fatalf("%v: exit code %d, want %d: %s", args, code, want, e.errOut)
		}
	}
	do(0, "promote", "live", "--dry-run=server")
	if got := e.annotations(t); len(got) != 0 {
		t.Errorf("a dry run has set %v", got)
	}
	do(0, "abort", "live")
	u, err := e.client.Get(t.Context(), "live", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !managed(u, kubectl.FieldManager) {
		t.Errorf("no field is managed by %s: %v", kubectl.FieldManager, u.GetManagedFields())
	}

	go func() { // It stands for the provider.
		for range time.Tick(50 * time.Millisecond) {
			if handle(t, e.client) || t.Context().Err() != nil {
				return
			}
		}
	}()
	do(0, "undo", "live", "--watch", "--timeout", "1m")
	do(0, "status", "live")
}

// handle records that the command undo was carried out, and returns whether it was given.
func handle(t *testing.T, client dynamic.ResourceInterface) bool {
	t.Helper()
	u, err := client.Get(t.Context(), "live", metav1.GetOptions{})
	if err != nil || u.GetAnnotations()[v1beta1.AnnotationRolloutRollbackTo] == "" {
		return false
	}
	done := canary(undone, status(func(s *v1beta1.AliasRolloutStatus) {
		s.HandledCommands = map[string]string{
			v1beta1.AnnotationRolloutRollbackTo: u.GetAnnotations()[v1beta1.AnnotationRolloutRollbackTo],
		}
	}))
	if u.Object["status"], err = runtime.DefaultUnstructuredConverter.ToUnstructured(&done.Status); err == nil {
		_, err = client.UpdateStatus(t.Context(), u, metav1.UpdateOptions{})
	}
	return err == nil
}

// managed reports whether a manager has set fields of an object.
func managed(u *unstructured.Unstructured, manager string) bool {
	for _, f := range u.GetManagedFields() {
		if f.Manager == manager && f.Operation == metav1.ManagedFieldsOperationUpdate {
			return true
		}
	}
	return false
}
