package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

// TestRunWithTraces checks that the flag and the environment enable traces, and that the last ones are sent before
// the provider ends: the test sets a long export interval.
func TestRunWithTraces(t *testing.T) {
	cluster := suite.Cluster(t)
	ns := cluster.Namespace(t)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, cluster.Kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	double := awsdouble.New(awsdouble.Options{})
	double.Start()
	t.Cleanup(double.Close)
	collector, url := tracingtest.ByGRPC(t)
	t.Setenv("KUBECONFIG", kubeconfig)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")
	f, _, err := parse(t, "--enable-tracing", "--no-leader-election", "--watch-namespace="+ns,
		"--metrics-bind-address=0", "--health-probe-bind-address=0")
	if err != nil {
		t.Fatal(err)
	}
	applyFunction(t, cluster.Config, ns, double.URL())

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx, f) }()
	for deadline := time.Now().Add(timeout); double.Count("CreateFunction") == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the function is not created")
		}
	}
	if got := collector.Spans(); len(got) > 0 {
		t.Errorf("nothing is due yet, got %v", got)
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
	for _, want := range []string{
		"Reconcile Function", "Observe", "Create", "Lambda.GetFunction",
		"Lambda.CreateFunction",
	} {
		if !slices.Contains(collector.Spans(), want) {
			t.Errorf("want a span %s, got %v", want, collector.Spans())
		}
	}
	if !strings.Contains(collector.Resource(), "service.name=provider-lambda ") {
		t.Errorf("want traces of provider-lambda, got %s", collector.Resource())
	}
}

// TestRunWithWrongTraces checks that an invalid tracing configuration is reported before anything runs.
func TestRunWithWrongTraces(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, suite.Cluster(t).Kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon")
	f, _, err := parse(t, "--enable-tracing", "--metrics-bind-address=0", "--health-probe-bind-address=0")
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), f); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_PROTOCOL") {
		t.Errorf("want to be told which variable is wrong, got %v", err)
	}
}

// applyFunction applies a Function, and a ClusterProviderConfig with an endpoint.
func applyFunction(t *testing.T, cfg *rest.Config, ns, endpoint string) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kube, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range []client.Object{
		&v1beta1.ClusterProviderConfig{
			ObjectMeta: metav1.ObjectMeta{Name: ns},
			Spec: v1beta1.ClusterProviderConfigSpec{
				Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceNone},
				ConnectionSpec: v1beta1.ConnectionSpec{Endpoint: &v1beta1.EndpointConfig{
					URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: &endpoint},
				}},
			},
		},
		&v1beta1.Function{
			ObjectMeta: metav1.ObjectMeta{Name: "f", Namespace: ns},
			Spec: v1beta1.FunctionSpec{
				ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
					Kind: "ClusterProviderConfig", Name: ns,
				}},
				ForProvider: v1beta1.FunctionParameters{
					Regional: v1beta1.Regional{Region: "eu-central-1"},
					FunctionSettings: v1beta1.FunctionSettings{
						Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"), Role: ptr.To(
							"arn:aws:iam::123456789012:role/r"),
						Code: &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}},
					},
				},
			},
		},
	} {
		if err := kube.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
}
