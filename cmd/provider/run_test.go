package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	testprocess "github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../../package/crds"}}}

func TestMain(m *testing.M) {
	if os.Getenv(asProvider) != "" {
		main()
		return
	}
	suite.Main(m)
}

// timeout is how long a test waits before it fails, on a machine that builds and tests other packages meanwhile. No
// result depends on how long it takes.
const timeout = 3 * time.Minute

// freeAddress returns a free address on loopback.
func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := testprocess.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// get requests a URL until the status is 200.
func get(t testing.TB, url string) string {
	t.Helper()
	var last error
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		body, err := once(t, url)
		if err == nil {
			return body
		}
		last = err
	}
	t.Fatalf("%s does not answer: %v", url, last)
	return ""
}

func once(t testing.TB, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return string(body), err
}

// TestRun checks that the provider leads, responds to probes, serves metrics and, if enabled, profiles, and releases
// its lease when it is terminated.
func TestRun(t *testing.T) {
	w := newEnv(t, awsdouble.Options{})
	cluster, ns := w.cluster, w.ns
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, cluster.Kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	metrics, health, pprof := freeAddress(t), freeAddress(t), freeAddress(t)
	f, _, err := parse(t, "--leader-election-namespace="+ns, "--metrics-bind-address="+metrics,
		"--health-probe-bind-address="+health, "--pprof-bind-address="+pprof)
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx, f) }()

	get(t, "http://"+health+"/healthz")
	get(t, "http://"+health+"/readyz")
	get(t, "http://"+pprof+"/debug/pprof/cmdline")
	kube, err := kubernetes.NewForConfig(cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	lease := func() *coordinationv1.Lease {
		l, err := kube.CoordinationV1().Leases(ns).Get(t.Context(), "crossplane-leader-election-provider-lambda",
			metav1.GetOptions{})
		if err != nil {
			return &coordinationv1.Lease{}
		}
		return l
	}
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		if l := lease(); l.Spec.HolderIdentity != nil && *l.Spec.HolderIdentity != "" {
			if got := *l.Spec.LeaseDurationSeconds; got != 60 {
				t.Errorf("want a lease of 60 s, got %d", got)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the provider does not lead")
		}
	}
	w.create(w.function("f"))
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		body := get(t, "http://"+metrics+"/metrics")
		// The controller runs once its definition has been seen, and there is a Function.
		if strings.Contains(body, `controller="managed/function.lambda.aws.m.crossplane.io"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the controller of Functions does not run; metrics:\n%s", body)
		}
	}

	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("being told to stop is no error: %v", err)
		}
	case <-time.After(timeout):
		t.Fatal("the provider does not stop")
	}
	if l := lease(); l.Spec.HolderIdentity != nil && *l.Spec.HolderIdentity != "" {
		t.Errorf("the lease is still held by %s: the next leader waits for a minute", *l.Spec.HolderIdentity)
	}
}

func TestRunWithoutCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	f, _, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), f); err == nil || !strings.Contains(err.Error(), "KUBECONFIG") {
		t.Errorf("want to be told how to find a cluster, got %v", err)
	}
}
