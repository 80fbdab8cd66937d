package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMetricsAreDocumented compares the tables of metrics with what the provider serves, as
// a test of internal/manager has found it.
func TestMetricsAreDocumented(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\w+) \\|([^|]*)\\|")
	documented := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(read(t, "observability.md"), -1) {
		var labels []string
		for _, l := range quoted.FindAllStringSubmatch(m[3], -1) {
			labels = append(labels, l[1])
		}
		slices.Sort(labels)
		documented[m[1]] = fmt.Sprintf("%s by %v", m[2], labels)
	}
	if diff := cmp.Diff(metrics(t), documented); diff != "" {
		t.Errorf("metrics, their types and labels: -served, +documented:\n%s", diff)
	}
}

// TestMetricsOfPagesAreServed checks that the provider serves each metric that a document names, and that the metric
// has the labels by which the document selects.
func TestMetricsOfPagesAreServed(t *testing.T) {
	served := metrics(t)
	named := regexp.MustCompile(
		`\b((?:provider_lambda|crossplane_managed_resource)_[a-z_]*[a-z])\b(?:\{([^}]*)\})?`)
	label := regexp.MustCompile(`(\w+) *(?:=|!=|=~|!~)"`)
	for _, file := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(read(t, file), -1) {
			name := regexp.MustCompile(`_(?:bucket|count|sum)$`).ReplaceAllString(m[1], "")
			is, ok := served[name]
			if !ok {
				t.Errorf("%s names the metric %s, which the provider does not serve", file, m[1])
			}
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if l[1] != "le" && !slices.Contains(strings.FieldsFunc(is, notWord), l[1]) {
					t.Errorf("%s selects by the label %s of %s, which is a %s", file, l[1], name, is)
				}
			}
		}
	}
}

// notWord reports whether a character separates the labels in the text of a metric.
func notWord(r rune) bool { return strings.ContainsRune(" []", r) }

// metrics that the provider adds to what controller-runtime and Go have, with their types
// and labels.
func metrics(t *testing.T) map[string]string {
	t.Helper()
	text := read(t, "../observability/metrics.prom")
	found := map[string]string{}
	for _, m := range regexp.MustCompile(
		`(?m)^# TYPE ((?:provider_lambda|crossplane)_\w+) (\w+)$`).FindAllStringSubmatch(text, -1) {
		sample := regexp.MustCompile(`(?m)^` + m[1] + `(?:_count)?(?:\{(.*)\})? 0$`).FindStringSubmatch(text)
		if sample == nil {
			t.Fatalf("there is no sample of %s", m[1])
		}
		labels := []string{}
		for _, l := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(sample[1], -1) {
			labels = append(labels, l[1])
		}
		slices.Sort(labels)
		found[m[1]] = fmt.Sprintf("%s by %v", m[2], labels)
	}
	if len(found) == 0 || !strings.Contains(text, "provider_lambda_") {
		t.Fatal("the provider serves no metric of its own")
	}
	return found
}
