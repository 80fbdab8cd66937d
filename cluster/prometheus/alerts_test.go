package prometheus

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const pageOnline = "https://github.com/crossplane-contrib/provider-lambda/blob/main/docs/observability.md#"

// TestAlertsHaveInstructions checks that each alert contains what the person on call needs.
func TestAlertsHaveInstructions(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^#+ (\w+)$`)
	var headings []string
	for _, h := range heading.FindAllStringSubmatch(string(read(t, page)), -1) {
		headings = append(headings, h[1])
	}
	var names []string
	for _, r := range alerts(t) {
		names = append(names, r.Alert)
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has the severity %q: it is critical or warning", r.Alert, s)
		}
		for _, a := range []string{"summary", "description"} {
			if text := r.Annotations[a]; !strings.HasSuffix(text, ".") {
				t.Errorf("%s: its %s is no sentence: %q", r.Alert, a, text)
			}
		}
		if want := pageOnline + strings.ToLower(r.Alert); r.Annotations["runbook_url"] != want {
			t.Errorf("%s: its runbook is %q, want %q", r.Alert, r.Annotations["runbook_url"], want)
		}
		if !slices.Contains(headings, r.Alert) {
			t.Errorf("%s has no section for %s", page, r.Alert)
		}
	}
	for _, h := range headings {
		if strings.HasPrefix(h, "ProviderLambda") && !slices.Contains(names, h) {
			t.Errorf("%s has a section for %s, which is no alert", page, h)
		}
	}
}

// TestAlertsAreTested checks that there is a test in which each alert fires, and one in which it does not. The
// Makefile runs these tests with promtool.
func TestAlertsAreTested(t *testing.T) {
	var f struct {
		Tests []struct {
			AlertRuleTest []struct {
				AlertName string `json:"alertname"`
				ExpAlerts []any  `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		} `json:"tests"`
	}
	if err := yaml.Unmarshal(read(t, folder, "alerts_test.yaml"), &f); err != nil {
		t.Fatal(err)
	}
	fires, rests := map[string]bool{}, map[string]bool{}
	for _, test := range f.Tests {
		for _, c := range test.AlertRuleTest {
			if len(c.ExpAlerts) > 0 {
				fires[c.AlertName] = true
			} else {
				rests[c.AlertName] = true
			}
		}
	}
	for _, r := range alerts(t) {
		if !fires[r.Alert] || !rests[r.Alert] {
			t.Errorf("%s: tested to fire: %t, not to fire: %t", r.Alert, fires[r.Alert], rests[r.Alert])
		}
	}
}
