package devcluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var suite = Suite{Options: Options{CRDs: []string{filepath.Join("testdata", "crds")}, Controllers: true}}

func TestMain(m *testing.M) { suite.Main(m) }

func TestKubeconfig(t *testing.T) {
	c := suite.Cluster(t)

	path := filepath.Join(t.TempDir(), "kubeconfig")
	for range 2 { // The second call replaces the first's file.
		if err := c.WriteKubeconfig(path); err != nil {
			t.Fatal(err)
		}
	}

	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("the kubeconfig has mode %v, want 0600", info.Mode())
	}

	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatalf("cannot read the kubeconfig: %v", err)
	}
	version, err := clientset(t, config).Discovery().ServerVersion()
	if err != nil {
		t.Fatalf("cannot use the kubeconfig: %v", err)
	}
	if version.Major == "" || version.Minor == "" {
		t.Errorf("the API server does not know its version: %v", version)
	}
}

func TestWriteKubeconfigNoFolder(t *testing.T) {
	c := &Cluster{Kubeconfig: []byte("k")}
	if err := c.WriteKubeconfig(filepath.Join(t.TempDir(), "none", "kubeconfig")); err == nil {
		t.Error("a kubeconfig was written into a folder that does not exist")
	}
}

func TestCRDsAreServed(t *testing.T) {
	c := suite.Cluster(t)
	ns := c.Namespace(t)

	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	widgets := client.Resource(schema.GroupVersionResource{
		Group: "example.org", Version: "v1",
		Resource: "widgets",
	}).Namespace(ns)

	if _, err := widgets.Create(t.Context(), widget("small", 1), metav1.CreateOptions{}); err != nil {
		t.Errorf("cannot create a widget: %v", err)
	}
	if _, err := widgets.Create(t.Context(), widget("big", 11), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("creating a widget that the schema forbids: got %v, want Invalid", err)
	}
}

func TestRBAC(t *testing.T) {
	config := rest.CopyConfig(suite.Cluster(t).Config)
	config.Impersonate.UserName = "nobody"

	_, err := clientset(t, config).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("nobody lists secrets: got %v, want Forbidden", err)
	}
}

func TestNamespaceDeletion(t *testing.T) {
	t.Parallel()
	c := suite.Cluster(t)
	client := clientset(t, c.Config).CoreV1()
	ns := c.Namespace(t)

	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "held", Finalizers: []string{"example.org/held"}}}
	if _, err := client.ConfigMaps(ns).Create(t.Context(), held, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.Namespaces().Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the object in the namespace is being deleted", func(ctx context.Context) (bool, error) {
		var err error
		held, err = client.ConfigMaps(ns).Get(ctx, "held", metav1.GetOptions{})
		return err == nil && held.DeletionTimestamp != nil, err
	})

	held.Finalizers = nil
	if _, err := client.ConfigMaps(ns).Update(t.Context(), held, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func(ctx context.Context) (bool, error) {
		_, err := client.Namespaces().Get(ctx, ns, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func TestGarbageCollection(t *testing.T) {
	t.Parallel()
	c := suite.Cluster(t)
	maps := clientset(t, c.Config).CoreV1().ConfigMaps(c.Namespace(t))

	owner, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ref := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.GetName(), UID: owner.GetUID()}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:            "owned",
		OwnerReferences: []metav1.OwnerReference{ref},
	}}
	if _, err := maps.Create(t.Context(), owned, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	if err := maps.Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the dependent is gone", func(ctx context.Context) (bool, error) {
		_, err := maps.Get(ctx, "owned", metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}

func TestNamespacesAreFresh(t *testing.T) {
	c := suite.Cluster(t)
	a, b := c.Namespace(t), c.Namespace(t)
	if a == b || !strings.HasPrefix(a, "testnamespacesarefresh-") {
		t.Errorf("Namespace() = %q and %q, want two names that begin with the test's", a, b)
	}
}

// eventually polls until ok returns true. The garbage collector and the namespace controller wait up to 10 seconds
// between their attempts.
func eventually(t *testing.T, what string, ok func(context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, ok); err != nil {
		t.Fatalf("waiting until %s: %v", what, err)
	}
}

func clientset(t *testing.T, c *rest.Config) *kubernetes.Clientset {
	t.Helper()
	cs, err := kubernetes.NewForConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

func widget(name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.org/v1",
		"kind":       "Widget",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": size},
	}}
}
