package docs

import (
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestVersionsAreTrue compares the versions that pages name with those that the package asks
// for, and that tests run on.
func TestVersionsAreTrue(t *testing.T) {
	var meta struct {
		Spec struct {
			Crossplane struct{ Version string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../crossplane.yaml")), &meta); err != nil {
		t.Fatal(err)
	}
	page := read(t, "upgrade.md")
	for what, row := range map[string]string{
		meta.Spec.Crossplane.Version: "| Crossplane | `%`, as the package says",
		required(t, "../cluster/crossplane/go.mod",
			"github.com/crossplane/crossplane/v2"): "older one. Tested with % |",
		required(t, "../cluster/dev/go.mod", "k8s.io/kubernetes"): "since 1.29. Tested with % |",
	} {
		if row = strings.ReplaceAll(row, "%", what); what == "" || !strings.Contains(page, row) {
			t.Errorf("upgrade.md does not say %q", row)
		}
	}
}

// required version of a module.
func required(t *testing.T, file, module string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + ` (v\S+)`).FindStringSubmatch(read(t, file))
	if m == nil {
		t.Fatalf("%s does not require %s", file, module)
	}
	return m[1]
}
