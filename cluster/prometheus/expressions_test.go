package prometheus

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// target are labels that Prometheus adds to everything it scrapes.
var target = []string{"instance", "job", "namespace", "pod"}

// expressions returns the expressions of alerts, dashboard and documents, by their location.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| ([^|]+\\?) \\| `(.+)` \\|$").FindAllStringSubmatch(string(read(t,
		page)), -1) {
		all["query "+m[1]] = m[2]
	}
	if len(all) == 0 {
		t.Errorf("%s has no queries", page)
	}
	for _, r := range alerts(t) {
		all["alert "+r.Alert] = r.Expr
	}
	for _, p := range readDashboard(t).Panels {
		for i, target := range p.Targets {
			all["panel "+p.Title+" "+string(rune('A'+i))] = target.Expr
		}
	}
	return all
}

// TestExpressions parses each expression as Prometheus does, and checks that the provider serves the metric, and its
// labels with the documented values.
func TestExpressions(t *testing.T) {
	p := parser.NewParser(parser.Options{})
	known, explained := served(t), rows(t)
	for where, text := range expressions(t) {
		e, err := p.ParseExpr(strings.ReplaceAll(text, "$__rate_interval", "5m"))
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		here := map[string]bool{}
		for _, name := range target {
			here[name] = true
		}
		parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
			s, ok := n.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			has, ok := known[s.Name]
			if !ok {
				t.Errorf("%s names %s, which the provider does not serve", where, s.Name)
			}
			maps.Copy(here, has)
			for _, m := range s.LabelMatchers {
				check(t, where, s.Name, m, has, explained)
			}
			return nil
		})
		parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
			for _, name := range grouping(n) {
				if !here[name] {
					t.Errorf("%s goes by the label %s, which none of its metrics has", where, name)
				}
			}
			return nil
		})
	}
}

// grouping returns the labels by which an expression groups.
func grouping(n parser.Node) []string {
	switch n := n.(type) {
	case *parser.AggregateExpr:
		return n.Grouping
	case *parser.BinaryExpr:
		if n.VectorMatching != nil {
			return slices.Concat(n.VectorMatching.MatchingLabels, n.VectorMatching.Include)
		}
	}
	return nil
}

// plain matches a matcher's values that are names. Variables of Grafana and patterns are not.
var plain = regexp.MustCompile(`^[a-z_|]+$`)

// check checks a matcher of a metric: its label and, if the provider's own page lists them, its values.
func check(t *testing.T, where, metric string, m *labels.Matcher, has map[string]bool, explained map[string]string) {
	t.Helper()
	switch {
	case m.Name == "__name__":
		return
	case !has[m.Name]:
		t.Errorf("%s asks for the label %s of %s, which has only %v", where, m.Name, metric,
			slices.Sorted(maps.Keys(has)))
	case !strings.HasPrefix(metric, "provider_lambda_") || !plain.MatchString(m.Value):
		return
	}
	for value := range strings.SplitSeq(m.Value, "|") {
		if !strings.Contains(explained[metric], "`"+value+"`") {
			t.Errorf("%s asks for %s=%q of %s, of which %s says nothing", where, m.Name, value, metric, page)
		}
	}
}

// rows returns the rows of the page's tables, by their metric.
func rows(t *testing.T) map[string]string {
	t.Helper()
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*$")
	found := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(read(t, page)), -1) {
		found[m[1]] = m[0]
	}
	if len(found) == 0 {
		t.Fatalf("%s explains no metric", page)
	}
	return found
}
