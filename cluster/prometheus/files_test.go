package prometheus

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write prometheusrule.yaml anew")

// The folder under test, and the page that documents it.
const (
	folder = "../../observability"
	page   = "../../docs/observability.md"
)

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rules are the tested fields of Prometheus's rules.
type rules struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []rule `json:"rules"`
	} `json:"groups"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// alerts returns all rules of alerts.yaml.
func alerts(t *testing.T) []rule {
	t.Helper()
	r := rules{}
	if err := yaml.UnmarshalStrict(read(t, folder, "alerts.yaml"), &r); err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, g := range r.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there are no alerts")
	}
	return all
}

// dashboard has the tested fields of a Grafana dashboard.
type dashboard struct {
	SchemaVersion int     `json:"schemaVersion"`
	Panels        []panel `json:"panels"`
	Templating    struct {
		List []variable `json:"list"`
	} `json:"templating"`
}

type variable struct {
	Name       string     `json:"name"`
	Type       string     `json:"type"`
	Definition string     `json:"definition"`
	Datasource datasource `json:"datasource"`
}

type panel struct {
	ID         int        `json:"id"`
	Type       string     `json:"type"`
	Title      string     `json:"title"`
	Datasource datasource `json:"datasource"`
	GridPos    struct {
		X, Y, W, H int
	} `json:"gridPos"`
	Targets []struct {
		Expr       string     `json:"expr"`
		Datasource datasource `json:"datasource"`
	} `json:"targets"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	d := dashboard{}
	if err := json.Unmarshal(read(t, folder, "dashboard.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// served returns the labels of each metric that the provider serves, by the name of the sample.
func served(t *testing.T) map[string]map[string]bool {
	t.Helper()
	sample := regexp.MustCompile(`^(\w+)(?:\{(.*)\})? 0$`)
	label := regexp.MustCompile(`(\w+)="`)
	found := map[string]map[string]bool{}
	for line := range strings.Lines(string(read(t, folder, "metrics.prom"))) {
		m := sample.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if found[m[1]] == nil {
			found[m[1]] = map[string]bool{}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			found[m[1]][l[1]] = true
		}
	}
	if len(found) == 0 {
		t.Fatal("metrics.prom names no metric")
	}
	return found
}
