package regions

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRegionsAreTheSDKs compares the known regions to those of the SDK.
func TestRegionsAreTheSDKs(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/aws/aws-sdk-go-v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "internal", "endpoints", "awsrulesfn",
		"partitions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var model struct {
		Partitions []struct {
			Regions map[string]any `json:"regions"`
		} `json:"partitions"`
	}
	if err := json.Unmarshal(b, &model); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, p := range model.Partitions {
		for r := range p.Regions {
			if !strings.HasSuffix(r, "-global") {
				want = append(want, r)
			}
		}
	}
	slices.Sort(want)
	got := strings.Fields(all)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("regions of AWS: -SDK, +known here:\n%s", diff)
	}
	for _, name := range got {
		if Label(name) != name || IsEndpoint(name) {
			t.Errorf("%s is a region: its label is %s", name, Label(name))
		}
	}
	for _, name := range []string{"fips-us-east-1", "us-east-1-fips", "eu-fips-central-1", "dualstack-us-east-1"} {
		if !IsEndpoint(name) || Known(name) {
			t.Errorf("%s is an endpoint", name)
		}
	}
	for _, made := range []string{"eu-abc-1", "", "us-east-1.example.org"} {
		if got := Label(made); got != Other {
			t.Errorf("%q is labelled %q", made, got)
		}
	}
}
