package prometheus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

const ruleHeader = `# Generated from alerts.yaml by make generate: change that.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: provider-lambda
  namespace: crossplane-system
spec:
`

// TestPrometheusRule compares the manifest for the Prometheus operator with alerts.yaml, from which it is generated.
func TestPrometheusRule(t *testing.T) {
	var b strings.Builder
	b.WriteString(ruleHeader)
	for line := range strings.Lines(string(read(t, folder, "alerts.yaml"))) {
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "\n":
			b.WriteString(line)
		default:
			b.WriteString("  " + line)
		}
	}
	const name = "prometheusrule.yaml"
	if *update {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, folder, name)
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("%s is not made from alerts.yaml, run make generate: -want, +got:\n%s", name, diff)
	}
	r := monitoringv1.PrometheusRule{}
	if err := yaml.UnmarshalStrict(got, &r); err != nil {
		t.Fatal(err)
	}
	if want := len(alerts(t)); len(r.Spec.Groups) != 1 || len(r.Spec.Groups[0].Rules) != want {
		t.Errorf("want 1 group of %d rules, got %+v", want, r.Spec.Groups)
	}
}

// TestPodMonitor checks that it selects the pods as Crossplane creates them.
func TestPodMonitor(t *testing.T) {
	m := monitoringv1.PodMonitor{}
	if err := yaml.UnmarshalStrict(read(t, folder, "podmonitor.yaml"), &m); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"pkg.crossplane.io/provider": "provider-lambda"}
	if diff := cmp.Diff(want, m.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("labels of the provider's pods: -want, +got:\n%s", diff)
	}
	if e := m.Spec.PodMetricsEndpoints; len(e) != 1 || e[0].Port == nil || *e[0].Port != "metrics" {
		t.Errorf("want the port metrics, got %+v", e)
	}
}
