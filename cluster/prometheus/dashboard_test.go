package prometheus

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDashboard checks that the dashboard is complete: every panel has its place, uses the data source that the user
// selects, and only defined variables.
func TestDashboard(t *testing.T) {
	d := readDashboard(t)
	if d.SchemaVersion < 41 {
		t.Errorf("schemaVersion is %d, older than Grafana 12", d.SchemaVersion)
	}
	names := []string{"__rate_interval"}
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
		if v.Type != "datasource" && v.Datasource.UID != "${datasource}" {
			t.Errorf("the variable %s is of another data source: %+v", v.Name, v.Datasource)
		}
	}
	if !slices.Contains(names, "datasource") {
		t.Error("the data source cannot be chosen")
	}

	var rows []string
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	used := regexp.MustCompile(`\$(\w+)`)
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other, ok := taken[[2]int{x, y}]; ok || x >= 24 {
					t.Fatalf("panel %s lies over %q or beside the page", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		if len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
			t.Errorf("panel %s shows nothing, or of another data source: %+v", p.Title, p)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" {
				t.Errorf("panel %s asks another data source: %+v", p.Title, target)
			}
			for _, u := range used.FindAllStringSubmatch(target.Expr, -1) {
				if !slices.Contains(names, u[1]) {
					t.Errorf("panel %s uses the variable %s, which there is not", p.Title, u[1])
				}
			}
		}
	}
	want := []string{
		"Reconciles", "Drift", "AWS calls and throttles", "Quota", "Time to ready", "Rollouts",
		"Credentials", "Errors",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows: -want, +got:\n%s", diff)
	}
}
